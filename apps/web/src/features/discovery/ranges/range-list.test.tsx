// Tests of the IP Ranges view: states, the form, found hosts and the allowed networks.
import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { RangeList } from "./range-list.tsx";
import { EMPTY_RANGE, checkRange, newRangeOf } from "./range-form-values.ts";

const SCANS = "GET /api/v1/discovery/enhanced/ip-range-scan";
const HOSTS = `${SCANS}/:id/hosts`;
const NETWORKS = "GET /api/v1/discovery/networks";
const TARGETS = "POST /api/v1/discovery/targets";
const [ID, SAFE_ID, CREDENTIAL_ID] = [1, 2, 3].map((digit) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`);
const AT = "2026-11-20T10:00:00.000Z";
const aScan = {
  id: ID,
  name: "The lab",
  safe_id: SAFE_ID,
  safe_name: "Web servers",
  ranges: ["10.0.0.0/24"],
  exclusions: ["10.0.0.1"],
  ports: [22],
  rate: 200,
  timeout: 1000,
  credentials: [],
  creates_targets: false,
  status: "running",
  addresses_scanned: 100,
  addresses: 255,
  addresses_refused: 2,
  hosts_found: 1,
  error: null,
  error_message: null,
  requested_by: "Ada",
  created_at: AT,
  started_at: AT,
  completed_at: null,
  can_manage: true,
};
const aHost = {
  id: ID,
  address: "10.0.0.7",
  services: [
    {
      port: 22,
      protocol: "ssh",
      banner: "SSH-2.0-OpenSSH_9.2",
      host_key: { type: "ssh-ed25519", fingerprint: "SHA256:seen" },
      certificate: null,
      target_type: "linux",
      target_id: null,
    },
  ],
  found_at: AT,
};
const page = (...data: object[]) => ({ json: { data, next_cursor: null } });

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ [SCANS]: page(), [HOSTS]: page(aHost), [NETWORKS]: page() });
});
afterEach(() => api.close());

test("shows empty, error and content states", async () => {
  const { unmount } = renderScreen(<RangeList />);
  expect(await screen.findByText("No IP range scans")).toBeTruthy();
  expect(await screen.findByText("No network is allowed. Range scans cannot start.")).toBeTruthy();
  unmount();
  api.on(SCANS, problem(500, "internal", "The database is away."));
  const failed = renderScreen(<RangeList />);
  expect(await screen.findByText("Failed to load IP range scans")).toBeTruthy();
  failed.unmount();
  api.on(SCANS, page(aScan));
  renderScreen(<RangeList />);
  expect(await screen.findByText("10.0.0.0/24 without 10.0.0.1")).toBeTruthy();
  expect(screen.getByRole("progressbar", { name: "Progress of The lab" })).toBeTruthy();
  expect(screen.getByText(/1 host found · 100 of 255 addresses scanned · 2 addresses refused/)).toBeTruthy();
});

test("without a rule, a found host opens the target form with its address, type and host key", async () => {
  api.on(SCANS, page(aScan));
  const { user } = renderScreen(<RangeList />);
  await user.click(await screen.findByRole("button", { name: "Hosts of The lab" }));
  await user.click(await screen.findByRole("button", { name: "Add 10.0.0.7:22 as target" }));
  const form = within(await screen.findByRole("dialog", { name: "Create Discovery Target" }));
  expect(form.getByRole<HTMLInputElement>("textbox", { name: "Name" }).value).toBe("10.0.0.7:22");
  await user.click(form.getByRole("button", { name: "Next" }));
  expect((await form.findByRole<HTMLInputElement>("textbox", { name: "Hostname or IP Address" })).value).toBe(
    "10.0.0.7",
  );
});

test("DISC-28: with a rule, a found host becomes a target with one click; a refusal is shown", async () => {
  api.on(SCANS, page({ ...aScan, credentials: [{ target_type: "linux", credential_id: CREDENTIAL_ID }] }));
  api.on(TARGETS, problem(403, "discovery.not-allowed", "You may not do that."));
  const { user } = renderScreen(<RangeList />);
  await user.click(await screen.findByRole("button", { name: "Hosts of The lab" }));
  await user.click(await screen.findByRole("button", { name: "Add 10.0.0.7:22 as target" }));
  expect(await screen.findByText("Failed to create discovery target")).toBeTruthy();
  expect(screen.getByText("You may not do that.")).toBeTruthy();
  expect(api.requestsTo(TARGETS)[0]!.body).toEqual({
    name: "10.0.0.7:22",
    description: null,
    targetType: "linux",
    connectionMethod: "ssh",
    hostname: "10.0.0.7",
    credentialId: CREDENTIAL_ID,
    safeId: SAFE_ID,
    settings: { port: 22 },
    hostKey: { type: "ssh-ed25519", fingerprint: "SHA256:seen" },
  });
});

test("only administrators can change the allowed networks", async () => {
  api.on(NETWORKS, page({ id: ID, network: "10.0.0.0/16", description: "The lab", created_by: "Ada", created_at: AT }));
  const { unmount } = renderScreen(<RangeList />);
  expect(await screen.findByText("10.0.0.0/16")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Allow Network" })).toBeNull();
  unmount();
  signInForTest({ role: "admin" });
  renderScreen(<RangeList />);
  expect(await screen.findByRole("button", { name: "Remove 10.0.0.0/16" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Allow Network" })).toBeTruthy();
});

test("the form splits lists and reports what is missing", () => {
  const values = { ...EMPTY_RANGE, name: "Lab", ranges: "10.0.0.0/24, 10.0.1.1-10.0.1.9\n10.0.2.1", ports: "22 99999" };
  expect(newRangeOf(values).ranges).toEqual(["10.0.0.0/24", "10.0.1.1-10.0.1.9", "10.0.2.1"]);
  expect(checkRange(values)).toEqual({ safe: "Please select a safe", ports: "Port must be between 1 and 65535" });
  expect(checkRange({ ...values, name: "", ranges: " ", ports: "22" })).toMatchObject({
    name: "Name is required",
    ranges: "Enter at least one range",
  });
});
