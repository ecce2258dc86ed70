// The credential manager's own state, over what the caller may see.
import type { AttentionItem, CpmStatus, listAttention, readCpmStatus } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { moment } from "#kernel/moment.ts";
import { readStanding } from "#features/validation/index.ts";
import type { GrantQueries } from "#features/validation/index.ts";
import { SCHEDULE_EVERY } from "#features/verification/index.ts";
import { healthOf } from "./cpm.policy.ts";
import { findAttention, readWork } from "./cpm.store.ts";

/** More than anybody works through; the screen shows five and counts the rest. */
const MOST_ITEMS = 1_000;

export async function readStatus(
  kernel: Kernel,
  call: Call<typeof readCpmStatus>,
  db: Db,
  grants: GrantQueries,
): Promise<CpmStatus> {
  const now = kernel.clock.now();
  const [standing, work] = await Promise.all([readStanding(db, call.actor, grants), readWork(db, call.actor, grants)]);
  return {
    status: healthOf(standing, work.hasAlarm),
    verifiedCredentials: standing.verified,
    totalCredentials: standing.total,
    failedCredentials: standing.failed,
    pendingCredentials: standing.pending + standing.neverTried,
    activeJobs: work.active,
    systemUptime: Math.floor(process.uptime()),
    lastVerificationRun: work.lastRunAt?.toISOString() ?? null,
    nextScheduledRun: work.nextDueAt === null ? null : nextTick(work.nextDueAt, now).toISOString(),
  };
}

/** The schedule looks every few minutes, at full ones. */
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
  const credentials = items.map(({ id, is_account, name, reason, at, is_grave }) => ({
    id,
    is_account,
    name,
    severity: is_grave ? ("high" as const) : ("medium" as const),
    reason: reason ?? "The last verification failed.",
    lastAttempt: moment(at),
  }));
  return { credentials, total };
}
