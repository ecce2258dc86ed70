// Checks due subscriptions, and notifies their users of new entries.
import { AuditFilter, MOST_AUDIT_COUNTED, auditFilterIn } from "@strongroom/contract";
import type { ViewFilters } from "@strongroom/contract";
import { within } from "#kernel/db/within.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import type { Notice } from "#features/notifications/index.ts";
import { newestSeq } from "../order.store.ts";
import { countRecorded, searchLimits } from "../trail/list-trail.ts";
import type { Counted } from "../trail/trail.store.ts";
import { nextCheck } from "./subscriptions.ts";
import type { SubscriptionContext } from "./subscriptions.ts";
import { endCheck, findDue } from "./subscriptions.store.ts";
import type { DueSubscription } from "./subscriptions.store.ts";

const AT_ONCE = 200;

/**
 * Checks up to 200 due subscriptions, longest due first. Covers exactly the entries that joined the tree since the last
 * successful check, however long the server was down.
 */
export async function checkSubscriptions(context: SubscriptionContext): Promise<void> {
  const { database, clock } = context.kernel;
  const all = await findDue(database.db, clock.now(), AT_ONCE);
  if (all.length === 0) return;
  const last = await newestSeq(database.db);
  for (const due of all) await check(context, due, last);
}

async function check(context: SubscriptionContext, due: DueSubscription, last: number): Promise<void> {
  const { kernel, views, notify } = context;
  const { database, clock } = kernel;
  const view = await views.findView(database.db, due.user_id, due.view_id);
  // The view was deleted just now, and the subscription with it.
  if (view === null) return;
  const isReader = due.role !== null && kernel.authority.allows("audit.read", due.role);
  const result =
    isReader && last > due.seen_seq ? await countNew(context, view.filters, { first: due.seen_seq + 1, last }) : null;
  const problem = typeof result === "string" ? result : null;
  const seen_seq = problem === null ? Math.max(last, due.seen_seq) : due.seen_seq;
  await database.transaction(async (tx) => {
    const isDone = await endCheck(tx, due, { next_at: nextCheck(due.cadence, clock.now()), seen_seq, problem });
    if (!isDone || result === null) return;
    const about = { to: { users: [due.user_id] }, link: linkTo(view.filters), metadata: { view_id: due.view_id } };
    if (typeof result === "string") {
      if (due.problem === null) await notify(tx, { ...about, ...noticeOfProblem(view.name, result) });
    } else if (result.total > 0) await notify(tx, { ...about, ...noticeOf(view.name, result) });
  });
}

/** The number of new entries, or why they could not be counted. */
async function countNew(
  { kernel, people }: SubscriptionContext,
  filters: ViewFilters,
  range: { first: number; last: number },
): Promise<Counted | string> {
  const { clock, log } = kernel;
  const query = { ...AuditFilter.parse(auditFilterIn(filters)), attempts: "grouped" } as const;
  try {
    return await within(searchLimits(kernel), (db) => countRecorded(db, query, { people, now: clock.now(), range }));
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    log.warn({ err: error }, "could not check a subscription to the audit trail; retrying at its next time");
    return "The check failed. The next one includes the missed entries.";
  }
}

type Text = Pick<Notice, "type" | "title" | "message" | "severity" | "actionRequired">;

function noticeOf(name: string, { total, failed }: Counted): Text {
  const many = MOST_AUDIT_COUNTED.toLocaleString("en");
  const count = total > MOST_AUDIT_COUNTED ? `More than ${many}` : total.toLocaleString("en");
  const failures = failed === 0 ? "" : `, ${failed.toLocaleString("en")} failed`;
  return {
    type: "audit_subscription",
    title: `New audit entries in "${name}"`,
    message: `${count} new ${total === 1 ? "entry" : "entries"}${failures}`,
    severity: failed === 0 ? "low" : "medium",
    actionRequired: false,
  };
}

const noticeOfProblem = (name: string, problem: string): Text => ({
  type: "audit_subscription",
  title: `Could not check "${name}"`,
  message: problem,
  severity: "medium",
  actionRequired: true,
});

const linkTo = (filters: ViewFilters): string => `/audit-logs?${new URLSearchParams(filters).toString()}`;
