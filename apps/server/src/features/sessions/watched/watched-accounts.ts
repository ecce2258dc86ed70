// Watched accounts: reads and changes the setting of a user, and finds the users to notify of a session.
import type { Message, readAccountWatch, watchAccount } from "@strongroom/contract";
import { sql } from "kysely";
import { readShownAccount, requireAccountPermission } from "#features/accounts/index.ts";
import { membersWho } from "#features/safes/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { SessionContext } from "../session-context.ts";
import type { SessionRow } from "../sessions.store.ts";

interface WatchedAccountTable {
  account_id: string;
  user_id: string;
  watched_since: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    watched_accounts: WatchedAccountTable;
  }
}

const MOST_WATCHED = 500;

export async function readWatch({ grants }: SessionContext, call: Call<typeof readAccountWatch>, db: Db) {
  const account = await readShownAccount(db, call.actor, call.params.id, grants.grantsInForce);
  requireAccountPermission(account, "view_audit");
  const watched = db.selectFrom("watched_accounts").select("account_id").where("account_id", "=", account.id);
  return { is_watched: (await watched.where("user_id", "=", call.actor.id).executeTakeFirst()) !== undefined };
}

export async function changeWatch(
  { grants }: SessionContext,
  call: Call<typeof watchAccount>,
  tx: Tx,
): Promise<Message> {
  const { actor, params, body } = call;
  call.note({ target: { type: "account", id: params.id } });
  const account = await readShownAccount(tx, actor, params.id, grants.grantsInForce);
  call.note({ target: { type: "account", id: account.id, name: account.name }, details: body });
  requireAccountPermission(account, "view_audit");
  if (body.is_watched) {
    await requireRoom(tx, actor.id);
    await sql`
      insert into watched_accounts (account_id, user_id) values (${account.id}, ${actor.id})
      on conflict do nothing`.execute(tx);
    return { message: `You are notified of sessions on "${account.name}"` };
  }
  await sql`delete from watched_accounts where account_id = ${account.id} and user_id = ${actor.id}`.execute(tx);
  return { message: `You are no longer notified of sessions on "${account.name}"` };
}

async function requireRoom(tx: Tx, userId: string): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from watched_accounts where user_id = ${userId}`.execute(tx);
  if (rows[0]!.count < MOST_WATCHED) return;
  throw refuse(409, "watched-account.too-many", `You watch ${MOST_WATCHED} accounts. Stop watching one first.`);
}

/**
 * INVARIANT: a watcher is notified only of sessions that they may see now: as a member who may view the audit trail of
 * the session's safe, or as an administrator. The user of the session is left out.
 */
export async function watchersOf(
  tx: Tx,
  { account_id, safe_id, user_id }: Pick<SessionRow, "account_id" | "safe_id" | "user_id">,
): Promise<string[]> {
  const auditors = await membersWho(tx, safe_id, "view_audit");
  const { rows } = await sql<{ id: string }>`
    select users.id from watched_accounts join users on users.id = watched_accounts.user_id
    where watched_accounts.account_id = ${account_id} and users.id <> ${user_id} and users.status = 'active'
      and (users.role = 'admin' or users.id = any(${auditors}::uuid[]))`.execute(tx);
  return rows.map(({ id }) => id);
}
