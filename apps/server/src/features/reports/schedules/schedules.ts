// Schedules of reports: each due schedule queues a report for its user.
import type {
  ReportSchedule,
  ReportScheduleId,
  createReportSchedule,
  deleteReportSchedule,
} from "@strongroom/contract";
import { MOST_REPORT_SCHEDULES } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { nextAfter } from "../reports.policy.ts";
import { findActiveOwner, findSchedules, insertSchedule } from "../reports.store.ts";
import { lockDueSchedules, lockScheduleOwner, postpone, removeSchedule } from "../reports.store.ts";
import type { ScheduleRow } from "../reports.store.ts";
import { queueReport } from "../reports.ts";
import type { ReportContext } from "../reports.ts";

export async function listSchedules(call: { actor: Actor }, db: Db): Promise<{ data: ReportSchedule[] }> {
  return { data: (await findSchedules(db, call.actor.id)).map(toSchedule) };
}

export async function createSchedule(
  { kernel }: ReportContext,
  call: Call<typeof createReportSchedule>,
  tx: Tx,
): Promise<ReportSchedule> {
  const { cadence, reportType, targetIds, timeframe, includeRemediation } = call.body;
  await lockScheduleOwner(tx, call.actor.id);
  if ((await findSchedules(tx, call.actor.id)).length >= MOST_REPORT_SCHEDULES) {
    const text = `You have ${MOST_REPORT_SCHEDULES} report schedules. Delete one before you add another.`;
    throw refuse(409, "report.too-many-schedules", text);
  }
  const at = kernel.clock.now();
  const row: ScheduleRow = {
    id: newId() as ReportScheduleId,
    user_id: call.actor.id,
    cadence,
    report_type: reportType,
    target_ids: targetIds,
    timeframe,
    include_remediation: includeRemediation,
    next_at: nextAfter(cadence, at),
    created_at: at,
  };
  await insertSchedule(tx, row);
  call.note({ target: { type: "report-schedule", id: row.id }, details: { cadence, targets: targetIds.length } });
  return toSchedule(row);
}

export async function deleteSchedule(call: Call<typeof deleteReportSchedule>, tx: Tx) {
  const { id } = call.params;
  call.note({ target: { type: "report-schedule", id } });
  if (!(await removeSchedule(tx, call.actor.id, id))) {
    throw refuse(404, "report.schedule-not-found", "Report schedule not found");
  }
  return { message: "Report schedule deleted" };
}

const AT_ONCE = 50;

/** Queues a report for each due schedule. A missed time is made up once, however long the server was down. */
export async function queueDueReports(context: ReportContext): Promise<void> {
  const { database, clock } = context.kernel;
  for (let isMore = true; isMore;) {
    isMore = await database.transaction(async (tx) => {
      const now = clock.now();
      const due = await lockDueSchedules(tx, now, AT_ONCE);
      for (const schedule of due) {
        const { id, user_id, report_type, target_ids, timeframe, include_remediation } = schedule;
        await postpone(tx, id, nextAfter(schedule.cadence, now));
        if ((await findActiveOwner(tx, user_id)) === undefined) continue;
        const content = { report_type, target_ids, timeframe, include_remediation, schedule_id: id };
        await queueReport(context, tx, user_id, content);
      }
      return due.length === AT_ONCE;
    });
  }
}

const toSchedule = (row: ScheduleRow): ReportSchedule => ({
  id: row.id,
  cadence: row.cadence,
  report_type: row.report_type,
  target_ids: row.target_ids,
  timeframe: row.timeframe,
  include_remediation: row.include_remediation,
  next_at: row.next_at.toISOString(),
  created_at: row.created_at.toISOString(),
});
