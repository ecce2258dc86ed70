// The credential manager's own state, over what the caller may see.
import type { AttentionItem, CpmStatus, listAttention, readCpmStatus } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { SCHEDULE_EVERY, hasAlarm, listFailing, readStanding, readWork } from "#features/verification/index.ts";
import { healthOf } from "./cpm.policy.ts";

/** More than anybody works through; the screen shows five and counts the rest. */
const MOST_ITEMS = 1_000;

export async function readStatus(kernel: Kernel, call: Call<typeof readCpmStatus>, db: Db): Promise<CpmStatus> {
  const now = kernel.clock.now();
  const [standing, work, isAlarmed] = await Promise.all([
    readStanding(db, call.actor, now),
    readWork(db, call.actor),
    hasAlarm(db, call.actor),
  ]);
  return {
    status: healthOf(standing, isAlarmed),
    verifiedCredentials: standing.verified,
    totalCredentials: standing.total,
    failedCredentials: standing.failed,
    pendingCredentials: standing.pending,
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
): Promise<{ credentials: AttentionItem[]; total: number }> {
  const failing = await listFailing(db, call.actor, MOST_ITEMS);
  return {
    credentials: failing.map(({ id, name, message, attemptedAt, isAlarm, isRejected }) => ({
      id,
      is_account: false,
      name,
      severity: isAlarm || isRejected ? "high" : "medium",
      reason: message ?? "The last verification failed.",
      lastAttempt: attemptedAt?.toISOString() ?? null,
    })),
    total: failing.length,
  };
}
