// Stores keyed hashes of the secrets of accounts, by which scans recognise them in files.
import type { KnownForm } from "@strongroom/detectors";
import { sql } from "kysely";
import type { ColumnType } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { retrievableAccounts } from "#features/accounts/index.ts";

interface KnownSecretsTable {
  secret_id: string;
  version: number;
  fingerprint: string | null;
  /** Of an SSH key: `SHA256:` with unpadded base64. Null for other secrets, and for keys with a passphrase. */
  public_key: string | null;
  forms: ColumnType<KnownForm[], string, string>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    known_secrets: KnownSecretsTable;
  }
}

export interface UnknownSecret {
  id: string;
  safe_id: string;
  version: number;
  envelope: Buffer;
}

/** Active secrets of accounts whose forms are missing or of another version. Personal vaults are left out. */
export async function findUnknown(db: Db, limit: number): Promise<UnknownSecret[]> {
  const { rows } = await sql<UnknownSecret>`
    select secret.id, secret.safe_id, secret.secret_version as version, sealed.envelope
    from credentials secret
    join accounts on accounts.id = secret.id
    join secret_versions sealed on sealed.credential_id = secret.id and sealed.version = secret.secret_version
    where secret.safe_id is not null and secret.deleted_at is null and not exists (
      select from known_secrets known where known.secret_id = secret.id and known.version = secret.secret_version)
    order by secret.id limit ${limit}`.execute(db);
  return rows;
}

export async function saveKnown(
  tx: Tx,
  rows: readonly (Pick<KnownSecretsTable, "secret_id" | "version" | "fingerprint" | "public_key"> & {
    forms: readonly KnownForm[];
  })[],
): Promise<void> {
  await sql`
    insert into known_secrets (secret_id, version, fingerprint, public_key, forms)
    select row.secret_id, row.version, row.fingerprint, row.public_key, row.forms
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
      (secret_id uuid, version integer, fingerprint text, public_key text, forms jsonb)
    where exists (select from credentials where credentials.id = row.secret_id)
    on conflict (secret_id) do update set
      version = excluded.version, fingerprint = excluded.fingerprint, public_key = excluded.public_key,
      forms = excluded.forms`.execute(tx);
}

/** The user for whom secrets are compared, and the safes to which an API token limited it; null without a limit. */
export interface Comparer {
  id: string;
  safes: readonly string[] | null;
}

/**
 * INVARIANT: a user's scans match only secrets that the user may retrieve anyway. Otherwise a file full of guesses on a host
 * of theirs would tell which of them is the password of an account in another safe.
 */
const knownTo = ({ id, safes }: Comparer) => sql`(
  select known.secret_id, known.fingerprint, known.forms, secret.username, secret.secret_version as version
  from known_secrets known join credentials secret on secret.id = known.secret_id
  where secret.deleted_at is null and secret.secret_version = known.version
    and secret.id in ${retrievableAccounts({ id, role: sql`(select role from users where id = ${id})` }, safes)})`;

export async function readForms(db: Db, comparer: Comparer): Promise<(KnownForm & { id: string })[]> {
  const { rows } = await sql<{ secret_id: string; forms: KnownForm[] }>`
    select secret_id, forms from ${knownTo(comparer)} known`.execute(db);
  return rows.flatMap(({ secret_id: id, forms }) => forms.map((form) => ({ ...form, id })));
}

export interface KnownAccount {
  id: string;
  username: string | null;
}

/** The user's accounts with these secrets, or of these ids. */
export async function accountsWithSecrets(
  tx: Tx,
  comparer: Comparer,
  fingerprints: readonly string[],
  ids: readonly string[],
) {
  const { rows } = await sql<KnownAccount & { fingerprint: string | null }>`
    select known.secret_id as id, known.username, known.fingerprint from ${knownTo(comparer)} known
    where known.fingerprint = any(${[...fingerprints]}::text[]) or known.secret_id = any(${[...ids]}::uuid[])
    order by known.secret_id`.execute(tx);
  return {
    ids: rows.map(({ id }) => id),
    byId: new Map(rows.map((row) => [row.id, row])),
    byFingerprint: Map.groupBy(
      rows.filter((row): row is typeof row & { fingerprint: string } => row.fingerprint !== null),
      ({ fingerprint }) => fingerprint,
    ),
  };
}

/** One of the user's accounts with this secret, `preferred` before others, with the secret's version. Null without one. */
export async function accountWithSecret(
  db: Db,
  comparer: Comparer,
  fingerprint: string | null,
  preferred: string | null,
) {
  const { rows } = await sql<{ id: string; version: number }>`
    select known.secret_id as id, known.version from ${knownTo(comparer)} known
    where known.fingerprint = ${fingerprint}
    order by known.secret_id is not distinct from ${preferred}::uuid desc, known.secret_id limit 1`.execute(db);
  return rows[0] ?? null;
}

/** The user's account that a fix stored for this secret, even if it is not indexed yet; null when there is none. */
export async function accountOfFix(tx: Tx, { id, safes }: Comparer, fingerprint: string | null) {
  const { rows } = await sql<{ id: string; version: number }>`
    select secret.id, fix.version from findings
    join finding_fixes fix on fix.finding_id = findings.id and fix.undone_at is null
    join credentials secret on secret.id = fix.account_id and secret.deleted_at is null
      and secret.secret_version = fix.version
    where findings.fingerprint = ${fingerprint}
      and secret.id in ${retrievableAccounts({ id, role: sql`(select role from users where id = ${id})` }, safes)}
    order by secret.id limit 1`.execute(tx);
  return rows[0] ?? null;
}

/** The user names of accounts that the caller has already checked, by id. */
export async function userNamesOf(db: Db, ids: readonly string[]): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("credentials")
    .select(["id", "username"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}

/** The files that dependents of these accounts keep up to date, as `account path`. A changed dependent is not used. */
export async function managedFiles(tx: Tx, accountIds: readonly string[]): Promise<Set<string>> {
  if (accountIds.length === 0) return new Set();
  const { rows } = await sql<{ key: string }>`
    select account_id || ' ' || (config ->> 'path') as key from account_dependents
    where account_id = any(${[...accountIds]}::uuid[]) and config ->> 'kind' = 'file-value'
      and not exists (select from dependent_mismatches where dependent_id = account_dependents.id)`.execute(tx);
  return new Set(rows.map(({ key }) => key));
}
