// Tests of the Discovery Targets tab: rows and table, actions, search, filters and host keys.
import { screen, waitFor, within } from "@testing-library/react";
import { IconRadar2 } from "@tabler/icons-react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import type { TargetAction } from "#shared/discovery/discovery-tab.ts";
import { DiscoveryPage, type DiscoveryPageProps } from "../discovery-page.tsx";
import {
  ACCOUNTS,
  ACCOUNT_ID,
  FIGURES,
  SCANS,
  STATISTICS,
  TARGETS,
  TARGET_ID,
  aTarget,
  page,
} from "../testing/discovery-data.ts";

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ [TARGETS]: page(), [SCANS]: page(), [ACCOUNTS]: page(), [STATISTICS]: { json: FIGURES } });
});
afterEach(() => api.close());

const show = (filter = "", props: Partial<DiscoveryPageProps> = {}) =>
  renderScreen(<DiscoveryPage Validation={() => null} {...props} />, { at: `/discovery${filter}` });

const ENHANCED: TargetAction = {
  label: "Enhanced Scan",
  icon: IconRadar2,
  nameOf: ({ name }) => `Enhanced scan of ${name}`,
  isOffered: ({ has_enhanced_scans }) => has_enhanced_scans,
  Dialog: ({ targets, opened }) =>
    opened ? <p>{`Enhanced scan dialog of ${targets.map(({ name }) => name).join(", ")}`}</p> : null,
};
const menuOf = async (user: ReturnType<typeof show>["user"], name: string) => {
  await user.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
  return (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent);
};
const chooseFor = async (user: ReturnType<typeof show>["user"], name: string, action: string) => {
  await menuOf(user, name);
  await user.click(screen.getByRole("menuitem", { name: action }));
};

test("DISC-10: a target that the user cannot manage has no actions", async () => {
  api.on(TARGETS, page(aTarget, { ...aTarget, id: ACCOUNT_ID, name: "db-01", can_manage: false }));
  const { user } = show("", { targetAction: ENHANCED });
  const [own, other] = within(await screen.findByRole("list", { name: "Discovery targets" })).getAllByRole("listitem");
  expect(
    within(own!)
      .getAllByRole("button")
      .map(({ ariaLabel }) => ariaLabel),
  ).toEqual(["Scan web-01", "Enhanced scan of web-01", "Actions for web-01"]);
  expect(within(other!).queryAllByRole("button")).toEqual([]);
  expect(await menuOf(user, "web-01")).toEqual(["Details", "Edit", "Disable", "Delete"]);
});

