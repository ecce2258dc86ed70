// Tests of the discovery page: loading failures, empty states, refresh and roles.
import { screen, waitFor, within } from "@testing-library/react";
import { IconRadar2 } from "@tabler/icons-react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import type { DiscoveryTab } from "#shared/discovery/discovery-tab.ts";
import { DiscoveryPage, type DiscoveryPageProps } from "./discovery-page.tsx";
import {
  ACCOUNTS,
  FIGURES,
  PREVIEW,
  SCANS,
  SCAN_ID,
  STATISTICS,
  TARGETS,
  TARGET_ID,
  aPlan,
  aScan,
  aTarget,
  page,
} from "./testing/discovery-data.ts";

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

const show = (tab = "", props: Partial<DiscoveryPageProps> = {}) =>
  renderScreen(<DiscoveryPage Validation={() => <p>Validation of secrets</p>} {...props} />, {
    at: tab === "" ? "/discovery" : `/discovery?tab=${tab}`,
  });
/** Tabs as other features contribute them. */
const aTab = (id: DiscoveryTab["id"], label: string, more: Partial<DiscoveryTab> = {}): DiscoveryTab => ({
  id,
  Content: () => <p>{`Content of ${label}`}</p>,
  card: { label, value: 1, line: "of 4", icon: IconRadar2 },
  ...more,
});
const OTHERS = [
  aTab("enhanced-scans", "Enhanced Scans"),
  aTab("findings", "Security Findings", {
    card: { label: "Security Findings", value: 9, line: "2 high or critical, of 11", icon: IconRadar2 },
  }),
  { ...aTab("risk-assessment", "Risk Assessment"), card: undefined },
];
const figureOf = (label: string) => screen.getByRole("article", { name: label }).querySelector("p")?.textContent;

test("DISC-07: five cards show targets, scans, findings and open decisions, and link to their lists", async () => {
  show("", { others: OTHERS });
  await screen.findByRole("article", { name: "Active Targets" });
  expect(screen.getAllByRole("article").map((card) => card.querySelector("h2")?.textContent)).toEqual([
    "Active Targets",
    "Basic Scans",
    "Enhanced Scans",
    "Security Findings",
    "Pending Approval",
  ]);
  expect(["Active Targets", "Basic Scans", "Security Findings", "Pending Approval"].map(figureOf)).toEqual([
    "2of 3",
    "1running, of 7",
    "92 high or critical, of 11",
    "52 approved",
  ]);
  expect(screen.getByRole("link", { name: "Pending Approval" }).getAttribute("href")).toBe("/discovery?tab=accounts");
});

test("DISC-04, DISC-05: the tabs have the order and ids of the specification, and their content", async () => {
  const { user, router } = show("", { others: OTHERS });
  const tabs = await screen.findAllByRole("tab");
  expect(tabs.map((each) => each.textContent.replace(/\d+$/, ""))).toEqual([
    "Discovery Targets",
    "Basic Scans",
    "Enhanced Scans",
    "Security Findings",
    "Discovered Accounts",
    "Risk Assessment",
    "Statistics",
  ]);
  const ids = ["targets", "scans", "enhanced-scans", "findings", "accounts", "risk-assessment", "statistics"];
  expect(tabs.map((each) => each.dataset["tab"])).toEqual(ids);
  await user.click(tabs[2]!);
  expect(await screen.findByText("Content of Enhanced Scans")).toBeTruthy();
  expect(router.state.location.search).toBe("?tab=enhanced-scans");
});

test("a tab whose feature is missing is not shown", async () => {
  show("findings");
  expect(await screen.findByText("No discovery targets")).toBeTruthy();
  expect(screen.queryByRole("tab", { name: "Security Findings" })).toBeNull();
});

test.each(["validation", "statistics&view=validation"])(
  "OPEN-127: ?tab=%s shows validation in Statistics",
  async (at) => {
    show(at);
    expect(await screen.findByText("Validation of secrets")).toBeTruthy();
    expect(screen.getByRole("tab", { name: "Statistics" }).getAttribute("aria-selected")).toBe("true");
  },
);

