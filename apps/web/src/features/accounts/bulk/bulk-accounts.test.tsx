import { screen, waitFor, within } from "@testing-library/react";
import type { Account } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiAnswer, TestApi } from "#app/testing/api-server.ts";
import { signInForTest } from "#app/testing/sign-in.ts";
import { anAccount } from "../testing/an-account.ts";
import { openAccounts as open, startAccountsApi } from "../testing/open-accounts.tsx";

const AT = "2026-11-20T10:00:00.000Z";
let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startAccountsApi();
});
afterEach(() => api.close());

const openAccounts = (...accounts: Account[]) => open(api, ...accounts);

describe("bulk actions on accounts", () => {
  test("lists each failed account with the reason", async () => {
    const [one, two] = [anAccount({ name: "one" }), anAccount({ name: "two" })];
    const { user } = await openAccounts(one, two);
    api.on("POST /api/v1/accounts/bulk", {
      json: {
        done: [one.id],
        failed: [{ id: two.id, code: "safe.permission-missing", message: "You may not disable accounts here." }],
        message: "1 of 2 done",
        run_id: null,
      },
    });
    await user.click(screen.getByRole("button", { name: "More actions" }));
    await user.click(await screen.findByRole("menuitem", { name: "Select Multiple" }));
    const bar = await screen.findByRole("region", { name: "Selected accounts" });
    await user.click(within(bar).getByRole("button", { name: "Select All" }));
    expect(within(bar).getByText("2 accounts selected")).toBeTruthy();
    await user.click(within(bar).getByRole("button", { name: "More" }));
    await user.click(await within(bar).findByRole("menuitem", { name: "Disable" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Disable" }));
    const result = await screen.findByRole("dialog", { name: "Disable: Some Accounts Failed" });
    expect(within(result).getByRole("listitem").textContent).toBe("twoYou may not disable accounts here.");
    expect(api.requestsTo("POST /api/v1/accounts/bulk")[0]?.body).toEqual({
      action: "disable",
      account_ids: [one.id, two.id],
    });
  });
});

describe("closing a bulk dialog before its call is answered", () => {
  test("the answer does not close the next dialog; failures are shown after it closes", async () => {
    const [one, two] = [anAccount({ name: "one" }), anAccount({ name: "two" })];
    const { user } = await openAccounts(one, two);
    const answer = Promise.withResolvers<ApiAnswer>();
    api.on("POST /api/v1/accounts/bulk", () => answer.promise);
    await user.click(screen.getByRole("button", { name: "More actions" }));
    await user.click(await screen.findByRole("menuitem", { name: "Select Multiple" }));
    const bar = within(await screen.findByRole("region", { name: "Selected accounts" }));
    await user.click(bar.getByRole("button", { name: "Select All" }));
    await user.click(bar.getByRole("button", { name: "More" }));
    await user.click(await bar.findByRole("menuitem", { name: "Delete" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(api.requestsTo("POST /api/v1/accounts/bulk")).toHaveLength(1));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await user.click(bar.getByRole("button", { name: "More" }));
    await user.click(await bar.findByRole("menuitem", { name: "Move" }));
    const move = await screen.findByRole("dialog", { name: "Move 2 accounts" });
    const failed = [{ id: two.id, code: "safe.permission-missing", message: "You may not delete accounts here." }];
    answer.resolve({ json: { done: [one.id], failed, message: "1 of 2 done", run_id: null } });
    await screen.findByText("1 of 2 done");
    expect(screen.getAllByRole("dialog")).toEqual([move]);
    await user.click(within(move).getByRole("button", { name: "Cancel" }));
    expect(await screen.findByRole("dialog", { name: "Delete: Some Accounts Failed" })).toBeTruthy();
  });
});

describe("background runs of bulk actions", () => {
  /** Selects all accounts, presses the button of the bar and confirms. */
  async function doToAll(user: Awaited<ReturnType<typeof openAccounts>>["user"], action: string) {
    await user.click(screen.getByRole("button", { name: "More actions" }));
    await user.click(await screen.findByRole("menuitem", { name: "Select Multiple" }));
    const bar = within(await screen.findByRole("region", { name: "Selected accounts" }));
    await user.click(bar.getByRole("button", { name: "Select All" }));
    await user.click(bar.getByRole("button", { name: action }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: action }));
  }
  const runId = "77777777-7777-4777-8777-777777777777";
  const run = { id: runId, status: "running", total: 2, done: 1, failed: 0, started_at: AT, completed_at: null };

  test("shows the progress of a bulk rotation and stops it", async () => {
    const [one, two] = [anAccount({ name: "one" }), anAccount({ name: "two" })];
    const { user } = await openAccounts(one, two);
    const START = "POST /api/v1/rotations/runs";
    const reply = { run_id: runId, queued: 2, failed: [], message: "Rotation of 2 accounts started" };
    api.on(START, { status: 202, json: reply });
    api.on(`GET /api/v1/rotations/runs/${runId}`, { json: { ...run, rotated: 1 } });
    await doToAll(user, "Rotate");
    expect(await screen.findByText("Rotation of 2 accounts started")).toBeTruthy();
    expect(api.requestsTo(START)[0]?.body).toEqual({ account_ids: [one.id, two.id] });
    const card = within(await screen.findByRole("region", { name: "Rotation under way" }));
    expect(card.getByRole("status").textContent).toContain("1 of 2 done · 1 rotated · 0 failed");
    expect(card.getByRole("progressbar", { name: "Rotation progress" })).toBeTruthy();
    api.on(`POST /api/v1/rotations/runs/${runId}/cancel`, {
      json: { ...run, status: "cancelled", rotated: 1, failed: 1, done: 2 },
    });
    await user.click(card.getByRole("button", { name: "Stop" }));
    const ended = within(await screen.findByRole("region", { name: "Rotation stopped" }));
    await user.click(ended.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("region", { name: "Rotation stopped" })).toBeNull();
  });

  test("shows an unfinished rotation run after a reload and keeps it until it is dismissed", async () => {
    const left = { ...run, rotated: 1 };
    api.on("GET /api/v1/rotations/runs", { json: { runs: [left] } });
    api.on(`GET /api/v1/rotations/runs/${runId}`, { json: left });
    const first = await openAccounts(anAccount());
    expect(await screen.findByRole("region", { name: "Rotation under way" })).toBeTruthy();
    first.unmount();
    const { user } = await openAccounts(anAccount());
    const card = within(await screen.findByRole("region", { name: "Rotation under way" }));
    api.on("GET /api/v1/rotations/runs", { json: { runs: [] } });
    api.on(`POST /api/v1/rotations/runs/${runId}/cancel`, { json: { ...left, status: "cancelled" } });
    await user.click(card.getByRole("button", { name: "Stop" }));
    const ended = within(await screen.findByRole("region", { name: "Rotation stopped" }));
    await user.click(ended.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("region", { name: "Rotation stopped" })).toBeNull();
  });

  test("shows the progress of a bulk validation", async () => {
    const account = anAccount();
    const { user } = await openAccounts(account);
    const reply = { done: [account.id], failed: [], message: "Validation of 1 account started", run_id: runId };
    api.on("POST /api/v1/accounts/bulk", { json: reply });
    api.on(`GET /api/v1/verification/runs/${runId}`, {
      json: { ...run, status: "completed", total: 1, done: 1, verified: 1 },
    });
    await doToAll(user, "Validate");
    const card = await screen.findByRole("region", { name: "Verification completed" });
    expect(within(card).getByRole("status").textContent).toContain("1 of 1 done · 1 verified · 0 failed");
  });
});

describe("importing accounts", () => {
  test("a dry run lists the invalid lines before the valid ones are imported", async () => {
    const { user } = await openAccounts(anAccount());
    const IMPORT = "POST /api/v1/accounts/import";
    api.on(IMPORT, ({ body }) => {
      const isDry = (body as { dry_run: boolean }).dry_run;
      const bad = [{ line: 3, field: "hostname", message: "Hostname/IP is required" }];
      return { json: { imported: isDry ? 0 : 1, good: 1, bad, message: isDry ? "Checked" : "1 account imported" } };
    });
    await user.click(screen.getByRole("button", { name: "More actions" }));
    await user.click(await screen.findByRole("menuitem", { name: "Import from CSV" }));
    const dialog = await screen.findByRole("dialog", { name: "Import Accounts from CSV" });
    const field = dialog.querySelector<HTMLInputElement>('input[type="file"]');
    if (field === null) throw new Error("no file field");
    await user.upload(field, new File(["name,hostname\na,b\nc,\n"], "accounts.csv", { type: "text/csv" }));
    const table = await within(dialog).findByRole("table");
    expect(within(table).getAllByRole("row")[1]?.textContent).toBe("3hostnameHostname/IP is required");
    await user.click(within(dialog).getByRole("button", { name: "Skip Invalid Lines and Import 1 account" }));
    expect(await screen.findByText("1 account imported")).toBeTruthy();
    expect(api.requestsTo(IMPORT).map(({ body }) => body)).toMatchObject([
      { dry_run: true, skip_bad_lines: false },
      { dry_run: false, skip_bad_lines: true },
    ]);
  });
});
