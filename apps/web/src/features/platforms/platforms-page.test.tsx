import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import type { Platform } from "@strongroom/contract";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import PlatformsPage from "./platforms-page.tsx";
import { aPlatform } from "./testing/a-platform.ts";
import { aSafe } from "#features/safes/testing/a-safe.ts";

const LIST = "GET /api/v1/platforms";
const CREATE = "POST /api/v1/platforms";
let api: TestApi;
let platforms: Platform[];
beforeEach(async () => {
  signInForTest({ role: "admin" });
  platforms = [aPlatform(), aPlatform({ name: "Domain controllers", system_type: "Windows", account_count: 3 })];
  const ssh = { system_type: "Linux", connection_method: "SSH", can_change: true, can_reconcile: true };
  api = await startApi({
    [LIST]: () => ({ json: { platforms } }),
    "GET /api/v1/platform-capabilities": { json: { capabilities: [ssh] } },
  });
});
// Loads the form's lazy chunk before the tests.
beforeAll(() => import("./platform-form.tsx"));
afterEach(() => api.close());

async function openPlatforms(at = "/admin/platforms") {
  const view = renderScreen(<PlatformsPage />, { at });
  await screen.findByRole("table", { name: "Platforms" });
  return view;
}
const rows = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell")[0]!.textContent);
const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));

