import type { Gateway } from "@strongroom/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import GatewaysTab from "./gateways-tab.tsx";

const ID = "99999999-9999-4999-8999-999999999999" as Gateway["id"];
const LIST = "GET /api/v1/gateways";
const DRAIN = `POST /api/v1/gateways/${ID}/drain`;
const now = () => new Date().toISOString();
const aGateway = (given: Partial<Gateway> = {}): Gateway => ({
  id: ID,
  name: "gw-1",
  address: "gw-1.example.com:2022",
  zone: "plant-2",
  version: "1.2.3",
  started_at: now(),
  heartbeat_at: now(),
  status: "ready",
  problem: null,
  live_sessions: 3,
  ...given,
});

let api: TestApi;
beforeEach(async () => {
  signInForTest({ role: "admin" });
  api = await startApi({ [LIST]: { json: { gateways: [aGateway()] } } });
});
afterEach(() => api.close());

const show = (given: Partial<Gateway> = {}) => {
  api.on(LIST, { json: { gateways: [aGateway(given)] } });
  return renderScreen(<GatewaysTab />);
};
const row = async () =>
  within(within(await screen.findByRole("list", { name: "Session gateways" })).getByRole("listitem"));

test("a gateway shows its state, zone, version, sessions and address", async () => {
  show();
  const shown = await row();
  expect(shown.getByText("Ready")).toBeTruthy();
  expect(shown.getByText("3 live sessions · Zone plant-2 · Version 1.2.3")).toBeTruthy();
  expect(shown.getByText(/SSH clients: gw-1.example.com:2022/)).toBeTruthy();
});

test.each([
  ["ready", "Drain", true],
  ["draining", "Accept Sessions", false],
] as const)("a gateway that is %s offers %s", async (status, label, isDraining) => {
  api.on(DRAIN, { json: { message: '"gw-1" changed' } });
  const { user } = show({ status });
  await user.click((await row()).getByRole("button", { name: `${label}: gw-1` }));
  await waitFor(() => expect(api.requestsTo(DRAIN)[0]?.body).toEqual({ is_draining: isDraining }));
  expect(await screen.findByText('"gw-1" changed')).toBeTruthy();
});

test("a failed change shows the reason", async () => {
  api.on(DRAIN, problem(404, "gateway.not-found", "Gateway not found"));
  const { user } = show();
  await user.click((await row()).getByRole("button", { name: "Drain: gw-1" }));
  expect(await screen.findByText("Gateway not found")).toBeTruthy();
});

test("a gateway without a heartbeat cannot be drained, and a blocked one shows its problem", async () => {
  const { unmount } = show({ status: "lost" });
  expect((await row()).queryByRole("button")).toBeNull();
  unmount();
  show({ status: "blocked", problem: "The vault is sealed." });
  expect((await row()).getByText("The vault is sealed.")).toBeTruthy();
});

test("without a gateway, the tab says why", async () => {
  api.on(LIST, { json: { gateways: [] } });
  renderScreen(<GatewaysTab />);
  expect(await screen.findByText("No session gateway")).toBeTruthy();
});
