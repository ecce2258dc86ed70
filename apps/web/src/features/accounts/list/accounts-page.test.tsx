import { randomUUID } from "node:crypto";
import { screen, waitFor, within } from "@testing-library/react";
import { FIGURES as DEFINITIONS, type Account, type LiveEvent } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, type TestApi } from "#app/testing/api-server.ts";
import { signInForTest } from "#app/testing/sign-in.ts";
import { aPlatform, aValidation, anAccount } from "../testing/an-account.ts";
import {
  FIGURES,
  LIST,
  STATISTICS,
  openAccounts as open,
  page,
  show,
  startAccountsApi,
} from "../testing/open-accounts.tsx";

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startAccountsApi();
});
afterEach(() => api.close());

const openAccounts = (...accounts: Account[]) => open(api, ...accounts);
const cards = () => within(screen.getByRole("list", { name: "Accounts" })).getAllByRole("article");
const card = (name = "root on web1") => screen.getByRole("article", { name });
const act = (action: string, name?: string) => within(card(name)).getByRole("button", { name: action });

/** A fake clipboard that records the copied texts. */
function clipboard(): string[] {
  const written: string[] = [];
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation(async (text) => void written.push(text));
  return written;
}

describe("the accounts page", () => {
  test("ACC-01, ACC-03, ACC-04, ACC-05, ACC-07: shows heading, buttons, figures and search", async () => {
    await openAccounts(anAccount());
    expect(screen.getByRole("heading", { level: 1, name: "Account Management" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Refresh" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Add Account" })).toBeTruthy();
    expect(screen.getByPlaceholderText("Search accounts...")).toBeTruthy();
    for (const [label, value] of [
      ["Total Accounts", "3"],
      ["Active Accounts", "2"],
      ["Rotation Required", "1"],
      ["Valid Credentials", "1"],
    ] as const) {
      expect(within(await screen.findByRole("article", { name: label })).getByText(value)).toBeTruthy();
    }
    expect(screen.getByText("1 invalid")).toBeTruthy();
  });

  test("each figure shows its definition on hover", async () => {
    const { user } = await openAccounts(anAccount());
    const labels = ["Total Accounts", "Active Accounts", "Rotation Required", "Valid Credentials"];
    const { accounts, activeAccounts, rotationRequired, validAccounts } = DEFINITIONS;
    for (const [index, definition] of [accounts, activeAccounts, rotationRequired, validAccounts].entries()) {
      await user.hover(await screen.findByRole("button", { name: `How ${labels[index]} is calculated` }));
      expect(await screen.findByText(definition)).toBeTruthy();
    }
  });

  test.each([
    [FIGURES.total, "All validated"],
    [FIGURES.total - 1, "0 invalid"],
  ])("ACC-05: with no invalid account and %i valid ones, shows %s", async (validation_valid, line) => {
    api.on("GET /api/v1/accounts/statistics", { json: { ...FIGURES, validation_valid, validation_invalid: 0 } });
    await openAccounts(anAccount());
    expect(await screen.findByText(line)).toBeTruthy();
  });

  test("ACC-06, OPEN-80: the tabs show counts, query the server and are kept in the address", async () => {
    const { user, router } = await openAccounts(anAccount());
    const tabs = await screen.findAllByRole("tab");
    await waitFor(() =>
      expect(tabs.map((tab) => tab.textContent)).toEqual(["All Accounts3", "Rotation Due1", "Active2"]),
    );
    await user.click(screen.getByRole("tab", { name: /Rotation Due/ }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("status")).toBe("rotation_due"));
    expect(router.state.location.search).toBe("?tab=rotation-due");
    await user.click(screen.getByRole("tab", { name: /Active/ }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("status")).toBe("active"));
  });

  test("ACC-09: shows a loading state", async () => {
    let release = () => {};
    api.on(LIST, () => new Promise((resolve) => (release = () => resolve(page([])))));
    show();
    expect(await screen.findByText("Loading accounts...")).toBeTruthy();
    await waitFor(() => expect(api.requestsTo(LIST)).toHaveLength(1));
    release();
    expect(await screen.findByText("No accounts found")).toBeTruthy();
  });

  test("ACC-10 to ACC-12: distinguishes no accounts from no matches", async () => {
    api.on(LIST, page([]));
    const { router } = show();
    expect(await screen.findByText("Get started by adding your first account.")).toBeTruthy();
    expect(screen.getByText("No accounts found")).toBeTruthy();
    await router.navigate("/accounts?search=nothing");
    expect(await screen.findByText("No accounts match your search criteria.")).toBeTruthy();
    expect(screen.queryByText("Get started by adding your first account.")).toBeNull();
  });

  test("ACC-13, ACC-38: a failed load shows an error with Retry", async () => {
    api.on(LIST, problem(500, "internal", "Something broke."));
    const { user } = show();
    expect(await screen.findByText("Failed to fetch accounts")).toBeTruthy();
    api.on(LIST, page([anAccount()]));
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByRole("article", { name: "root on web1" })).toBeTruthy();
  });

  test("ACC-37: an expired session shows an error", async () => {
    api.on(LIST, problem(401, "session.missing", "No session"));
    show();
    expect((await screen.findAllByText("Session expired. Please login again.")).length).toBeGreaterThan(0);
  });

  test("ACC-08, ACC-14, ACC-15: each account has a card with its actions and rotation badge", async () => {
    const { user } = await openAccounts(anAccount({ rotation_status: "due_soon" }), anAccount({ name: "sa on db1" }));
    expect(cards()).toHaveLength(2);
    expect(within(card()).getByText("Due Soon")).toBeTruthy();
    expect(within(card("sa on db1")).getByText("No Policy")).toBeTruthy();
    for (const action of ["Rotate", "Validate", "Copy Password", "Validation History"]) {
      expect(act(action)).toBeTruthy();
    }
    await user.click(act("Actions for root on web1"));
    expect(await screen.findByRole("menuitem", { name: "Delete" })).toBeTruthy();
  });

  test("OPEN-19: hides actions the caller may not perform and offers Request Access", async () => {
    const { user, router } = await openAccounts(anAccount({ my_permissions: ["list"], needs_approval: true }));
    for (const action of ["Rotate", "Actions for root on web1", "Validate", "Copy Password"]) {
      expect(within(card()).queryByRole("button", { name: action })).toBeNull();
    }
    await user.click(act("Request Access"));
    expect(router.state.location.pathname).toBe("/jit-access");
    expect(router.state.location.search).toMatch(/^\?ask=/);
  });

  test("live events update the list and remove deleted accounts", async () => {
    const account = anAccount();
    await openAccounts(account, anAccount({ name: "stays" }));
    api.on(`GET /api/v1/accounts/${account.id}/details`, { json: { ...account, name: "renamed" } });
    const base = { id: "e1", timestamp: "2026-11-21T10:00:00.000Z" };
    const { deliver } = await listenTo();
    deliver({ ...base, type: "account.changed", data: { account_id: account.id } });
    expect(await screen.findByRole("article", { name: "renamed" }, { timeout: 3000 })).toBeTruthy();
    deliver({ ...base, type: "account.deleted", data: { account_id: account.id } });
    await waitFor(() => expect(cards()).toHaveLength(1));
  });
});

