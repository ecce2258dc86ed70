// Schedules enhanced scans, and starts the scans that are due for their owners.
import type {
  DiscoveryTargetId,
  EnhancedScanSchedule,
  EnhancedScanScheduleId,
  Message,
  createEnhancedScanSchedule,
  deleteEnhancedScanSchedule,
  listEnhancedScanSchedules,
} from "@strongroom/contract";
import { MOST_COUNTED, MOST_SCAN_SCHEDULES } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import {
  auditTarget,
  lockManaged,
  lockTarget,
  mayNotManage,
  nextScan,
  requireSchedule,
  windowLeft,
} from "#features/discovery/index.ts";
import { findUser } from "#features/users/index.ts";
import { queueScan, requireScannable } from "./queue-scan.ts";
import { scheduleNotFound } from "./scans.ts";
import type { ScansContext } from "./scans.ts";
import { hasOpenScan } from "./scans.store.ts";
import * as store from "./schedules.store.ts";
import type { ScheduleRow, ShownSchedule } from "./schedules.store.ts";

export async function listSchedules(call: Call<typeof listEnhancedScanSchedules>, db: Db) {
  const { limit, offset } = call.query;
  const [rows, total] = await Promise.all([
    store.listSchedules(db, call.actor, limit, offset),
    store.countSchedules(db, call.actor, MOST_COUNTED),
  ]);
  return { data: rows.map(toSchedule), total, limit, offset };
}

export async function createSchedule(
  { kernel }: ScansContext,
  call: Call<typeof createEnhancedScanSchedule>,
  tx: Tx,
): Promise<EnhancedScanSchedule> {
  const target = await lockManaged(tx, call);
  const { schedule, scanConfig, complianceFrameworks } = call.body;
  const at = kernel.clock.now();
  requireSchedule(schedule, at);
  if (scanConfig.autoVaultFindings) {
    const msg = "A scheduled scan stores no secrets, because storing them needs re-authentication";
    throw refuse(422, "scan.schedule-vaults", `${msg}.`, { errors: [{ path: "scanConfig.autoVaultFindings", msg }] });
  }
  await requireScannable(tx, target);
  if ((await store.countOfTarget(tx, target.id)) >= MOST_SCAN_SCHEDULES) {
    const text = `"${target.name}" has ${MOST_SCAN_SCHEDULES} schedules. Delete one before you add another.`;
    throw refuse(409, "scan.too-many-schedules", text);
  }
  const id = newId(at.getTime());
  await store.insertSchedule(tx, {
    id,
    target_id: target.id,
    owner_id: call.actor.id,
    schedule: JSON.stringify(schedule),
    config: JSON.stringify(scanConfig),
    frameworks: [...new Set(complianceFrameworks)],
    next_at: nextScan(schedule, at),
    created_at: at,
  });
  call.note({ details: { schedule: id, cron: schedule.cron, timezone: schedule.timezone } });
  return toSchedule((await store.readSchedule(tx, call.actor, id))!);
}

export async function deleteSchedule(call: Call<typeof deleteEnhancedScanSchedule>, tx: Tx): Promise<Message> {
  const { id } = call.params;
  call.note({ target: { type: "scan-schedule", id } });
  const row = await store.readSchedule(tx, call.actor, id);
  if (row === null) throw scheduleNotFound();
  call.note({ target: auditTarget({ id: row.target_id, name: row.target_name }), details: { schedule: id } });
  if (!row.can_manage) throw mayNotManage();
  await store.deleteSchedule(tx, id);
  return { message: "Schedule deleted successfully" };
}

const AT_ONCE = 50;

/**
 * INVARIANT: one due time starts at most one scan: the row is locked, and its next time moves in the transaction that
 * queues the scan. A time that passed while the server was stopped, outside the window, is skipped.
 */
export async function startDueScans(context: ScansContext): Promise<void> {
  const { database, clock } = context.kernel;
  for (let isMore = true; isMore;) {
    isMore = await database.transaction(async (tx) => {
      const now = clock.now();
      const due = await store.lockDueSchedules(tx, now, AT_ONCE);
      for (const planned of due) await startOne(context, tx, planned, now);
      return due.length === AT_ONCE;
    });
  }
}

async function startOne(context: ScansContext, tx: Tx, planned: ScheduleRow, now: Date): Promise<void> {
  const { id, schedule, target_id: targetId } = planned;
  const target = await lockTarget(tx, targetId);
  if (target === null) return;
  const owner = await findUser(tx, planned.owner_id);
  // INVARIANT: a schedule has no rights of its own.
  if (owner?.status !== "active" || !(await store.mayScan(tx, owner, targetId))) {
    const problem = `${owner?.name ?? "Its owner"} may no longer scan this target, so the schedule has stopped.`;
    await store.updateSchedule(tx, id, { next_at: null, problem });
    const note = {
      target: auditTarget(target),
      result: "failure",
      reason: problem,
      details: { schedule: id },
    } as const;
    return appendAudit(tx, [systemEntry("scan.schedule-stopped", "scans", note, now)]);
  }
  let problem: string | null = null;
  if (windowLeft(schedule, now) === 0) problem = "The last time passed while Strongroom was stopped.";
  else if (await hasOpenScan(tx, targetId)) problem = "The last time was skipped, because another scan was running.";
  else problem = await queueDue(context, tx, planned, { target, owner });
  await store.updateSchedule(tx, id, { next_at: nextScan(schedule, now), problem });
}

/** Returns why the scan cannot start, or null. */
async function queueDue(
  context: ScansContext,
  tx: Tx,
  { id, config, frameworks }: ScheduleRow,
  { target, owner }: Pick<Parameters<typeof queueScan>[2], "target"> & { owner: { id: string; name: string } },
): Promise<string | null> {
  try {
    await requireScannable(tx, target);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  const requester = { id: owner.id, name: `${owner.name} (schedule)` };
  const scan = await queueScan(context, tx, { target, requester, config, frameworks, autoVault: false });
  const note = { target: auditTarget(target), details: { scan, schedule: id, owner: owner.id } };
  await appendAudit(tx, [systemEntry("scan.scheduled", "scans", note, context.kernel.clock.now())]);
  return null;
}

const toSchedule = (row: ShownSchedule): EnhancedScanSchedule => ({
  id: row.id as EnhancedScanScheduleId,
  target_id: row.target_id as DiscoveryTargetId,
  target: { name: row.target_name, hostname: row.hostname, target_type: row.target_type },
  schedule: row.schedule,
  scan_config: row.config,
  compliance_frameworks: row.frameworks,
  owner: row.owner,
  next_at: row.next_at?.toISOString() ?? null,
  problem: row.problem,
  created_at: row.created_at.toISOString(),
  can_manage: row.can_manage,
});
