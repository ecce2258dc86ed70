// Tests of machine identities in the Admin Console.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { MachineIdentities } from "./machine-identities.tsx";
import { TOKEN_CHOICES, aMachine, aToken } from "../testing/a-token.ts";

const LIST = "GET /api/v1/machine-identities";
const TOKEN = `srt_${"b".repeat(49)}`;
let api: TestApi;
beforeEach(async () => {
  signInForTest({ role: "admin" });
  api = await startApi({
    [LIST]: { json: { data: [aMachine()], next_cursor: null } },
    "GET /api/v1/tokens/policy": { json: { person_days: 90, machine_days: 365 } },
    "GET /api/v1/users/:id/tokens": { json: { data: [], choices: { ...TOKEN_CHOICES, most_days: 365 } } },
    "GET /api/v1/safes": { json: { safes: [], next_cursor: null } },
    "GET /api/v1/safes/principals": {
      json: {
        principals: [
          {
            user_id: null,
            group_id: "66666666-6666-4666-8666-666666666666",
            name: "Operators",
            hint: null,
            is_machine: false,
          },
          {
            user_id: "77777777-7777-4777-8777-777777777777",
            group_id: null,
            name: "Build server",
            hint: null,
            is_machine: true,
          },
        ],
      },
    },
  });
});
afterEach(() => api.close());

test("each row shows the role, the responsible user and the tokens, and the search runs on the server", async () => {
  const { user } = renderScreen(<MachineIdentities />);
  const list = within(await screen.findByRole("list", { name: "Machine identities" }));
  expect(list.getByText("Build server")).toBeTruthy();
  expect(list.getByText(/Responsible: Operators · 1 active token/)).toBeTruthy();
  api.on(LIST, { json: { data: [], next_cursor: null } });
  await user.type(screen.getByRole("searchbox", { name: "Search machine identities" }), "x");
  expect(await screen.findByText("No machine identities found")).toBeTruthy();
  expect(api.requestsTo(LIST).at(-1)?.query.get("search")).toBe("x");
});

test("creating a machine identity requires a responsible user or group, and a machine identity is never offered as one", async () => {
  api.on("POST /api/v1/machine-identities", { status: 201, json: aMachine({ name: "Robot" }) });
  const { user } = renderScreen(<MachineIdentities />);
  await user.click(await screen.findByRole("button", { name: "Create" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Create Machine Identity" }));
  await user.type(dialog.getByLabelText(/^Name/), "Robot");
  await user.click(dialog.getByRole("button", { name: "Create" }));
  expect(await dialog.findByText("Choose one responsible person or group.")).toBeTruthy();
  await user.type(dialog.getByRole("combobox", { name: /Responsible person or group/ }), "Op");
  await user.click(await screen.findByRole("option", { name: /Operators/ }));
  expect(screen.queryByRole("option", { name: /Build server/ })).toBeNull();
  await user.click(dialog.getByRole("button", { name: "Create" }));
  expect(await screen.findByText("Machine identity created")).toBeTruthy();
  expect(api.requestsTo("POST /api/v1/machine-identities")[0]?.body).toEqual({
    name: "Robot",
    description: "",
    role: "user",
    responsible_group_id: "66666666-6666-4666-8666-666666666666",
  });
});

test("a new token of a machine identity shows once, and then the list shows all its tokens", async () => {
  const made = aToken({ name: "Pipeline", holder: { id: aMachine().id, name: "Build server", kind: "machine" } });
  api.on("POST /api/v1/machine-identities/:id/tokens", { status: 201, json: { token: TOKEN, details: made } });
  const { user } = renderScreen(<MachineIdentities />);
  await user.click(await screen.findByRole("button", { name: "Actions for Build server" }));
  await user.click(await screen.findByRole("menuitem", { name: "Tokens" }));
  const tokens = within(await screen.findByRole("dialog", { name: "Tokens of Build server" }));
  await user.click(await tokens.findByRole("button", { name: "Create Token" }));
  const form = within(await screen.findByRole("dialog", { name: "Create Token for Build server" }));
  await user.type(form.getByLabelText(/^Name/), "Pipeline");
  await user.click(form.getByRole("button", { name: "Create Token" }));
  const shown = within(await screen.findByRole("dialog", { name: "Your New Token" }));
  expect(shown.getByText(TOKEN)).toBeTruthy();
  await user.click(shown.getByRole("button", { name: "Done" }));
  expect(await screen.findByRole("dialog", { name: "Tokens of Build server" })).toBeTruthy();
});

test("disabling and deleting ask for confirmation, and the token lifetime policy is saved", async () => {
  api.on("PUT /api/v1/users/:id/status", { json: {} });
  api.on("PUT /api/v1/tokens/policy", { json: { person_days: 30, machine_days: 365 } });
  const { user } = renderScreen(<MachineIdentities />);
  await user.click(await screen.findByRole("button", { name: "Actions for Build server" }));
  await user.click(await screen.findByRole("menuitem", { name: "Disable" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Disable Build server" }));
  await user.click(dialog.getByRole("button", { name: "Disable" }));
  await waitFor(() => expect(api.requestsTo("PUT /api/v1/users/:id/status")[0]?.body).toEqual({ status: "disabled" }));
  const days = await screen.findByLabelText("User tokens (maximum days)");
  await user.clear(days);
  await user.type(days, "30");
  await user.click(
    within(screen.getByRole("form", { name: "API token policy" })).getByRole("button", { name: "Save" }),
  );
  await waitFor(() =>
    expect(api.requestsTo("PUT /api/v1/tokens/policy")[0]?.body).toEqual({ person_days: 30, machine_days: 365 }),
  );
});