/** The fake event stream of the page's session. */
async function listenTo(): Promise<{ deliver: (event: LiveEvent) => void }> {
  const { connectLiveEvents } = await import("#shared/events/live-events.ts");
  const stop = connectLiveEvents({ userId: "u", onGap: () => undefined, sharing: null });
  afterEachStop.push(stop);
  return { deliver: (event) => void api.sendEvent(event) };
}
const afterEachStop: (() => void)[] = [];
afterEach(() => {
  for (const stop of afterEachStop.splice(0)) stop();
});

describe("account actions", () => {
  test("ACC-29, ACC-43: a validation shows a toast with account and status and updates the card", async () => {
    const account = anAccount();
    const { user } = await openAccounts(account);
    api.on(`POST /api/v1/accounts/${account.id}/validate`, {
      json: {
        success: true,
        validation_status: "valid",
        validation_timestamp: new Date().toISOString(),
        validation_message: "Logged in.",
        outcome: "verified",
      },
    });
    await user.click(act("Validate"));
    expect(
      await screen.findByText(`Validation completed for account ${account.name} with status: Verified`),
    ).toBeTruthy();
    expect(within(card()).getByText("Verified")).toBeTruthy();
  });

  test("ACC-30, ACC-42, OPEN-86: a failed call marks the account unreachable with the reason until the next load", async () => {
    const account = anAccount();
    const { user } = await openAccounts(account);
    api.on(`POST /api/v1/accounts/${account.id}/validate`, problem(500, "internal", "Something broke."));
    await user.click(act("Validate"));
    expect(await screen.findByText("Failed to validate account credentials")).toBeTruthy();
    expect(within(card()).getByText("Unreachable")).toBeTruthy();
    expect(within(card()).getByText("Something broke.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Refresh" }));
    await waitFor(() => expect(within(card()).queryByText("Unreachable")).toBeNull());
    expect(within(card()).queryByText("Something broke.")).toBeNull();
  });

  test("ACC-34: copies the password from the reply for the single account to the clipboard", async () => {
    const account = anAccount();
    const { user } = await openAccounts(account);
    const written = clipboard();
    api.on(`GET /api/v1/accounts/${account.id}`, { json: { ...account, password: "the password" } });
    await user.click(act("Copy Password"));
    expect(await screen.findByText("Password copied to clipboard!")).toBeTruthy();
    expect(written).toEqual(["the password"]);
    expect(document.body.innerHTML).not.toContain("the password");
  });

  test("ACC-41: a refused copy shows an error with the server's reason", async () => {
    const account = anAccount();
    const { user } = await openAccounts(account);
    const written = clipboard();
    const reason = "Checked out by Olga until 12:00.";
    api.on(`GET /api/v1/accounts/${account.id}`, problem(409, "account.checked-out", reason));
    await user.click(act("Copy Password"));
    expect(await screen.findByText("Failed to copy password")).toBeTruthy();
    expect(screen.getByText(reason)).toBeTruthy();
    expect(written).toEqual([]);
  });

  test("asks for a reason before copying when the platform requires one", async () => {
    const account = anAccount();
    const { user } = await openAccounts(account);
    const written = clipboard();
    api.on("GET /api/v1/platforms", {
      json: { platforms: [aPlatform({ reason_required: true, ticket_required: true })] },
    });
    api.on(`GET /api/v1/accounts/${account.id}`, { json: { ...account, password: null } });
    const RETRIEVE = `POST /api/v1/accounts/${account.id}/retrieve`;
    api.on(RETRIEVE, ({ body }) =>
      (body as { reason?: string }).reason === undefined
        ? problem(422, "account.reason-required", "Enter a reason.")
        : { json: { password: "the password", check_out: null } },
    );
    await user.click(act("Copy Password"));
    const dialog = await screen.findByRole("dialog", { name: "Why do you need access?" });
    expect(within(dialog).getByText("Enter a reason.")).toBeTruthy();
    const copyIt = within(dialog).getByRole("button", { name: "Copy Password" });
    expect((copyIt as HTMLButtonElement).disabled).toBe(true);
    await user.type(within(dialog).getByRole("textbox", { name: /Reason/ }), "disk full");
    await waitFor(() =>
      expect(within(dialog).getByRole("textbox", { name: /Ticket/ })).toHaveProperty("required", true),
    );
    await user.type(within(dialog).getByRole("textbox", { name: /Ticket/ }), "OPS-1");
    await user.click(copyIt);
    expect(await screen.findByText("Password copied to clipboard!")).toBeTruthy();
    expect(written).toEqual(["the password"]);
    expect(api.requestsTo(RETRIEVE).at(-1)?.body).toEqual({ reason: "disk full", ticket: "OPS-1" });
  });

  test("ACC-35, ACC-40: deleting asks for confirmation and shows a failure", async () => {
    const account = anAccount();
    const { user } = await openAccounts(account);
    const DELETE = `DELETE /api/v1/accounts/${account.id}`;
    api.on(DELETE, problem(500, "internal", "Something broke."));
    await user.click(act("Actions for root on web1"));
    await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
    const dialog = await screen.findByRole("dialog", { name: "Delete Account" });
    expect(api.requestsTo(DELETE)).toHaveLength(0);
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Failed to delete account")).toBeTruthy();
    api.on(DELETE, { json: { message: "Account deleted" } });
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText('Account "root on web1" deleted successfully')).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("article", { name: "root on web1" })).toBeNull());
  });

  test("ACC-14, ACC-33: rotating asks for confirmation and reloads the list and figures", async () => {
    const account = anAccount();
    const { user } = await openAccounts(account);
    const ROTATE = `POST /api/v1/accounts/${account.id}/rotate`;
    api.on(ROTATE, { status: 202, json: { success: true, rotation_id: randomUUID(), message: "Started" } });
    await user.click(act("Rotate"));
    const dialog = within(await screen.findByRole("dialog", { name: "Rotate Password" }));
    expect(dialog.getByText("Linux servers")).toBeTruthy();
    expect(api.requestsTo(ROTATE)).toHaveLength(0);
    const before = [LIST, STATISTICS].map((route) => api.requestsTo(route).length);
    await user.click(dialog.getByRole("button", { name: "Rotate Password" }));
    expect(await screen.findByText('Rotation process initiated for "root on web1"')).toBeTruthy();
    await waitFor(() =>
      expect([LIST, STATISTICS].map((route) => api.requestsTo(route).length)).toEqual(before.map((each) => each + 1)),
    );
    expect(api.requestsTo(ROTATE)).toHaveLength(1);
  });

  test("ACC-39: shows why a rotation could not start", async () => {
    const account = anAccount();
    const { user } = await openAccounts(account);
    api.on(`POST /api/v1/accounts/${account.id}/rotate`, problem(409, "rotation.cannot-change", "Nothing changes it."));
    await user.click(act("Rotate"));
    const dialog = within(await screen.findByRole("dialog", { name: "Rotate Password" }));
    await user.click(dialog.getByRole("button", { name: "Rotate Password" }));
    expect(await screen.findByText("Failed to rotate password")).toBeTruthy();
    expect(screen.getByText("Nothing changes it.")).toBeTruthy();
  });
});

