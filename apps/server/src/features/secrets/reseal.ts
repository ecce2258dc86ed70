// Moves stored secrets to another safe: re-encrypts every version under that safe's key, in the same transaction.
import { sealSecret } from "@strongroom/keys";
import type { Kek } from "@strongroom/keys";
import { sql } from "kysely";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { activeError, bindActive } from "./active-version.ts";
import { storeBindings } from "./bind-versions.ts";
import { openEnvelope, unreadable } from "./open-secret.ts";
import { ENVELOPE_PURPOSE } from "./owner-keys.ts";
import { lockSecrets } from "./secrets.store.ts";

const AT_ONCE = 500;

export interface Resealing {
  ids: readonly string[];
  fromSafe: string;
  toSafe: string;
  /** The key of the destination. */
  kek: Kek;
  at: Date;
}

interface Version {
  credential_id: string;
  version: number;
  envelope: Buffer;
}

/**
 * The rows must be locked. The result of a login attempt in progress will count as that of the previous secret. Throws
 * the refusal for a secret that does not open; in that case, nothing was moved.
 */
export async function resealUnder(
  kernel: Kernel,
  tx: Tx,
  { ids, fromSafe, toSafe, kek, at }: Resealing,
): Promise<void> {
  await bindAnew(kernel, tx, { ids, kek });
  const versions = await tx
    .selectFrom("secret_versions")
    .select(["credential_id", "version", "envelope"])
    .where("credential_id", "in", ids)
    .execute();
  for (let begin = 0; begin < versions.length; begin += AT_ONCE) {
    const batch = [];
    for (const each of versions.slice(begin, begin + AT_ONCE)) batch.push(await reseal(kernel, each, fromSafe, kek));
    await replaceEnvelopes(tx, batch);
  }
  await sql`
    update credentials set safe_id = ${toSafe}, updated_at = ${at}, login_revision = login_revision + 1,
      rejected_revision = case when rejected_revision = login_revision then login_revision + 1 end
    where id = any(${[...ids]}::uuid[]) and safe_id = ${fromSafe}`.execute(tx);
}

/** INVARIANT: moving a secret does not authenticate an active version that was tampered with. */
async function bindAnew(kernel: Kernel, tx: Tx, { ids, kek }: Pick<Resealing, "ids" | "kek">): Promise<void> {
  const rows = await lockSecrets(tx, ids);
  for (const row of rows) {
    const error = await activeError(kernel, row);
    if (error !== null) throw unreadable(kernel, row.id, error);
  }
  const bindings = rows.map((row) => ({ id: row.id, ...bindActive(kek, row.id, row.secret_version, row) }));
  await storeBindings(tx, bindings);
}

async function reseal(kernel: Kernel, held: Version, fromSafe: string, kek: Kek): Promise<Version> {
  const { credential_id: id, version, envelope } = held;
  try {
    using secret = await openEnvelope(kernel, { id, user_id: null, safe_id: fromSafe, version, envelope });
    return { ...held, envelope: sealSecret(kek, { purpose: ENVELOPE_PURPOSE, recordId: id, version }, secret) };
  } catch (error) {
    throw unreadable(kernel, id, error);
  }
}

async function replaceEnvelopes(tx: Tx, versions: readonly Version[]): Promise<void> {
  const column = <T>(pick: (version: Version) => T): T[] => versions.map(pick);
  await sql`
    update secret_versions set envelope = sealed.envelope
    from unnest(${column((each) => each.credential_id)}::uuid[], ${column((each) => each.version)}::integer[],
      ${column((each) => each.envelope)}::bytea[]) as sealed (credential_id, version, envelope)
    where secret_versions.credential_id = sealed.credential_id and secret_versions.version = sealed.version`.execute(
    tx,
  );
}
