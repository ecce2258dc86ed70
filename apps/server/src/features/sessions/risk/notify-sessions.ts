// Notifies auditors of high-risk sessions and released legal holds, and users of sessions that were terminated.
import { notifyOf } from "#features/notifications/index.ts";
import { membersWho } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import type { SessionRow } from "../sessions.store.ts";

type Subject = Pick<SessionRow, "id" | "user_id" | "user_name" | "account_id" | "account_name" | "safe_id" | "target">;

const metadataOf = ({ id, account_id }: Subject) => ({ session_id: id, account_id });
const LINK = "/sessions?status=active";

/** Members who may view the safe's audit trail, and administrators; not the session's own user. */
export async function notifyHighRisk(
  kernel: ProcessKernel,
  tx: Tx,
  row: Subject,
  reasons: readonly string[],
): Promise<void> {
  const auditors = await membersWho(tx, row.safe_id, "view_audit");
  await notifyOf(kernel)(tx, {
    to: { users: auditors.filter((id) => id !== row.user_id), roles: ["admin"] },
    type: "session_alert",
    title: "High-risk session",
    message: `${row.user_name} works on ${row.account_name} (${row.target}). ${reasons.join(". ")}.`,
    severity: "high",
    actionRequired: false,
    metadata: metadataOf(row),
    link: LINK,
    dedupeKey: `session-risk:${row.id}`,
  });
}

/** The session's user, unless they ended it themselves. The reason is free text and stays out. */
export async function notifyTerminated(
  kernel: ProcessKernel,
  tx: Tx,
  row: Subject,
  by: { id: string; name: string },
): Promise<void> {
  if (by.id === row.user_id) return;
  await notifyOf(kernel)(tx, {
    to: { users: [row.user_id] },
    type: "session_alert",
    title: "Session terminated",
    message: `${by.name} terminated your session on ${row.account_name}. Session Monitoring shows the reason.`,
    severity: "medium",
    actionRequired: false,
    metadata: metadataOf(row),
    link: "/sessions",
  });
}

/** Members who may view the safe's audit trail, and administrators. The reason is free text and stays out. */
export async function notifyReleased(
  kernel: ProcessKernel,
  tx: Tx,
  row: Subject,
  by: { id: string; name: string },
): Promise<void> {
  const auditors = await membersWho(tx, row.safe_id, "view_audit");
  await notifyOf(kernel)(tx, {
    to: { users: auditors.filter((id) => id !== by.id), roles: ["admin"] },
    type: "session_alert",
    title: "Legal hold released",
    message: `${by.name} released the legal hold on the recording of ${row.user_name} on ${row.account_name}. It can be deleted in 7 days.`,
    severity: "high",
    actionRequired: false,
    metadata: metadataOf(row),
    link: `/sessions?search=${row.id}`,
  });
}