test.each([
  ["DISC-59", TARGETS, "Failed to load discovery targets"],
  ["SCAN-24", SCANS, "Failed to load discovery scans - backend may be starting up, please try again in a moment"],
  ["DISC-60", ACCOUNTS, "Failed to load discovered accounts"],
  ["DISC-61", STATISTICS, "Failed to load discovery statistics"],
])(
  "%s, DISC-08: a red banner reports a failed load on every tab, retries, and can be dismissed",
  async (_, call, text) => {
    api.on(call, problem(500, "internal", "The database is away."));
    const { user } = show("statistics&view=validation");
    const banner = async () => (await screen.findByText(text)).closest<HTMLElement>("[role=alert]")!;
    expect(within(await banner()).getByText("The database is away.")).toBeTruthy();
    await user.click(within(await banner()).getByRole("button", { name: "Retry" }));
    await user.click(within(await banner()).getByRole("button", { name: `Dismiss: ${text}` }));
    expect(screen.queryByText(text)).toBeNull();
    // The button ignores clicks while it loads, and Retry makes it load too.
    const button = screen.getByRole<HTMLButtonElement>("button", { name: "Refresh" });
    const isIdle = () => waitFor(() => expect(button.disabled).toBe(false));
    const refresh = async () => {
      await isIdle();
      await user.click(button);
      await isIdle();
    };
    // The same failure stays dismissed; a new one after a success is shown.
    await refresh();
    expect(await screen.findAllByText("Failed to refresh data")).not.toHaveLength(0);
    expect(screen.queryByText(text)).toBeNull();
    api.on(call, call === STATISTICS ? { json: FIGURES } : page());
    await refresh();
    expect(await screen.findByText("Discovery data refreshed")).toBeTruthy();
    api.on(call, problem(500, "internal", "The database is away."));
    await refresh();
    expect(await banner()).toBeTruthy();
  },
);

test("DISC-62: one banner reports that everything failed", async () => {
  for (const call of [TARGETS, SCANS, ACCOUNTS, STATISTICS]) api.on(call, problem(500, "internal", "Away."));
  show("statistics&view=validation");
  expect(await screen.findByText("Failed to load discovery data")).toBeTruthy();
  expect(screen.getAllByRole("alert")).toHaveLength(1);
});

test("the banner of another feature's tab has its text", async () => {
  const failure = { text: "Failed to load enhanced scans", error: new Error("The server is away.") };
  show("", { others: [aTab("enhanced-scans", "Enhanced Scans", { failure })] });
  expect(await screen.findByText("Failed to load enhanced scans")).toBeTruthy();
});

test.each([
  ["SCAN-02", "scans", "No scans"],
  ["DISC-47", "accounts", "No Discovered Accounts"],
])("%s: the tab %j has an empty state", async (_, tab, text) => {
  show(tab);
  expect(await screen.findByText(text)).toBeTruthy();
});

test("DISC-54, DISC-55: statistics without targets or activity say so", async () => {
  api.on(STATISTICS, { json: { ...FIGURES, total_targets: 0 } });
  const { unmount } = show("statistics");
  expect(await screen.findByText("No Statistics Available")).toBeTruthy();
  unmount();
  api.on(STATISTICS, { json: FIGURES });
  show("statistics");
  expect(await screen.findByText("No recent activity")).toBeTruthy();
  expect(["Coverage", "Accounts per Scan", "Approved", "Rejected", "Pending"].map(figureOf)).toEqual([
    "67%",
    "1",
    "25%",
    "13%",
    "63%",
  ]);
});

test("DISC-56, DISC-57, DISC-58: the page loads everything together, also what is cached", async () => {
  const { user, router } = show();
  await screen.findByText("No discovery targets");
  const calls = [TARGETS, SCANS, ACCOUNTS, STATISTICS];
  for (const call of calls) await waitFor(() => expect(api.requestsTo(call)).toHaveLength(1));
  expect(api.requestsTo(STATISTICS)[0]!.query.get("range")).toBe("30d");
  await user.click(screen.getByRole("tab", { name: /^Basic Scans/ }));
  await screen.findByText("No scans");
  expect(api.requestsTo(SCANS)).toHaveLength(1);
  await router.navigate("/elsewhere");
  await screen.findByTestId("address");
  await router.navigate("/discovery");
  for (const call of calls) await waitFor(() => expect(api.requestsTo(call)).toHaveLength(2));
});

test("SCAN-22: more ended scans give a toast with their number", async () => {
  const { user } = show();
  await screen.findByRole("article", { name: "Basic Scans" });
  expect(screen.queryByText(/new scan result/)).toBeNull();
  api.on(STATISTICS, { json: { ...FIGURES, total_scans: 9 } });
  await user.click(screen.getByRole("button", { name: "Refresh" }));
  expect(await screen.findByText("2 new scan results available")).toBeTruthy();
});

test("DISC-64: a failed refresh reports it", async () => {
  const { user } = show();
  await screen.findByText("No discovery targets");
  api.on(TARGETS, problem(500, "internal", "The database is away."));
  await user.click(screen.getByRole("button", { name: "Refresh" }));
  expect(await screen.findByText("Failed to refresh data")).toBeTruthy();
});

