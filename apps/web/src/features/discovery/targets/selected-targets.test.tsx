// Tests of scans of several targets: selection, what is sent, and the report of skipped targets.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { ENHANCED_SCAN } from "#features/scans/enhanced-scan-action.ts";
import { DiscoveryPage } from "../discovery-page.tsx";
import { ACCOUNTS, FIGURES, SCANS, SCAN_ID, STATISTICS, TARGETS, aTarget, page } from "../testing/discovery-data.ts";

const START = "POST /api/v1/discovery/scans";
const START_ENHANCED = "POST /api/v1/discovery/enhanced/scans";
const CONFIGS = "GET /api/v1/discovery/enhanced/scan-configs";
const idOf = (place: number) => `00000000-0000-4000-8000-${String(place).padStart(12, "0")}`;
const aHost = (place: number, more: object = {}) => ({ ...aTarget, id: idOf(place), name: `web-${place}`, ...more });
const many = Array.from({ length: 30 }, (_, place) => aHost(place, { can_manage: place !== 3 }));

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    [TARGETS]: page(...many),
    [SCANS]: page(),
    [ACCOUNTS]: page(),
    [STATISTICS]: { json: FIGURES },
    [CONFIGS]: { json: { data: [] } },
  });
});
afterEach(() => api.close());

const show = (filter = "") =>
  renderScreen(<DiscoveryPage Validation={() => null} targetAction={ENHANCED_SCAN} />, { at: `/discovery${filter}` });
const started = (places: readonly number[], skipped: object[] = []) => ({
  status: 202,
  json: {
    started: places.map((place) => ({ target_id: idOf(place), scan_id: SCAN_ID })),
    skipped,
    message: `${places.length} scans started`,
  },
});
const bar = async () => within(await screen.findByRole("region", { name: "Selected targets" }));
const sentTo = (call: string) => api.requestsTo(call)[0]?.body as { targetIds: string[] } | undefined;

test("selected targets are scanned in one call, and the selection is cleared", async () => {
  api.on(START, started([1, 2]));
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: "Select web-1" }));
  await user.click(screen.getByRole("checkbox", { name: "Select web-2" }));
  expect((await bar()).getByRole("status").textContent).toBe("2 targets selected");
  await user.click((await bar()).getByRole("button", { name: "Scan" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Configure Discovery Scan" }));
  await user.click(dialog.getByRole("button", { name: "Start 2 Scans" }));
  expect(await screen.findByText("2 scans started")).toBeTruthy();
  expect(sentTo(START)).toEqual({
    targetIds: [idOf(1), idOf(2)],
    scanSettings: { includeSystemAccounts: false, timeout: 30_000, maxAccounts: 1000 },
  });
  await waitFor(() => expect(screen.queryByRole("region", { name: "Selected targets" })).toBeNull());
});

test("skipped targets are listed with the reason", async () => {
  const message = 'A scan of "web-2" is already pending or running.';
  api.on(START, started([1], [{ id: idOf(2), code: "discovery.scan-open", message }]));
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: "Select web-1" }));
  await user.click(screen.getByRole("checkbox", { name: "Select web-2" }));
  await user.click((await bar()).getByRole("button", { name: "Scan" }));
  await user.click(await screen.findByRole("button", { name: "Start 2 Scans" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Some Targets Were Skipped" }));
  expect(dialog.getByText("1 started")).toBeTruthy();
  const items = within(dialog.getByRole("list", { name: "1 skipped target" })).getAllByRole("listitem");
  expect(items.map(({ textContent }) => textContent)).toEqual([`web-2${message}`]);
});

test("an enhanced scan of several targets sends one configuration and offers no schedule", async () => {
  api.on(START_ENHANCED, started([1, 2]));
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: "Select web-1" }));
  await user.click(screen.getByRole("checkbox", { name: "Select web-2" }));
  await user.click((await bar()).getByRole("button", { name: "Enhanced Scan" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Enhanced Security Discovery Scan" }));
  expect(dialog.queryByRole("combobox", { name: "Scans" })).toBeNull();
  await user.click(dialog.getByRole("button", { name: "Start 2 Enhanced Scans" }));
  expect(await screen.findByText("2 scans started")).toBeTruthy();
  expect(sentTo(START_ENHANCED)).toMatchObject({
    targetIds: [idOf(1), idOf(2)],
    scanConfig: { scanDepth: "standard" },
    complianceFrameworks: ["sox", "pci_dss"],
    autoVault: false,
  });
});

test("all matching targets can be selected, also those that are not loaded, and only those that can be managed", async () => {
  api.on(TARGETS, ({ query }) => {
    const data = query.get("limit") === "500" ? many : many.slice(0, 25);
    const next_cursor = data === many || query.has("cursor") ? null : "more";
    return { json: { data: query.has("cursor") ? many.slice(25) : data, total: 30, next_cursor } };
  });
  api.on(START, started(many.map((_, place) => place).filter((place) => place !== 3)));
  const { user } = show("?search=web&sort=-name");
  await user.click(await screen.findByRole("checkbox", { name: "Select web-1" }));
  expect(screen.queryByRole("checkbox", { name: "Select web-3" })).toBeNull();
  await user.click((await bar()).getByRole("button", { name: "Select All 30 Matching" }));
  await waitFor(async () => expect((await bar()).getByRole("status").textContent).toBe("29 targets selected"));
  const request = api.requestsTo(TARGETS).find(({ query }) => query.get("limit") === "500");
  expect([request?.query.get("search"), request?.query.get("sort")]).toEqual(["web", "-name"]);
  expect((await bar()).queryByRole("button", { name: /Matching/ })).toBeNull();
  await user.click((await bar()).getByRole("button", { name: "Scan" }));
  await user.click(await screen.findByRole("button", { name: "Start 29 Scans" }));
  await waitFor(() => expect(sentTo(START)?.targetIds).toHaveLength(29));
  expect(sentTo(START)?.targetIds).not.toContain(idOf(3));
});

test("with more targets than one call scans, the button names the limit", async () => {
  api.on(TARGETS, { json: { data: many, total: 1234, next_cursor: null } });
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: "Select web-1" }));
  expect((await bar()).getByRole("button", { name: "Select the First 500 of 1,234 Matching" })).toBeTruthy();
  expect(screen.getByText("30 of 1,234 targets")).toBeTruthy();
});

