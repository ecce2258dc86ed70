// One-time passwords: the first retrieval takes a version, and nobody gets that version again.
import type { ConnectionMethod, SystemType } from "@strongroom/contract";
import { sql } from "kysely";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { connectorFacts } from "#features/credentials/index.ts";
import { allows } from "#features/safes/index.ts";
import { credentialTypeOf, usualPort } from "./connector-type.ts";
import type { ShownRow } from "./shown-accounts.store.ts";

/** Whether some connector can change passwords of such accounts: without one, a password that was taken would stay taken. */
export function canBeChanged(system: SystemType, method: ConnectionMethod): boolean {
  const facts = connectorFacts({
    type: credentialTypeOf(system, method),
    host: "host.example",
    port: usualPort(system, method),
    username: "user",
    connection_string: null,
    additional_params: {},
  });
  return facts !== null && (facts.can_change || facts.can_reconcile);
}

/** Platforms from before the option was limited may have it where nothing can be changed: there it has no effect. */
export function isOneTime(row: ShownRow): boolean {
  if (!row.one_time_password) return false;
  const facts = connectorFacts(row);
  return facts !== null && (facts.can_change || facts.can_reconcile);
}

/**
 * Takes a version for this person. INVARIANT: one insert decides, so of any number of retrievals on any number of processes
 * exactly one gets it, and the same person does not get it twice. Throws 409 when it is taken; nothing is written then.
 */
export async function takeOnce(
  tx: Tx,
  row: ShownRow,
  { version, userId }: { version: number; userId: string },
): Promise<void> {
  const { rows } = await sql`
    insert into account_one_time_takes (account_id, version, user_id, taken_at)
    values (${row.id}, ${version}, ${userId}, access_time())
    on conflict do nothing returning account_id`.execute(tx);
  if (rows.length > 0) return;
  const taker = await sql<{ user_id: string | null; name: string | null; taken_at: Date }>`
    select taken.user_id, users.name, taken.taken_at from account_one_time_takes taken
    left join users on users.id = taken.user_id
    where taken.account_id = ${row.id} and taken.version = ${version}`.execute(tx);
  throw taken(row, userId, taker.rows[0]);
}

/** Only people who manage the secret learn who took it. */
function taken(
  row: ShownRow,
  userId: string,
  taker: { user_id: string | null; name: string | null; taken_at: Date } | undefined,
): Refusal {
  const mayKnow = allows(row.permissions, "manage_secret") && taker?.name != null;
  const who = taker?.user_id === userId ? "You have" : mayKnow ? `${taker.name} has` : "Somebody has";
  const since = taker === undefined ? "" : ` at ${taker.taken_at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return refuse(
    409,
    "account.one-time-taken",
    `${who} taken this one-time password${since}. It can be retrieved again after it was changed. If the change fails, people who manage the secret are notified and can retry it.`,
    { retryAfter: 30 },
  );
}

/** INVARIANT: a password that was taken is not led to where other rules give it out again. */
export function refuseTaken(row: ShownRow): void {
  if (!row.is_one_time_taken || !isOneTime(row)) return;
  throw refuse(
    409,
    "account.one-time-taken",
    "This one-time password was taken and has not been changed yet. Change it or store a new one first.",
  );
}
