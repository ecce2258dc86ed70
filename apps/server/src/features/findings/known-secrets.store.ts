// Stores keyed hashes of the secrets of accounts, by which scans recognise them in files.
import type { KnownForm } from "@strongroom/detectors";
import { sql } from "kysely";
import type { ColumnType } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

interface KnownSecretsTable {
  secret_id: string;
  version: number;
  fingerprint: string | null;
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
  rows: readonly { secret_id: string; version: number; fingerprint: string | null; forms: readonly KnownForm[] }[],
): Promise<void> {
  await sql`
    insert into known_secrets (secret_id, version, fingerprint, forms)
    select row.secret_id, row.version, row.fingerprint, row.forms
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
      (secret_id uuid, version integer, fingerprint text, forms jsonb)
    where exists (select from credentials where credentials.id = row.secret_id)
    on conflict (secret_id) do update set
      version = excluded.version, fingerprint = excluded.fingerprint, forms = excluded.forms`.execute(tx);
}

const isOfAccount = sql`exists (select from credentials secret
  where secret.id = known.secret_id and secret.deleted_at is null and secret.secret_version = known.version)`;

export async function readForms(db: Db): Promise<(KnownForm & { id: string })[]> {
  const { rows } = await sql<{ secret_id: string; forms: KnownForm[] }>`
    select secret_id, forms from known_secrets known where ${isOfAccount}`.execute(db);
  return rows.flatMap(({ secret_id: id, forms }) => forms.map((form) => ({ ...form, id })));
}

export interface KnownAccount {
  id: string;
  username: string | null;
}

/** Accounts with these secrets, or of these ids. Short and common secrets open too many accounts to mean one. */
export async function accountsWithSecrets(tx: Tx, fingerprints: readonly string[], ids: readonly string[]) {
  const { rows } = await sql<KnownAccount & { fingerprint: string | null }>`
    select distinct on (secret.id) secret.id, secret.username, known.fingerprint
    from known_secrets known join credentials secret on secret.id = known.secret_id
    where secret.deleted_at is null and secret.secret_version = known.version
      and (known.fingerprint = any(${[...fingerprints]}::text[]) or secret.id = any(${[...ids]}::uuid[]))
    order by secret.id`.execute(tx);
  return {
    ids: rows.map(({ id }) => id),
    byId: new Map(rows.map((row) => [row.id, row])),
    byFingerprint: new Map(rows.flatMap((row) => (row.fingerprint === null ? [] : [[row.fingerprint, row] as const]))),
  };
}

/** The files that dependents of these accounts keep up to date, as `account path`. */
export async function managedFiles(tx: Tx, accountIds: readonly string[]): Promise<Set<string>> {
  if (accountIds.length === 0) return new Set();
  const { rows } = await sql<{ key: string }>`
    select account_id || ' ' || (config ->> 'path') as key from account_dependents
    where account_id = any(${[...accountIds]}::uuid[]) and config ->> 'kind' = 'file-value'`.execute(tx);
  return new Set(rows.map(({ key }) => key));
}