describe("more than 20 targets", () => {
  const many = Array.from({ length: 21 }, (_, place) => ({
    ...aTarget,
    id: `00000000-0000-4000-8000-${String(place).padStart(12, "0")}`,
    name: `web-${place}`,
    target_type: place === 1 ? "aws" : "linux",
    is_active: place !== 2,
    can_manage: place !== 3,
    has_enhanced_scans: place !== 1,
  }));
  beforeEach(() => api.on(TARGETS, page(...many)));

  test("DISC-10: are a table whose rows offer the scans, and a menu with the other actions", async () => {
    const { user } = show("", { targetAction: ENHANCED });
    const table = within(await screen.findByRole("table", { name: "Discovery targets" }));
    for (const [name, isEnabled] of [
      ["Scan web-0", true],
      ["Enhanced scan of web-0", true],
      ["Scan web-1", true],
      ["Scan web-2", false],
    ] as const)
      expect(table.getByRole<HTMLButtonElement>("button", { name }).disabled, name).toBe(!isEnabled);
    expect(table.queryByRole("button", { name: "Enhanced scan of web-1" })).toBeNull();
    expect(table.queryByRole("button", { name: "Scan web-3" })).toBeNull();
    for (const [name, entries] of [
      ["web-1", ["Details", "Find Cloud Resources", "Edit", "Disable", "Delete"]],
      ["web-2", ["Details", "Edit", "Enable", "Delete"]],
      ["web-3", ["Details"]],
    ] as const) {
      expect(await menuOf(user, name)).toEqual(entries);
      await user.keyboard("{Escape}");
      await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
    }
    await user.click(table.getByRole("button", { name: "Enhanced scan of web-0" }));
    expect(await screen.findByText("Enhanced scan dialog of web-0")).toBeTruthy();
  });

  test("a click on a column sorts by it on the server, and a search and filters are sent to it", async () => {
    const { user, router } = show();
    const table = within(await screen.findByRole("table", { name: "Discovery targets" }));
    const asked = (name: string) => api.requestsTo(TARGETS).at(-1)?.query.get(name);
    await user.click(table.getByRole("button", { name: "Basic Scan" }));
    await waitFor(() => expect(asked("sort")).toBe("basic"));
    await user.type(screen.getByRole("searchbox", { name: "Search discovery targets" }), "web");
    await waitFor(() => expect(asked("search")).toBe("web"));
    for (const [filter, choice, name, value] of [
      ["Type", "Windows", "type", "windows"],
      ["Status", "Inactive", "active", "false"],
      ["Last scan", "Last scan failed", "last_scan", "failed"],
    ] as const) {
      await user.click(screen.getByRole("combobox", { name: filter }));
      await user.click(await screen.findByRole("option", { name: choice }));
      await waitFor(() => expect(asked(name)).toBe(value));
    }
    expect(router.state.location.search).toBe("?sort=basic&search=web&type=windows&active=false&last_scan=failed");
  });

  test("the name opens the details with the alarm about a changed host key", async () => {
    const key = (name: string) => ({ type: "ssh-ed25519", fingerprint: `SHA256:${name}` });
    const changed = { ...many[0]!, host_key: key("old"), offered_host_key: key("new"), description: "The shop" };
    api.on(TARGETS, page(changed, ...many.slice(1)));
    const { user } = show();
    const table = within(await screen.findByRole("table", { name: "Discovery targets" }));
    expect(table.getByText("Key changed")).toBeTruthy();
    await user.click(table.getByRole("button", { name: "web-0" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Target Details" }));
    expect(dialog.getByRole("alert", { name: "Host key alarm" })).toBeTruthy();
    for (const text of ["The shop", "web-01.internal", "Only when started"])
      expect(dialog.getByText(text)).toBeTruthy();
  });
});

test("a search without results can be cleared", async () => {
  api.on(TARGETS, ({ query }) => page(...(query.has("search") ? [] : [aTarget])));
  const { user } = show("?search=none");
  expect(await screen.findByText("No target matches your search and filters.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Clear Search and Filters" }));
  expect(await screen.findByText("web-01")).toBeTruthy();
});

test("DISC-24, DISC-26: a type sets port and method; a failed load of credentials gives a toast", async () => {
  api.on(TARGETS, page(aTarget));
  const { user } = show();
  await chooseFor(user, "web-01", "Edit");
  const dialog = within(await screen.findByRole("dialog", { name: "Edit Discovery Target" }));
  await user.click(await dialog.findByRole("combobox", { name: "Type" }));
  await user.click(await screen.findByRole("option", { name: "Database" }));
  await user.click(dialog.getByRole("button", { name: "Next" }));
  const method = await dialog.findByRole<HTMLInputElement>("textbox", { name: "Connection Method" });
  expect(method.value).toBe("Database login");
  api.on("GET /api/v1/accounts", problem(500, "internal", "Away."));
  await user.click(dialog.getByRole("combobox", { name: "Credential" }));
  expect(await screen.findByText("Failed to load credentials")).toBeTruthy();
  await user.click(dialog.getByRole("button", { name: "Next" }));
  expect((await dialog.findByRole<HTMLInputElement>("textbox", { name: "Port" })).value).toBe("3306");
});

test("DISC-15: a target shows its type in upper case", async () => {
  api.on(TARGETS, page({ ...aTarget, target_type: "active_directory", connection_method: "https" }));
  show();
  expect(await screen.findByText("ACTIVE_DIRECTORY")).toBeTruthy();
});

test("a changed host key is shown with both keys, and accepted exactly as presented", async () => {
  const [pinned, offered] = ["old", "new"].map((name) => ({ type: "ssh-ed25519", fingerprint: `SHA256:${name}` }));
  api.on(TARGETS, page({ ...aTarget, host_key: pinned, offered_host_key: offered }));
  const ACCEPT = `POST /api/v1/discovery/targets/${TARGET_ID}/accept-host-key`;
  api.on(ACCEPT, { json: { ...aTarget, host_key: offered } });
  const { user } = show();
  const alarm = within(await screen.findByRole("alert", { name: "Host key alarm" }));
  expect(alarm.getByText("ssh-ed25519 SHA256:old")).toBeTruthy();
  await user.click(alarm.getByRole("button", { name: "Accept New Host Key" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Accept New Host Key" }));
  await user.click(dialog.getByRole("button", { name: "Accept New Host Key" }));
  await waitFor(() => expect(api.requestsTo(ACCEPT)[0]?.body).toEqual({ fingerprint: "ssh-ed25519 SHA256:new" }));
});
