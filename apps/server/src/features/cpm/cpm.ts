// Reads the credential manager's status and attention list, limited to what the caller may see.
import type { AttentionItem, CpmStatus, listAttention, readCpmStatus } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { moment } from "#kernel/moment.ts";
import { readValidationCounts } from "#features/figures/index.ts";
import type { GrantQueries } from "#features/figures/index.ts";
import { SCHEDULE_EVERY } from "#features/verification/index.ts";
import { healthOf } from "./cpm.policy.ts";
import { findAttention, readWorkCounts } from "./cpm.store.ts";

/** The maximum number of items: more than a user can handle. The screen shows five and counts the rest. */
const MOST_ITEMS = 1_000;

export async function readStatus(
  kernel: Kernel,
  call: Call<typeof readCpmStatus>,
  db: Db,
  grants: GrantQueries,
): Promise<CpmStatus> {
  const now = kernel.clock.now();
  const [standing, work] = await Promise.all([
    readValidationCounts(db, call.actor, grants),
    readWorkCounts(db, call.actor, grants),
  ]);
  return {
    status: healthOf(standing, work.hasAlarm),
    verifiedCredentials: standing.verified,
    totalCredentials: standing.total,
    failedCredentials: standing.failed,
    rejectedCredentials: standing.rejected,
    unreachableCredentials: standing.unreachable,
    misconfiguredCredentials: standing.misconfigured,
    pendingCredentials: standing.pending,
    untestedCredentials: standing.untested,
    activeJobs: work.active,
    systemUptime: Math.floor(process.uptime()),
    lastVerificationRun: work.lastRunAt?.toISOString() ?? null,
    nextScheduledRun: work.nextDueAt === null ? null : nextTick(work.nextDueAt, now).toISOString(),
  };
}

/** The next run of the schedule, which starts at multiples of `SCHEDULE_EVERY` minutes. */
function nextTick(dueAt: Date, now: Date): Date {
  const every = SCHEDULE_EVERY * 60_000;
  return new Date(Math.ceil(Math.max(dueAt.getTime(), now.getTime() + 1) / every) * every);
}

export async function readAttention(
  call: Call<typeof listAttention>,
  db: Db,
  grants: GrantQueries,
): Promise<{ credentials: AttentionItem[]; total: number }> {
  const { items, total } = await findAttention(db, call.actor, grants, MOST_ITEMS);
  const credentials = items.map(({ id, is_account, name, status, severity, reason, at }) => ({
    id,
    is_account,
    name,
    status,
    severity: severity === "critical" ? ("high" as const) : severity,
    reason: reason ?? "The last verification failed.",
    lastAttempt: moment(at),
  }));
  return { credentials, total };
}
