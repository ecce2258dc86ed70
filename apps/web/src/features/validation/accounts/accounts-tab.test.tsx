import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TestApi } from "#app/testing/api-server.ts";
import { signInForTest } from "#app/testing/sign-in.ts";
import { toast } from "#shared/ui/toast.ts";
import { aFailure, anAttempt, idOf } from "../testing/figures.ts";
import {
  ATTEMPTS,
  FAILURES,
  TRIGGER,
  dashboardApi,
  failuresOf,
  openDashboard,
  tabNamed,
} from "../testing/open-dashboard.tsx";

let api: TestApi;
beforeEach(async () => {
  toast.dismiss();
  signInForTest();
  api = await dashboardApi();
});
afterEach(() => api.close());

describe("account validation", () => {
  const optionsOf = (name: string) => {
    const box = screen.getByRole("combobox", { name });
    if (box.getAttribute("aria-expanded") !== "true") fireEvent.click(box);
    const list = document.getElementById(box.getAttribute("aria-controls") ?? "");
    return within(list!).getAllByRole("option", { hidden: true });
  };
  const textsOf = (name: string) => optionsOf(name).map(({ textContent }) => textContent);

  test("VAL-15: the search text filters both lists", async () => {
    const { user } = openDashboard("?tab=accounts");
    await user.type(await screen.findByRole("searchbox", { name: "Search account validation" }), "db7");
    for (const route of [ATTEMPTS, FAILURES]) {
      await waitFor(() => expect(api.requestsTo(route).at(-1)?.query.get("search")).toBe("db7"));
    }
  });

  test("VAL-16 to VAL-18, OPEN-123: every view filters by status and system, and failures also by severity", async () => {
    api.on(FAILURES, failuresOf(aFailure(1)));
    const { user, router } = openDashboard("?tab=accounts&view=attempts");
    await tabNamed("Failures (1)");
    expect(textsOf("Status")).toEqual([
      "All statuses",
      "Verified",
      "Pending",
      "Failed",
      "Rejected",
      "Unreachable",
      "Misconfigured",
      "Untested",
      "Aborted",
    ]);
    expect(textsOf("System").slice(0, 6)).toEqual([
      "All systems",
      "Windows",
      "Linux",
      "Database",
      "Network",
      "Application",
    ]);
    expect(screen.queryByRole("combobox", { name: "Severity" })).toBeNull();
    await user.click(await tabNamed("Failures (1)"));
    expect(textsOf("Severity")).toEqual(["All severities", "Critical", "High", "Medium", "Low"]);
    fireEvent.click(optionsOf("Severity")[1]!);
    await waitFor(() => expect(api.requestsTo(FAILURES).at(-1)?.query.get("severity")).toBe("critical"));
    const choose = (text: string) => fireEvent.click(optionsOf("Status").find((each) => each.textContent === text)!);
    choose("Failed");
    await waitFor(() => expect(router.state.location.search).toContain("status=failed"));
    expect(await tabNamed("Failures (1)")).toBeTruthy();
    choose("Verified");
    expect(await screen.findByText("No validation failures found")).toBeTruthy();
    await waitFor(() => expect(api.requestsTo(ATTEMPTS).at(-1)?.query.get("status")).toBe("verified"));
  });

  test("VAL-19, VAL-23: Refresh reloads both lists, and Export Report saves the report", async () => {
    api.on("POST /api/v1/validation/report", { text: "the report" });
    const { user } = openDashboard("?tab=accounts");
    await screen.findByText("No validation attempts found");
    await screen.findByText("No validation failures found");
    // Excludes the call that loads the latest event.
    const isList = ({ query }: { query: URLSearchParams }) => query.get("limit") === "50";
    const asked = () => [ATTEMPTS, FAILURES].map((route) => api.requestsTo(route).filter(isList).length);
    expect(asked()).toEqual([1, 1]);
    await user.click(screen.getByRole("button", { name: "Refresh" }));
    await waitFor(() => expect(asked()).toEqual([2, 2]));
    URL.createObjectURL = vi.fn(() => "blob:test");
    URL.revokeObjectURL = vi.fn();
    const saved = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    await user.click(screen.getByRole("button", { name: "Export Report" }));
    expect(await screen.findByText("Validation report exported")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/validation/report")).toHaveLength(1);
    expect(saved).toHaveBeenCalledTimes(1);
    saved.mockRestore();
  });

  test("VAL-14, VAL-24, VAL-25, OPEN-130: each view sends its filters to the server", async () => {
    const { user } = openDashboard("?tab=accounts&view=attempts&status=pending&system=Network&search=db");
    expect(await screen.findByText("No validation attempts found")).toBeTruthy();
    expect(await tabNamed("Recent Attempts (0)")).toBeTruthy();
    const asked = api.requestsTo(ATTEMPTS).find(({ query }) => query.get("status") !== null);
    expect(Object.fromEntries(asked?.query ?? [])).toMatchObject({
      search: "db",
      status: "pending",
      system: "Network",
      range: "24h",
    });
    await user.click(await tabNamed("Failures (0)"));
    expect(await screen.findByText("No validation failures found")).toBeTruthy();
  });

  test("a column's header sorts the attempts on the server", async () => {
    api.on(ATTEMPTS, { json: { attempts: [anAttempt(1)], total: 1, next_cursor: null } });
    const { user, router } = openDashboard("?tab=accounts&view=attempts");
    const asked = () => api.requestsTo(ATTEMPTS).filter(({ query }) => query.get("limit") === "50");
    await user.click(await screen.findByRole("button", { name: "Took" }));
    await waitFor(() => expect(asked().at(-1)?.query.get("sort")).toBe("duration"));
    await user.click(screen.getByRole("button", { name: "Took" }));
    await waitFor(() => expect(asked().at(-1)?.query.get("sort")).toBe("-duration"));
    expect(router.state.location.search).toBe("?tab=accounts&view=attempts&sort=-duration");
  });

  test("the overview shows the newest attempts regardless of the order of the table", async () => {
    openDashboard("?tab=accounts&sort=-duration");
    await screen.findByText("No validation attempts found");
    const asked = api.requestsTo(ATTEMPTS).filter(({ query }) => query.get("limit") === "50");
    expect(asked.map(({ query }) => query.get("sort"))).toEqual([null]);
  });

  test("VAL-21: disables Bulk Validate Critical without a high or critical failure", async () => {
    api.on(FAILURES, failuresOf(aFailure(1, { severity: "medium" })));
    openDashboard("?tab=accounts");
    await tabNamed("Failures (1)");
    expect(screen.getByRole("button", { name: "Bulk Validate Critical" })).toHaveProperty("disabled", true);
  });

  test("VAL-20, VAL-22, VAL-73: asks for confirmation and then validates every high and critical failure with force", async () => {
    api.on(FAILURES, failuresOf(aFailure(1), aFailure(2, { severity: "critical" })));
    const run = Promise.withResolvers<object>();
    api.on(TRIGGER, async () => ({ status: 202, json: await run.promise }));
    const { user } = openDashboard("?tab=accounts&view=failures");
    await tabNamed("Failures (2)");
    await user.click(screen.getByRole("button", { name: "Bulk Validate Critical" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Validate" }));
    await waitFor(() => expect(api.requestsTo(TRIGGER)).toHaveLength(1));
    expect(screen.getByRole("button", { name: "Bulk Validate Critical" })).toHaveProperty("disabled", true);
    run.resolve({ run_id: null, queued: 2, failed: [], message: "Queued" });
    expect(await screen.findByText("Validation of 2 accounts started")).toBeTruthy();
    const body = api.requestsTo(TRIGGER)[0]?.body as { accountIds: string[]; force: boolean };
    expect(body.force).toBe(true);
    expect(new Set(body.accountIds)).toEqual(new Set([idOf(1), idOf(2)]));
  });
});