describe("scans", () => {
  test("SCAN-01, SCAN-04: Scan Details lists the commands of the scan", async () => {
    const commands = [
      { command: "sudo -n sh -s", success: false, exitCode: 1, output: "", error: "sudo needs a password." },
    ];
    api.on(SCANS, page({ ...aScan, metadata: { ...aScan.metadata, commands } }));
    const { user } = show("scans");
    await user.click(await screen.findByRole("button", { name: "Details of the scan of web-01" }));
    const list = within(
      within(await screen.findByRole("dialog", { name: "Scan Details" })).getByRole("list", { name: "Commands" }),
    );
    for (const text of ["sudo -n sh -s", "Failed", "Exit code 1", "sudo needs a password."])
      expect(list.getByText(text)).toBeTruthy();
  });

  const START = `POST /api/v1/discovery/targets/${TARGET_ID}/scan`;

  test.each([
    [
      "a server that is away",
      problem(503, "unavailable", "Away."),
      2,
      / - backend may be starting up, please try again in a moment$/,
    ],
    [
      "a refusal",
      problem(409, "discovery.scan-open", "A scan is already running."),
      1,
      /^Failed to start discovery scan$/,
    ],
  ])("SCAN-26: %s is reported in the dialog after the right number of attempts", async (_, answer, attempts, text) => {
    api.on(TARGETS, page(aTarget));
    api.on(START, answer);
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Scan web-01" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Configure Discovery Scan" }));
    await user.click(dialog.getByRole("button", { name: "Start Scan" }));
    expect(await dialog.findByText(text, undefined, { timeout: 10_000 })).toBeTruthy();
    expect(api.requestsTo(START)).toHaveLength(attempts);
  });

  test("SCAN-25, SCAN-26: a start that succeeds at the second attempt is one request for the server", async () => {
    api.on(TARGETS, page(aTarget));
    let attempts = 0;
    api.on(START, () =>
      ++attempts === 1
        ? problem(500, "internal", "Away.")
        : { status: 202, json: { ...aScan, status: "pending", metadata: null } },
    );
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Scan web-01" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Start Scan" }));
    expect(await screen.findByText("Discovery scan started successfully", undefined, { timeout: 10_000 })).toBeTruthy();
    const keys = api.requestsTo(START).map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(1);
  });

  test("SCAN-08, SCAN-13: a failed scan shows the reason and no accounts", async () => {
    api.on(SCANS, page(aScan));
    const { user } = show("scans");
    await user.click(await screen.findByRole("button", { name: "Details of the scan of web-01" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Scan Details" }));
    expect(dialog.getByText("The scan failed")).toBeTruthy();
    expect(dialog.getByText("web-01.internal did not accept the password.")).toBeTruthy();
    expect(dialog.getByText("0 (Scan Failed)")).toBeTruthy();
  });

  test.each([
    ["SCAN-09", { accounts_discovered: 0, accounts_stored: 0 }, "The scan completed and found no accounts"],
    ["SCAN-10", { accounts_discovered: 9, accounts_stored: 4 }, /It left out 5 system accounts/],
    [
      "SCAN-04",
      { accounts_discovered: 9, accounts_stored: 4, is_complete: false, incomplete_reason: "Timed out after 30 s." },
      "The scan is incomplete",
    ],
    ["SCAN-14", { accounts_discovered: 9, accounts_stored: 4, is_complete: false }, /more accounts than the scan/],
  ])("%s: a completed scan with %j explains the result", async (_, found, text) => {
    const metadata = { ...aScan.metadata, error: null, error_message: null, ...found };
    api.on(SCANS, page({ ...aScan, status: "completed", metadata }));
    const { user } = show("scans");
    await user.click(await screen.findByRole("button", { name: "Details of the scan of web-01" }));
    expect(within(await screen.findByRole("dialog")).getByText(text)).toBeTruthy();
  });

  test("SCAN-07, SCAN-11, SCAN-12: a running scan has no data yet and can be cancelled", async () => {
    const progress = { phase: "listing", accounts: 1234 };
    const running = { ...aScan, status: "running", metadata: null, completed_at: null, progress };
    api.on(SCANS, page(running));
    api.on(`POST /api/v1/discovery/scans/${SCAN_ID}/cancel`, { json: { ...aScan, status: "cancelled" } });
    const { user } = show("scans");
    expect(await screen.findByText(/Accounts discovered: Pending/)).toBeTruthy();
    expect(screen.getByText("Listing accounts: 1,234 accounts so far")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Cancel the scan of web-01" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Cancel Scan" }));
    await user.click(dialog.getByRole("button", { name: "Cancel Scan" }));
    expect(await screen.findByText("Scan cancelled successfully")).toBeTruthy();
  });
});