test("a different filter clears the selection, and a different order keeps it", async () => {
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: "Select web-1" }));
  await user.click(screen.getByRole("button", { name: "Name" }));
  expect((await bar()).getByText("1 target selected")).toBeTruthy();
  await user.click(screen.getByRole("combobox", { name: "Type" }));
  await user.click(await screen.findByRole("option", { name: "Windows" }));
  await waitFor(() => expect(screen.queryByRole("region", { name: "Selected targets" })).toBeNull());
});

test("the keyboard selects rows", async () => {
  const { user } = show();
  await screen.findByRole("table", { name: "Discovery targets" });
  await user.keyboard("jxjx");
  expect((await bar()).getByText("2 targets selected")).toBeTruthy();
  await user.keyboard("jjx");
  expect((await bar()).getByText("2 targets selected"), "web-3 cannot be managed").toBeTruthy();
});

test("a refused call keeps the selection and shows the reason in the dialog", async () => {
  api.on(START, problem(403, "scan.not-allowed", "Scans are not allowed now."));
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: "Select web-1" }));
  await user.click(screen.getByRole("checkbox", { name: "Select web-2" }));
  await user.click((await bar()).getByRole("button", { name: "Scan" }));
  await user.click(await screen.findByRole("button", { name: "Start 2 Scans" }));
  expect(await screen.findByText("Scans are not allowed now.")).toBeTruthy();
  expect((await bar()).getByText("2 targets selected")).toBeTruthy();
});

test("up to 20 targets are rows with a checkbox each, and one for all", async () => {
  api.on(TARGETS, page(...many.slice(0, 5)));
  const { user } = show();
  await user.click(await screen.findByRole("checkbox", { name: "Select all loaded" }));
  expect((await bar()).getByText("4 targets selected")).toBeTruthy();
  await user.click(screen.getByRole("checkbox", { name: "Select web-1" }));
  expect((await bar()).getByText("3 targets selected")).toBeTruthy();
});