describe("the platforms page", () => {
  test("groups platforms by system and summarises each policy", async () => {
    platforms[0] = aPlatform({ approvals_level_1: 1, exclusive_check_out: true, is_active: false });
    await openPlatforms();
    expect(rows().map((text) => text?.split(/(?=Linux ·|Windows ·)/)[0])).toEqual([
      "Domain controllers ",
      "Linux servers Inactive",
    ]);
    const row = within(screen.getByRole("row", { name: /Linux servers/ }));
    for (const text of ["Every day", "Every 90 days", "Approval: 1 person", "Exclusive", "Reason"]) {
      expect(row.getByText(text), text).toBeTruthy();
    }
  });

  test("marks a reconcile account that is not ready, with the reason", async () => {
    const checked = { is_ready: false, message: "It may not change others.", checked_at: new Date().toISOString() };
    const reconcile_account_id = "99999999-9999-4999-8999-999999999999" as Platform["reconcile_account_id"];
    platforms[0] = aPlatform({ reconcile_account_id, reconcile_readiness: checked });
    await openPlatforms();
    const row = within(screen.getByRole("row", { name: /Linux servers/ }));
    expect(row.getByText("Reconcile not ready")).toBeTruthy();
    expect(row.getByText(/It may not change others\. Last checked/)).toBeTruthy();
  });

  test("flags a one-time password that no connector can rotate", async () => {
    platforms[0] = aPlatform({ one_time_password: true });
    platforms[1] = aPlatform({ name: "Web shops", system_type: "Website", one_time_password: true });
    await openPlatforms();
    const flagged = within(screen.getByRole("row", { name: /Web shops/ }));
    expect(await flagged.findByText("One-time password has no effect")).toBeTruthy();
    expect(within(screen.getByRole("row", { name: /Linux servers/ })).queryByText(/no effect/)).toBeNull();
  });

  test("the form disables the one-time password and explains it when no connector can rotate the password", async () => {
    platforms[0] = aPlatform({ name: "Web shops", system_type: "Website", connection_method: "HTTPS" });
    const { user } = await openPlatforms();
    await user.click(screen.getByRole("button", { name: "Edit Web shops" }));
    const form = await dialog("Edit Platform");
    expect(await form.findByText(/no connector can rotate passwords/)).toBeTruthy();
    expect(form.getByRole("switch", { name: /^One-time password/ })).toHaveProperty("disabled", true);
  });

  test("the form does not offer session recording, because every session is recorded", async () => {
    const { user } = await openPlatforms();
    await user.click(screen.getByRole("button", { name: "Create Platform" }));
    const form = await dialog("Create Platform");
    await form.findByRole("switch", { name: /^Ticket required/ });
    expect(form.queryByRole("switch", { name: /recording|record session/i })).toBeNull();
  });

  test("users who are not administrators cannot change platforms", async () => {
    signInForTest({ role: "user" });
    await openPlatforms();
    expect(screen.queryByRole("button", { name: /Create|Edit|Delete/ })).toBeNull();
  });

  test("the address keeps the search and the system", async () => {
    const { user, router } = await openPlatforms("/admin/platforms?system=Windows");
    expect(screen.queryByText("Linux servers")).toBeNull();
    await user.selectOptions(screen.getByRole("combobox", { name: "System" }), "");
    await user.type(screen.getByRole("searchbox"), "none");
    expect(await screen.findByText("No platforms match your search.")).toBeTruthy();
    expect(router.state.location.search).toBe("?search=none");
    await user.click(screen.getByRole("button", { name: "Clear Search and Filter" }));
    await waitFor(() => expect(rows()).toHaveLength(2));
  });

  test("an empty list suggests creating a platform, and a failed load offers Retry", async () => {
    platforms = [];
    const { unmount } = renderScreen(<PlatformsPage />, { at: "/admin/platforms" });
    expect(await screen.findByText("No platforms found")).toBeTruthy();
    unmount();
    api.on(LIST, problem(500, "internal", "No"));
    renderScreen(<PlatformsPage />, { at: "/admin/platforms" });
    expect(await screen.findByText("Failed to load platforms")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  test("the form of a new platform shows an example password that follows the rules, and sends the whole policy", async () => {
    const { user } = await openPlatforms();
    api.on(CREATE, ({ body }) => ({ status: 201, json: aPlatform(body as Partial<Platform>) }));
    await user.click(screen.getByRole("button", { name: "Create Platform" }));
    const form = await dialog("Create Platform");
    const example = within(await form.findByRole("group", { name: "Example" }));
    await user.clear(form.getByLabelText("Length"));
    expect(example.getByText("Complete the numbers above to see an example.")).toBeTruthy();
    await user.type(form.getByLabelText("Length"), "32");
    expect(example.getByText((text, element) => element?.tagName === "CODE" && text.length === 32)).toBeTruthy();
    await user.type(form.getByLabelText(/^Name/), "Oracle");
    await user.click(form.getByRole("switch", { name: /^One-time password/ }));
    // Every session is recorded, so the form has no such switch.
    expect(form.queryByRole("switch", { name: /recording|record session/i })).toBeNull();
    await user.click(form.getByRole("switch", { name: /^Four eyes/ }));
    await user.click(form.getByRole("switch", { name: /^Record input/ }));
    await user.click(form.getByRole("switch", { name: /^Allow SFTP/ }));
    await user.type(form.getByLabelText("End idle sessions after"), "15");
    await user.type(form.getByLabelText("Keep recordings for"), "365");
    await user.type(form.getByLabelText("Gateway zone"), "plant-2");
    await user.click(form.getByRole("button", { name: "Create Platform" }));
    expect(await screen.findByText("Platform created successfully")).toBeTruthy();
    expect(api.requestsTo(CREATE)[0]?.body).toMatchObject({
      name: "Oracle",
      one_time_password: true,
      access_until_rotated: "blocked",
      password_rules: { length: 32, max_length: 128 },
      approvals_level_1: 0,
      session_needs_watcher: true,
      session_records_input: true,
      session_recording_days: 365,
      session_idle_minutes: 15,
      session_zone: "plant-2",
      session_allows_shell: true,
      session_allows_exec: true,
      session_allows_sftp: false,
      session_from_hour: null,
    });
  });

  test("saves the hosts and safes of a reconcile account", async () => {
    const reconcile_account_id = "99999999-9999-4999-8999-999999999999" as Platform["reconcile_account_id"];
    const first = (platforms[0] = aPlatform({ reconcile_account_id }));
    const safe = aSafe({ name: "Databases" });
    api.on("GET /api/v1/safes", { json: { safes: [safe], next_cursor: null } });
    const EDIT = `PUT /api/v1/platforms/${first.id}`;
    api.on(EDIT, { json: first });
    const { user } = await openPlatforms();
    await user.click(screen.getByRole("button", { name: "Edit Linux servers" }));
    const form = await dialog("Edit Platform");
    await user.type(await form.findByLabelText("Hosts that the reconcile account can log in to"), "*.example.com");
    await user.click(form.getByRole("combobox", { name: "Safes whose accounts it can reconcile" }));
    await user.click(await screen.findByRole("option", { name: "Databases" }));
    await user.click(form.getByRole("button", { name: "Save Changes" }));
    expect(await screen.findByText("Platform updated successfully")).toBeTruthy();
    expect(api.requestsTo(EDIT)[0]?.body).toMatchObject({
      reconcile_hosts: ["*.example.com"],
      reconcile_safe_ids: [safe.id],
    });
  });

  test("previews who gains and loses access before changed approvals are saved", async () => {
    const [first] = platforms;
    const PREVIEW = "POST /api/v1/access-control/preview";
    api.on(PREVIEW, { json: { people_gaining: 0, people_losing: 2, accounts: 5, people: [] } });
    const { user } = await openPlatforms();
    await user.click(screen.getByRole("button", { name: "Edit Linux servers" }));
    const form = await dialog("Edit Platform");
    const level1 = await form.findByLabelText("Approvals at level 1");
    const ask = () => form.queryByText("What would change?");
    expect(ask()).toBeNull();
    fireEvent.change(level1, { target: { value: "" } });
    expect(ask()).toBeNull();
    fireEvent.change(level1, { target: { value: "2" } });
    await user.click(ask()!);
    expect(await form.findByText("2 people would lose access, on 5 accounts.")).toBeTruthy();
    const change = {
      kind: "platform-approvals",
      platform_id: first!.id,
      approvals_level_1: 2,
      approvals_level_2: 0,
    };
    expect(api.requestsTo(PREVIEW).map(({ body }) => body)).toEqual([{ change }]);
    fireEvent.change(level1, { target: { value: "3" } });
    expect(form.queryByText(/would lose access/)).toBeNull();
    expect(api.requestsTo(`PUT /api/v1/platforms/${first!.id}`)).toEqual([]);
  });

  test("shows a refusal above the form and at its field", async () => {
    const { user } = await openPlatforms();
    const [first] = platforms;
    api.on(
      `PUT /api/v1/platforms/${first!.id}`,
      problem(400, "request.invalid", "Invalid", {
        errors: [{ path: "password_rules.symbols", msg: "No such symbol" }],
      }),
    );
    await user.click(screen.getByRole("button", { name: "Edit Linux servers" }));
    const form = await dialog("Edit Platform");
    await user.click(await form.findByRole("button", { name: "Save Changes" }));
    expect(await form.findByText("Failed to update platform")).toBeTruthy();
    expect(form.getByText("No such symbol")).toBeTruthy();
  });

  test("deletes only platforms without accounts, after confirmation", async () => {
    const { user } = await openPlatforms();
    const path = `DELETE /api/v1/platforms/${platforms[0]!.id}`;
    api.on(path, { json: { message: "gone" } });
    await user.click(screen.getByRole("button", { name: "Delete Domain controllers" }));
    const refused = await dialog("Delete Platform");
    expect(refused.getByText(/is used by 3 accounts/)).toBeTruthy();
    expect(refused.getByRole<HTMLButtonElement>("button", { name: "Delete" }).disabled).toBe(true);
    await user.click(refused.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await user.click(screen.getByRole("button", { name: "Delete Linux servers" }));
    await user.click((await dialog("Delete Platform")).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Platform deleted successfully")).toBeTruthy();
    expect(api.requestsTo(path)).toHaveLength(1);
  });
});
