// Kills the server at each write of a report: the next process completes it, or it was never requested. No half of it can be
// downloaded, and a schedule delivers it once.
import {
  createReportSchedule,
  downloadReport,
  generateReport,
  listNotifications,
  listReports,
} from "@strongroom/contract";
import type { Report } from "@strongroom/contract";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { until } from "./testing/becomes.ts";
import { queueJob, runSql } from "./testing/database.ts";
import { killAtWrite } from "./testing/kill-at-write.ts";
import type { Write } from "./testing/kill-at-write.ts";
import { ask, firstAdmin, send, tokenOf } from "./testing/people.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

const WRITES: readonly Write[] = [
  { name: "the start of the report", on: "update on reports", when: "new.status = 'running' and new.progress = 0" },
  { name: "the collected data", on: "update on reports", when: "new.progress = 20" },
  { name: "the rendered PDF", on: "update on reports", when: "new.progress = 80" },
  { name: "the spreadsheet of the report", on: "insert on report_files", when: "new.format = 'xlsx'" },
  { name: "the end of the report", on: "update on reports", when: "new.status = 'completed'" },
];

const OF_SCHEDULES: readonly Write[] = [
  { name: "the next time of the schedule", on: "update on report_schedules", when: "new.next_at > now()" },
  { name: "the scheduled report", on: "insert on reports", when: "new.schedule_id is not null" },
  { name: "the notification", on: "insert on notifications", when: "new.type = 'report_ready'" },
];

const FORMATS = ["pdf", "xlsx", "json"] as const;

describe("a report whose server is killed", { timeout: 1_200_000 }, () => {
  let server: RunningServer;
  let token: string;
  before(async () => {
    server = await startServer();
    token = await tokenOf(server, await firstAdmin(server));
  });
  after(() => server?.close());

  const reports = async (): Promise<Report[]> => (await ask(server.url, listReports, {}, token)).data;
  const download = ({ id }: Report, format: (typeof FORMATS)[number]) =>
    send(server.url, downloadReport, { params: { id }, query: { format } }, token);
  const isOpen = ({ status }: Report) => status === "pending" || status === "running";

  async function checkFiles(report: Report): Promise<void> {
    assert.equal(report.status, "completed", report.error_message ?? "");
    assert.deepEqual(report.files.map(({ format }) => format).toSorted(), FORMATS.toSorted());
    for (const { format, bytes, sha256 } of report.files) {
      const content = Buffer.from(await (await download(report, format)).arrayBuffer());
      assert.deepEqual([content.length, createHash("sha256").update(content).digest("hex")], [bytes, sha256]);
    }
    const entries = "select from audit_entries where event = 'report.generated' and target_id = $1";
    assert.equal(await runSql(server, entries, [report.id]), 1);
  }

  for (const write of WRITES) {
    test(`at ${write.name} is completed by another process, and nothing is downloaded before`, async () => {
      const killed = await killAtWrite(server, write, () => ask(server.url, generateReport, { body: {} }, token));
      server = killed.server;
      const { id } = killed.result!;
      const report = await until("the report to end", async () => {
        const found = (await reports()).find((each) => each.id === id)!;
        if (!isOpen(found)) return found;
        const statuses = await Promise.all(FORMATS.map(async (format) => (await download(found, format)).status));
        const now = (await reports()).find((each) => each.id === id)!;
        if (isOpen(now)) assert.deepEqual(statuses, [409, 409, 409]);
        return null;
      });
      await checkFiles(report);
    });
  }

  for (const write of OF_SCHEDULES) {
    test(`at ${write.name} is delivered once`, async () => {
      const earlier = new Set((await reports()).map(({ id }) => id));
      const { id } = await ask(server.url, createReportSchedule, { body: { cadence: "weekly" } }, token);
      const killed = await killAtWrite(server, write, async () => {
        await runSql(server, "update report_schedules set next_at = now() - interval '1 day' where id = $1", [id]);
        await queueJob(server, "report.tidy");
      });
      server = killed.server;
      const delivered = await until("the report to be delivered", async () => {
        const { notifications } = await ask(server.url, listNotifications, {}, token);
        const made = (await reports()).filter((report) => !earlier.has(report.id));
        const told = notifications.filter(({ type }) => type === "report_ready");
        return told.some(({ metadata }) => metadata?.["report_id"] === made[0]?.id) ? { made, told } : null;
      });
      assert.equal(delivered.made.length, 1);
      assert.equal(
        delivered.told.filter(({ metadata }) => metadata?.["report_id"] === delivered.made[0]!.id).length,
        1,
      );
      assert.equal(delivered.made[0]!.schedule_id, id);
      await checkFiles(delivered.made[0]!);
    });
  }
});
