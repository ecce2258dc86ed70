// Notifies auditors of high-risk sessions and released legal holds, users of sessions that were terminated, and watchers
// of accounts.
import { notifyOf } from "#features/notifications/index.ts";
import { membersWho } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import type { SessionRow } from "../sessions.store.ts";
import { watchersOf } from "../watched/watched-accounts.ts";

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

/** The watchers of the account. While a notification of the same user and account is unread, a new one replaces it. */
export async function notifyStarted(kernel: ProcessKernel, tx: Tx, row: Subject): Promise<void> {
  await notifyOf(kernel)(tx, {
    to: { users: await watchersOf(tx, row) },
    type: "session_alert",
    title: "Session started",
    message: `${row.user_name} works on ${row.account_name} (${row.target}), which you watch.`,
    severity: "medium",
    actionRequired: false,
    metadata: metadataOf(row),
    link: LINK,
    dedupeKey: `session-started:${row.account_id}:${row.user_id}`,
  });
}

interface Terminator {
  id: string;
  name: string;
}

/** The session's user and the watchers of the account, except the one who ended it. The reason is free text and stays out. */
export async function notifyTerminated(kernel: ProcessKernel, tx: Tx, row: Subject, by: Terminator): Promise<void> {
  const notice = {
    type: "session_alert",
    title: "Session terminated",
    severity: "medium",
    actionRequired: false,
    metadata: metadataOf(row),
  } as const;
  const more = "Session Monitoring shows the reason.";
  const isOwn = by.id === row.user_id;
  const whose = isOwn ? "their own session" : `the session of ${row.user_name}`;
  const watchers = (await watchersOf(tx, row)).filter((id) => id !== by.id);
  await notifyOf(kernel)(
    tx,
    {
      ...notice,
      to: { users: isOwn ? [] : [row.user_id] },
      message: `${by.name} terminated your session on ${row.account_name}. ${more}`,
      link: "/sessions",
    },
    {
      ...notice,
      to: { users: watchers },
      message: `${by.name} terminated ${whose} on ${row.account_name}, which you watch. ${more}`,
      link: `/sessions?search=${row.id}`,
    },
  );
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
