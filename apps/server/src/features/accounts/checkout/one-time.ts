// One-time passwords: the first retrieval takes a version, and no user can retrieve that version again.
import { CONNECTION_METHODS, SYSTEM_TYPES, credentialTypeOf, usualPort } from "@strongroom/contract";
import type { PlatformCapability } from "@strongroom/contract";
import { sql } from "kysely";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { connectorFacts } from "#features/secrets/index.ts";
import { allows } from "#features/safes/index.ts";
import { canRotate } from "../access-block.policy.ts";
import type { ShownRow } from "../shown-accounts.store.ts";

/** The kinds of system whose passwords a connector can rotate with the default settings. */
export function platformCapabilities(): PlatformCapability[] {
  return SYSTEM_TYPES.flatMap((system_type) =>
    CONNECTION_METHODS.flatMap((connection_method) => {
      const facts = connectorFacts({
        type: credentialTypeOf(system_type, connection_method),
        host: "host.example",
        port: usualPort(system_type, connection_method),
        username: "user",
        connection_string: null,
        additional_params: {},
      });
      if (facts === null || !(facts.can_change || facts.can_reconcile)) return [];
      const { can_change, can_reconcile } = facts;
      return [{ system_type, connection_method, can_change, can_reconcile }];
    }),
  );
}

/**
 * Whether the one-time option applies. Older platforms may have it set for systems whose passwords cannot be rotated; it has
 * no effect there.
 */
export function isOneTime(row: ShownRow): boolean {
  return row.one_time_password && canRotate(row);
}

/**
 * Takes a version for this user. INVARIANT: a single insert decides, so exactly one of any number of retrievals on any number of
 * processes gets the version, and the same user does not get it twice. Throws 409 and writes nothing when the version is already
 * taken.
 */
export async function takeOneTime(
  tx: Tx,
  row: ShownRow,
  { version, userId }: { version: number; userId: string },
): Promise<void> {
  if (await noteTake(tx, row.id, { version, userId })) return;
  const taker = await sql<{ user_id: string | null; name: string | null; taken_at: Date }>`
    select taken.user_id, users.name, taken.taken_at from account_one_time_takes taken
    left join users on users.id = taken.user_id
    where taken.account_id = ${row.id} and taken.version = ${version}`.execute(tx);
  throw taken(row, userId, taker.rows[0]);
}

/**
 * Records that a user took this version. Returns false when the version was already taken. A version taken as a candidate is
 * rotated again as soon as it becomes active.
 */
export async function noteTake(
  tx: Tx,
  accountId: string,
  { version, userId }: { version: number; userId: string },
): Promise<boolean> {
  const { rows } = await sql`
    insert into account_one_time_takes (account_id, version, user_id, taken_at)
    values (${accountId}, ${version}, ${userId}, access_time())
    on conflict do nothing returning account_id`.execute(tx);
  return rows.length > 0;
}

/** Only users who manage the secret learn who took the password. */
function taken(
  row: ShownRow,
  userId: string,
  taker: { user_id: string | null; name: string | null; taken_at: Date } | undefined,
): Refusal {
  const mayKnow = allows(row.permissions, "manage_secret") && taker?.name != null;
  const who = taker?.user_id === userId ? "You have" : mayKnow ? `${taker.name} has` : "Someone has";
  const since = taker === undefined ? "" : ` at ${taker.taken_at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return refuse(
    409,
    "account.one-time-taken",
    `${who} already retrieved this one-time password${since}. It is available again after its rotation. If the rotation fails, secret managers are notified and can retry it.`,
    { retryAfter: 30 },
  );
}

/** INVARIANT: a taken password is never moved to a safe or platform whose rules would allow revealing it again. */
export function refuseTaken(row: ShownRow): void {
  if (!row.is_one_time_taken || !isOneTime(row)) return;
  throw refuse(
    409,
    "account.one-time-taken",
    "This one-time password was retrieved and has not been rotated yet. Rotate it or store a new one first.",
  );
}
