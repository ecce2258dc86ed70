// Tests of the Discovered Accounts tab: filters, decisions, onboarding and details.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { DiscoveryPage } from "../discovery-page.tsx";
import {
  ACCOUNTS,
  ACCOUNT_ID,
  AT,
  FIGURES,
  PREVIEW,
  SAFE_ID,
  SCANS,
  SCAN_ID,
  STATISTICS,
  TARGETS,
  aPlan,
  anAccount,
  page,
} from "../testing/discovery-data.ts";

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    [TARGETS]: page(),
    [SCANS]: page(),
    [ACCOUNTS]: page(),
    [STATISTICS]: { json: FIGURES },
    [PREVIEW]: { json: { data: [aPlan] } },
    "GET /api/v1/platforms": { json: { platforms: [] } },
  });
});
afterEach(() => api.close());

const show = (tab: string) =>
  renderScreen(<DiscoveryPage Validation={() => <p>Validation of secrets</p>} />, { at: `/discovery?tab=${tab}` });

describe("discovered accounts", () => {
  test("DISC-33: the first load asks for pending accounts; filters are sent to the server", async () => {
    api.on(ACCOUNTS, page(anAccount));
    const { user } = show("accounts");
    await screen.findByRole("list", { name: "Discovered accounts" });
    expect(api.requestsTo(ACCOUNTS)[0]!.query.get("status")).toBe("pending_approval");
    await user.click(screen.getByRole("combobox", { name: "Privilege" }));
    await user.click(await screen.findByRole("option", { name: "Privileged accounts" }));
    await waitFor(() => expect(api.requestsTo(ACCOUNTS).at(-1)!.query.get("privileged")).toBe("true"));
  });

  test("shows more than 20 accounts as a table with selectable pending rows, and decides the selected ones", async () => {
    const pending = { ...anAccount, id: SAFE_ID, account_name: "deploy" };
    const approved = { ...anAccount, status: "active", decided_by: "Ada", decided_at: AT };
    const { json } = page(approved, pending);
    api.on(ACCOUNTS, { json: { ...json, total: 1000, is_total_capped: true } });
    const { user } = show("accounts");
    const table = within(await screen.findByRole("table", { name: "Discovered accounts" }));
    expect(screen.getByText("2 of more than 1,000 accounts")).toBeTruthy();
    expect(table.getAllByRole("cell", { name: "Root" })).toHaveLength(2);
    expect(table.queryByRole("checkbox", { name: "Select root on web-01.internal" })).toBeNull();
    await user.click(table.getByRole("checkbox", { name: "Select all rows" }));
    expect(screen.getByText("1 account selected")).toBeTruthy();
    await user.click(screen.getByRole("combobox", { name: "Privilege" }));
    await user.click(await screen.findByRole("option", { name: "Sudo, all commands" }));
    await waitFor(() => expect(api.requestsTo(ACCOUNTS).at(-1)!.query.get("privilege")).toBe("sudo-all"));
  });

  test("DISC-34: only pending accounts can be decided", async () => {
    api.on(ACCOUNTS, page({ ...anAccount, status: "active", decided_by: "Ada", decided_at: AT }));
    show("accounts");
    const row = within(await screen.findByRole("list", { name: "Discovered accounts" }));
    expect(row.getAllByRole("button").map(({ textContent }) => textContent)).toEqual(["Details"]);
    expect(row.queryByRole("checkbox")).toBeNull();
  });

  test("DISC-45: accounts that could not be approved are reported with the reason", async () => {
    api.on(ACCOUNTS, page(anAccount));
    const failed = [{ id: ACCOUNT_ID, code: "discovery.already-decided", message: '"root" is already rejected.' }];
    api.on("POST /api/v1/discovery/accounts/approve", {
      json: { decided: 0, failed, message: "Approved 0 accounts successfully", run_id: null },
    });
    const { user } = show("accounts");
    await user.click(await screen.findByRole("button", { name: "Approve root on web-01.internal" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Approve" }));
    expect(await screen.findByText('"root" is already rejected.')).toBeTruthy();
    expect(screen.queryByText("Approved 0 accounts successfully")).toBeNull();
    expect(api.requestsTo("POST /api/v1/discovery/accounts/approve")[0]!.body).toEqual({
      accountIds: [ACCOUNT_ID],
      onboardingSettings: { rotationPolicy: "30days", monitoring: true, autoRotate: false },
    });
  });

  test("the approval shows what would happen to each account, and plans again when a setting changes", async () => {
    api.on(ACCOUNTS, page(anAccount));
    const { user } = show("accounts");
    await user.click(await screen.findByRole("button", { name: "Approve root on web-01.internal" }));
    const preview = within(await screen.findByRole("region", { name: "Preview" }));
    expect(await preview.findByText("Password needed")).toBeTruthy();
    expect(preview.getByText("Safe: Web servers · Platform: Linux · Rule: Servers")).toBeTruthy();
    expect(preview.getByText("The account's platform has no reconcile account.")).toBeTruthy();
    expect(preview.getByText(/Cron job \/etc\/cron\.d\/backup/)).toBeTruthy();
    api.on(PREVIEW, { json: { data: [{ ...aPlan, outcome: "rotate" }] } });
    await user.click(screen.getByRole("switch", { name: /^Rotate automatically/ }));
    expect(await preview.findByText("New password")).toBeTruthy();
    expect(api.requestsTo(PREVIEW).at(-1)!.body).toMatchObject({ onboardingSettings: { autoRotate: true } });
  });

  test("DISC-38, DISC-39: the approval sends the default settings for all selected accounts", async () => {
    const other = { ...anAccount, id: SCAN_ID, account_name: "deploy" };
    api.on(ACCOUNTS, page(anAccount, other));
    const approved = { decided: 2, failed: [], message: "Approved 2 accounts successfully", run_id: null };
    api.on("POST /api/v1/discovery/accounts/approve", { json: approved });
    const { user } = show("accounts");
    await user.click(await screen.findByRole("checkbox", { name: "Select all loaded" }));
    await user.click(
      within(screen.getByRole("region", { name: "Selected accounts" })).getByRole("button", { name: "Approve" }),
    );
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Approve" }));
    expect(await screen.findByText("Approved 2 accounts successfully")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/discovery/accounts/approve")[0]!.body).toEqual({
      accountIds: [ACCOUNT_ID, SCAN_ID],
      onboardingSettings: { rotationPolicy: "30days", monitoring: true, autoRotate: false },
    });
  });

  test("an onboarded account shows its state, what to do next, and a link to the account in its safe", async () => {
    const onboarding = { id: SCAN_ID, state: "waiting", message: "No password is known yet. Store the password." };
    api.on(ACCOUNTS, page({ ...anAccount, status: "active", onboarding, account_id: SAFE_ID, is_managed: true }));
    show("accounts");
    expect(await screen.findByText("Password needed")).toBeTruthy();
    expect(screen.getByText("No password is known yet. Store the password.")).toBeTruthy();
    const link = screen.getByRole("link", { name: "Open the Account in Its Safe" });
    expect(link.getAttribute("href")).toBe(`/accounts/${SAFE_ID}`);
  });

  test("a rejected account that returned says that it needs a new decision", async () => {
    api.on(ACCOUNTS, page({ ...anAccount, rejection_reason: "Not ours", decided_by: "Ada", decided_at: AT }));
    show("accounts");
    expect(await screen.findByText("Needs a new decision. Rejected before by Ada: Not ours")).toBeTruthy();
  });

  test("DISC-46: a refused rejection keeps the dialog and shows the reason", async () => {
    api.on(ACCOUNTS, page(anAccount));
    api.on("POST /api/v1/discovery/accounts/reject", problem(503, "database.away", "The database is away."));
    const { user } = show("accounts");
    await user.click(await screen.findByRole("button", { name: "Reject root on web-01.internal" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.type(dialog.getByRole("textbox", { name: "Reason" }), "Not ours");
    await user.click(dialog.getByRole("button", { name: "Reject" }));
    expect(await dialog.findByText("Failed to reject accounts", undefined, { timeout: 20_000 })).toBeTruthy();
  });

  test("Account Details shows the facts and changes that the system reported", async () => {
    api.on(ACCOUNTS, page(anAccount));
    const { user } = show("accounts");
    await user.click(await screen.findByRole("button", { name: "Details of root on web-01.internal" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Account Details" }));
    for (const text of ["root, adm", "/bin/sh → /bin/zsh", "None yet"]) expect(dialog.getByText(text)).toBeTruthy();
  });
});