describe("the validation history", () => {
  test("ACC-82, ACC-83, ACC-85 to ACC-89: lists past attempts with their duration", async () => {
    const account = anAccount();
    const { user } = await openAccounts(account);
    const failed = aValidation({
      validation_status: "failed",
      outcome: "rejected",
      validation_type: "scheduled",
      error_message: "The password was not accepted.",
      validation_details: { response_time: 1503, endpoint: "web1:22", connection_test: true, credential_test: false },
    });
    api.on(`GET /api/v1/accounts/${account.id}/validation-history`, {
      json: { history: [aValidation(), failed], next_cursor: null },
    });
    await user.click(act("Validation History"));
    const dialog = await screen.findByRole("dialog", { name: "Validation History root on web1" });
    const [first, second] = await within(dialog).findAllByRole("listitem");
    expect(first?.textContent).toMatch(/Verified.*Manual.*120 ms/);
    expect(second?.textContent).toMatch(/Rejected.*Scheduled.*The password was not accepted\..*1\.50 s/);
  });

  test("ACC-84, ACC-91: distinguishes an empty history from a failed load", async () => {
    const account = anAccount();
    const HISTORY = `GET /api/v1/accounts/${account.id}/validation-history`;
    const { user } = await openAccounts(account);
    api.on(HISTORY, problem(500, "internal", "Something broke."));
    await user.click(act("Validation History"));
    const dialog = await screen.findByRole("dialog");
    expect(await within(dialog).findByText("Error: Something broke.")).toBeTruthy();
    api.on(HISTORY, { json: { history: [], next_cursor: null } });
    await user.click(within(dialog).getByRole("button", { name: "Retry" }));
    expect(await within(dialog).findByText("No Validation History")).toBeTruthy();
    expect(within(dialog).getByText(/^This account has not been validated yet\./)).toBeTruthy();
    expect(within(dialog).getByRole("button", { name: "Validate" })).toBeTruthy();
  });
});
