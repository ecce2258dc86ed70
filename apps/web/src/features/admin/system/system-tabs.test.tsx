import { screen, waitFor, within } from "@testing-library/react";
import type { BackupList, JobRun, SystemFacts } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import AdminPage from "#app/pages/admin-page.tsx";
import type { ConsoleTab } from "#app/pages/admin-page.tsx";

const MOMENT = "2026-11-20T08:00:00.000Z";
const system = {
  version: "1.2.3",
  node: "24.0.0",
  uptime: 3700,
  database: { kind: "embedded", version: "17.2", size_bytes: 42_000_000, connections: 7, max_connections: 100 },
  disk: { free_bytes: 1_300_000_000, total_bytes: 9_000_000_000 },
  is_mail_configured: false,
  audit: { waiting: 2, oldest_at: MOMENT },
  health: {
    status: "degraded",
    summary: "The audit trail is not extended",
    checks: [
      { name: "database", state: "ok", message: null },
      { name: "audit", state: "failing", message: "The audit trail is not extended" },
    ],
  },
  processes: [
    {
      host: "one",
      pid: 7,
      version: "1.2.3",
      node: "24.0.0",
      is_sealed: false,
      started_at: MOMENT,
      seen_at: MOMENT,
      is_this: true,
    },
  ],
} satisfies SystemFacts;

const job = {
  id: "0190c0de-0000-7000-8000-00000000beef" as JobRun["id"],
  queue: "sign-in.reset",
  state: "failed",
  attempts: 3,
  created_at: MOMENT,
  started_at: MOMENT,
  ended_at: MOMENT,
  error: "The mail server said no",
  progress: null,
  may_retry: true,
} satisfies JobRun;

const queue = {
  name: "sign-in.reset",
  waiting: 1,
  scheduled: 2,
  active: 0,
  failed: 4,
  oldest_waiting_at: MOMENT,
  last_completed_at: null,
  last_failed_at: MOMENT,
  schedule: null,
};

const drill = {
  id: "0190c0de-0000-7000-8000-00000000d111",
  backup: "20261120T080000Z",
  made_at: MOMENT,
  started_at: MOMENT,
  ended_at: MOMENT,
  is_good: false,
  findings: [
    { what: "files" as const, is_good: true, says: "1,700 files, all unchanged" },
    { what: "secrets" as const, is_good: false, says: "1 of 9 stored secrets do not open" },
  ],
};
const list = {
  instead: null,
  folder: "/var/lib/strongroom/backups",
  warning: "Backups are stored in the data folder.",
  under_way: null,
  last_error: null,
  last_drill: drill,
  data: [
    {
      name: "20261120T080000Z",
      state: "complete",
      made_at: MOMENT,
      size_bytes: 42_000_000,
      files: 1700,
      version: "1.2.3",
      root_key_id: "0123456789abcdef0123456789abcdef",
      last_drill: drill,
    },
  ],
} satisfies BackupList;

let api: TestApi;
beforeEach(async () => {
  signInForTest({ role: "admin" });
  api = await startApi({
    "GET /api/v1/users": { json: { data: [], next_cursor: null } },
    "GET /api/v1/users/pending-resets": { json: { data: [] } },
    "GET /api/v1/seal": { json: { is_sealed: false, provider: "key-file" } },
    "GET /api/v1/admin/system": { json: system },
    "GET /api/v1/admin/queues": { json: { data: [queue] } },
    "GET /api/v1/admin/jobs": { json: { data: [job], next_cursor: null } },
    "GET /api/v1/admin/backups": { json: list },
  });
});
afterEach(() => api.close());

const open = (tab: ConsoleTab) => renderScreen(<AdminPage />, { at: `/admin?tab=${tab}` });
const region = async (name: string) => within(await screen.findByRole("region", { name }));

describe("the system", () => {
  test("shows its problems, facts and processes", async () => {
    open("system");
    const health = await region("Health");
    expect(health.getAllByText("The audit trail is not extended")).toHaveLength(2);
    const facts = await region("System Information");
    expect(facts.getByText("1.3 GB of 9.0 GB free")).toBeTruthy();
    expect(facts.getByText(/2 pending entries since/)).toBeTruthy();
    expect((await region("Processes")).getByText("This server")).toBeTruthy();
  });

  test("shows a retry button when it fails to load", async () => {
    api.on("GET /api/v1/admin/system", problem(500, "internal", "The database is away."));
    const { user } = open("system");
    await screen.findByText("The database is away.");
    api.on("GET /api/v1/admin/system", { json: system });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    await region("Health");
  });
});

test("shows why a job failed, and retries it", async () => {
  const { user } = open("jobs");
  const jobs = await region("Jobs");
  expect(await jobs.findByText("The mail server said no")).toBeTruthy();
  expect(within((await region("Queues")).getByRole("row", { name: /sign-in.reset/ })).getByText("4")).toBeTruthy();
  api.on("POST /api/v1/admin/jobs/:id/retry", { json: { ...job, state: "waiting", may_retry: false } });
  await user.click(jobs.getByRole("button", { name: "Retry" }));
  expect(await screen.findByText("Job queued for retry")).toBeTruthy();
});

describe("backups", () => {
  test("show the last drill's result and a warning about an unsafe folder", async () => {
    open("backups");
    const shown = await region("Backups");
    expect(shown.getByText("Drill failed")).toBeTruthy();
    expect(shown.getByText("Backups are stored in the data folder.")).toBeTruthy();
    expect(shown.getByText(/42.0 MB · 1,700 files/)).toBeTruthy();
    expect((await region("Last Restore Drill")).getByText(/1 of 9 stored secrets do not open/)).toBeTruthy();
  });

  test("start on demand, show progress and can be stopped", async () => {
    const { user } = open("backups");
    api.on("POST /api/v1/admin/backups", { status: 202, json: { job_id: job.id } });
    const under_way = { id: job.id, kind: "backup" as const, state: "running" as const, done: 5, total: 10 };
    api.on("GET /api/v1/admin/backups", { json: { ...list, under_way } });
    await user.click(await screen.findByRole("button", { name: "Back Up Now" }));
    const bar = await screen.findByRole("progressbar", { name: "Backup in progress" });
    expect(bar.getAttribute("value")).toBe("5");
    api.on("POST /api/v1/admin/backups/cancel", { json: { message: "Cancellation requested." } });
    api.on("GET /api/v1/admin/backups", { json: list });
    await user.click(screen.getByRole("button", { name: "Stop" }));
    await waitFor(() => expect(screen.queryByRole("progressbar")).toBeNull());
  });

  test("are deleted only after confirmation", async () => {
    const { user } = open("backups");
    const route = "DELETE /api/v1/admin/backups/:name";
    api.on(route, { json: { message: "Gone" } });
    await user.click(await screen.findByRole("button", { name: "Delete 20261120T080000Z" }));
    expect(api.requestsTo(route)).toEqual([]);
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Backup deleted")).toBeTruthy();
  });

  test("cannot be made here for an external database server, and the page explains the alternative", async () => {
    api.on("GET /api/v1/admin/backups", { json: { ...list, instead: "Back it up with pg_dump.", data: [] } });
    open("backups");
    expect(await screen.findByText("Back it up with pg_dump.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Back Up Now" })).toBeNull();
  });
});
