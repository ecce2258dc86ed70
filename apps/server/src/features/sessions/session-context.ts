// The dependencies of sessions in any process, and the events that each of their changes sends to browsers.
import { PrivilegedSessionId } from "@strongroom/contract";
import type { SessionStatus } from "@strongroom/contract";
import { activeGrants, recordRetrieval } from "#features/access-requests/index.ts";
import type { UseContext } from "#features/accounts/index.ts";
import { membersWho } from "#features/safes/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Audience } from "#kernel/events/audience.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { SessionRow } from "./sessions.store.ts";

/** The server and each gateway have one. */
export type SessionContext = UseContext;

export const sessionContextOf = (kernel: ProcessKernel): SessionContext => ({
  kernel,
  grants: { grantsInForce: activeGrants, noteRetrieval: recordRetrieval },
});

/** The same refusal for a session that does not exist and one that this user may not see. */
export const notFound = (): Refusal => refuse(404, "privileged-session.not-found", "Session not found");

type Named = Pick<SessionRow, "id" | "account_id" | "account_name" | "user_id" | "user_name" | "safe_id" | "safe_name">;

/** The target of audit entries about a session. */
export const targetOf = ({ id, account_name, user_name }: Pick<Named, "id" | "account_name" | "user_name">) => ({
  type: "privileged-session",
  id,
  name: `${user_name} on ${account_name}`,
});

/** The details that every audit entry about a session contains. */
export const detailsOf = (row: Named & Pick<SessionRow, "target" | "grant_id">) => ({
  account_id: row.account_id,
  account: row.account_name,
  user_id: row.user_id,
  user: row.user_name,
  safe: { id: row.safe_id, name: row.safe_name },
  host: row.target,
  ...(row.grant_id === null ? {} : { request: row.grant_id }),
});

/** The session's user, members of its safe who may view the audit trail, and administrators. */
async function audienceOf(db: Db, { user_id, safe_id }: Pick<SessionRow, "user_id" | "safe_id">): Promise<Audience> {
  const auditors = await membersWho(db, safe_id, "view_audit");
  return { users: [...new Set([user_id, ...auditors])], roles: ["admin"] };
}

export async function publishChange(
  { kernel }: SessionContext,
  tx: Tx,
  row: Pick<SessionRow, "id" | "user_id" | "safe_id">,
  status: SessionStatus,
): Promise<void> {
  const data = { session_id: PrivilegedSessionId.parse(row.id), status };
  await kernel.events.publish(tx, { type: "privileged-session.changed", audience: await audienceOf(tx, row), data });
}
