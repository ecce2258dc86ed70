// Tests of the list of cloud resources and of the dialog that starts a cloud discovery.
import { screen, waitFor, within } from "@testing-library/react";
import type { DiscoveryTarget } from "@strongroom/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { aScan, aTarget } from "../testing/discovery-data.ts";
import { CloudDialog } from "./cloud-dialog.tsx";
import { ResourceList } from "./resource-list.tsx";

const RESOURCES = "GET /api/v1/discovery/enhanced/cloud-resources";
const START = "POST /api/v1/discovery/enhanced/cloud-discovery";
const AT = "2026-11-20T10:00:00.000Z";
const aResource = {
  id: aTarget.id,
  target_id: aTarget.id,
  target_name: "Production",
  provider: "aws",
  account: "123456789012",
  region: "eu-central-1",
  kind: "parameter",
  name: "/app/token",
  facts: { isEncrypted: true, changedAt: AT },
  discovered_at: AT,
  last_seen_at: AT,
  missing_since: AT,
};

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({});
});
afterEach(() => api.close());

test("API-70: resources show where they are and what the cloud reported, and are filtered by cloud, kind and region", async () => {
  api.on(RESOURCES, { json: { data: [aResource], regions: ["eu-central-1", "global"], next_cursor: null } });
  const { user } = renderScreen(<ResourceList />);
  const row = within(await screen.findByRole("listitem"));
  for (const text of ["/app/token", "Parameter", "No longer found", "AWS · 123456789012 · eu-central-1 · Production"])
    expect(row.getByText(text)).toBeTruthy();
  // Times are shown in the reader's form.
  expect(row.getByText(/^Is encrypted: Yes · Changed at: (?!2026-11-20T).*2026/)).toBeTruthy();
  for (const [label, option] of [
    ["Cloud", "Google Cloud"],
    ["Kind", "Secret"],
    ["Region", "eu-central-1"],
  ] as const) {
    await user.click(screen.getByRole("combobox", { name: label }));
    await user.click(await screen.findByRole("option", { name: option }));
  }
  await waitFor(() => {
    const query = api.requestsTo(RESOURCES).at(-1)?.query;
    expect(["provider", "kind", "region"].map((name) => query?.get(name))).toEqual(["gcp", "secret", "eu-central-1"]);
  });
});

test("API-70: no resources is an empty state that says how to find some", async () => {
  api.on(RESOURCES, { json: { data: [], regions: [], next_cursor: null } });
  renderScreen(<ResourceList />);
  expect(await screen.findByText("No cloud resources")).toBeTruthy();
});

test("API-69: the dialog sends the regions and rejects invalid ones before sending", async () => {
  api.on(START, { status: 202, json: { ...aScan, status: "pending", metadata: null } });
  const target = { ...aTarget, target_type: "aws", name: "Production" } as unknown as DiscoveryTarget;
  const { user } = renderScreen(<CloudDialog target={target} opened onClose={() => {}} />);
  const dialog = within(await screen.findByRole("dialog", { name: "Find Cloud Resources" }));
  const regions = dialog.getByRole("textbox", { name: "Regions" });
  await user.type(regions, "frankfurt");
  await user.click(dialog.getByRole("button", { name: "Start Discovery" }));
  expect(await dialog.findByText("Enter the name of a region, such as eu-central-1")).toBeTruthy();
  expect(api.requestsTo(START)).toHaveLength(0);
  await user.clear(regions);
  await user.type(regions, "eu-central-1, us-east-1");
  await user.click(dialog.getByRole("button", { name: "Start Discovery" }));
  expect(await screen.findByText("Cloud discovery started successfully")).toBeTruthy();
  expect(api.requestsTo(START)[0]?.body).toEqual({ targetId: aTarget.id, regions: ["eu-central-1", "us-east-1"] });
});

test("API-69: a cloud without a choice of regions is searched completely", async () => {
  api.on(START, { status: 202, json: { ...aScan, status: "pending", metadata: null } });
  const target = { ...aTarget, target_type: "azure", name: "Corp" } as unknown as DiscoveryTarget;
  const { user } = renderScreen(<CloudDialog target={target} opened onClose={() => {}} />);
  const dialog = within(await screen.findByRole("dialog", { name: "Find Cloud Resources" }));
  expect(dialog.queryByRole("textbox")).toBeNull();
  await user.click(dialog.getByRole("button", { name: "Start Discovery" }));
  expect(await screen.findByText("Cloud discovery started successfully")).toBeTruthy();
  expect(api.requestsTo(START)[0]?.body).toEqual({ targetId: aTarget.id, regions: [] });
});
