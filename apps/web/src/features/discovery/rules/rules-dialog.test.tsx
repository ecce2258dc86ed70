// Tests of the rules for discovered accounts: the list, its changes, and the form with its dry run.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { RulesDialog } from "./rules-dialog.tsx";

const RULES = "GET /api/v1/discovery/rules";
const [FIRST, SECOND, SAFE] = [1, 2, 3].map((digit) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`);
const aRule = {
  id: FIRST,
  name: "Service accounts",
  safe_id: SAFE,
  safe_name: "Web servers",
  action: "reject",
  is_enabled: false,
  target_id: null,
  target_name: null,
  name_pattern: "svc-*",
  dn_pattern: null,
  is_privileged: false,
  into_safe_id: null,
  platform_id: null,
  platform_name: null,
  onboarding_settings: null,
  reason: "Managed elsewhere",
  acts_for: "Ada",
  can_manage: true,
  created_at: "2026-11-20T10:00:00.000Z",
};
const another = { ...aRule, id: SECOND, name: "Administrators", is_enabled: true };
const MOVE = `POST /api/v1/discovery/rules/${SECOND}/move`;
const ENABLE = `POST /api/v1/discovery/rules/${FIRST}/enable`;

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ "GET /api/v1/platforms": { json: { platforms: [] } } });
});
afterEach(() => api.close());
const show = () => renderScreen(<RulesDialog opened onClose={() => {}} />);

test("rules show what they match and do, in their order, and can be moved within their safe", async () => {
  api.on(RULES, { json: { data: [aRule, another] } });
  api.on(MOVE, problem(409, "conflict", "The order has changed."));
  const { user } = show();
  const dialog = within(await screen.findByRole("dialog", { name: "Rules for Discovered Accounts" }));
  const [first, second] = within(await dialog.findByRole("list", { name: "Rules" })).getAllByRole("listitem");
  expect(within(first!).getByText(/^Web servers: .*svc-\*/)).toBeTruthy();
  expect(within(first!).getByText(/Managed elsewhere/)).toBeTruthy();
  expect(within(first!).getByText("Disabled")).toBeTruthy();
  expect(within(second!).getByText("Enabled")).toBeTruthy();
  expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Move Service accounts up" }).disabled).toBe(true);
  await user.click(dialog.getByRole("button", { name: "Move Administrators up" }));
  expect(await screen.findByText("The order has changed.")).toBeTruthy();
  expect(api.requestsTo(MOVE)[0]?.body).toEqual({ direction: "up" });
});

test("enabling a rule asks for confirmation, because it acts with the user's permissions", async () => {
  api.on(RULES, { json: { data: [aRule] } });
  api.on(ENABLE, { json: { ...aRule, is_enabled: true } });
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Enable Service accounts" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Enable Rule" }));
  expect(api.requestsTo(ENABLE)).toHaveLength(0);
  await user.click(dialog.getByRole("button", { name: "Enable" }));
  await waitFor(() => expect(api.requestsTo(ENABLE)).toHaveLength(1));
});

test("a rule that others manage has no actions, and no rules is an empty state", async () => {
  api.on(RULES, { json: { data: [{ ...aRule, can_manage: false }] } });
  const { unmount } = show();
  const list = within(await screen.findByRole("list", { name: "Rules" }));
  expect(list.queryByRole("button")).toBeNull();
  unmount();
  api.on(RULES, { json: { data: [] } });
  show();
  expect(await screen.findByText("No rules")).toBeTruthy();
});

test("the form rejects a rule without a safe, an effect or a name before sending", async () => {
  api.on(RULES, { json: { data: [] } });
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Add Rule" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Add Rule" }));
  expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Dry Run" }).disabled).toBe(true);
  await user.click(dialog.getByRole("button", { name: "Add Rule" }));
  for (const text of ["Rule name is required", "Please select a safe", "Choose a safe or a platform"])
    expect(await dialog.findByText(text)).toBeTruthy();
  expect(api.requestsTo("POST /api/v1/discovery/rules")).toHaveLength(0);
});
