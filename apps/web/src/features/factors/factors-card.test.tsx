// Tests of the card of second factors, and of the dialog that re-authenticates the user and retries the call.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest, signOutForTest } from "#app/testing/sign-in.ts";
import { FactorsCard } from "./factors-card.tsx";
import { announceProof } from "#shared/session/proof-channel.ts";
import StepUpDialog from "./step-up-dialog.tsx";

const PHONE = {
  id: "33333333-3333-4333-8333-333333333333",
  kind: "totp",
  name: "A phone",
  created_at: "2026-11-01T12:00:00.000Z",
  last_used_at: null,
};
const LIST = "GET /api/v1/auth/factors";
const REMOVE = "DELETE /api/v1/auth/factors/:id";
const STEP_UP = "POST /api/v1/auth/step-up";
const STALE = problem(403, "step-up.required", "Please prove again that it is you.");

let api: TestApi;
beforeEach(async () => {
  signOutForTest();
  signInForTest();
  api = await startApi({
    [LIST]: { json: { data: [PHONE], recovery_codes_left: 8, is_required: false } },
    [REMOVE]: { json: { message: "A phone removed" } },
    "POST /api/v1/auth/step-up/begin": { json: { kinds: ["password"], passkey: null, provider: null } },
    [STEP_UP]: { json: { proved_until: "2026-11-21T13:00:00.000Z" } },
  });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

const show = () =>
  renderScreen(
    <>
      <FactorsCard />
      <StepUpDialog />
    </>,
  ).user;

test("each factor shows its name and kind, and the card shows the number of recovery codes left", async () => {
  show();
  const row = (await screen.findByText("A phone")).closest("li")!;
  expect(row.textContent).toContain("Authenticator app");
  expect(row.textContent).toContain("Last used: never");
  expect(screen.getByText("8 codes left.")).toBeTruthy();
});

test("an empty card says how to add a factor, and a failed load can be retried", async () => {
  api.on(LIST, problem(500, "internal", "Something went wrong"));
  const user = show();
  expect(await screen.findByText("Something went wrong")).toBeTruthy();
  api.on(LIST, { json: { data: [], recovery_codes_left: 0, is_required: true } });
  await user.click(await screen.findByRole("button", { name: /try again|retry/i }));
  expect(await screen.findByText("No second factor yet")).toBeTruthy();
  expect(screen.getByText(/Your role requires a second factor/)).toBeTruthy();
});

async function askToRemove(user: ReturnType<typeof show>) {
  await user.click(await screen.findByRole("button", { name: "Remove A phone" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove" }));
}

test("a call that requires re-authentication is repeated after it", async () => {
  let asked = 0;
  api.on(REMOVE, () => ((asked += 1) === 1 ? STALE : { json: { message: "A phone removed" } }));
  const user = show();
  await askToRemove(user);
  await user.type(await screen.findByLabelText("Password"), "correct horse{Enter}");
  expect(await screen.findByText("A phone removed")).toBeTruthy();
  expect(api.requestsTo(STEP_UP)[0]?.body).toEqual({ proof: { kind: "password", password: "correct horse" } });
  expect(asked).toBe(2);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("re-authentication can be retried after a wrong proof, and cancelling it sends nothing", async () => {
  api.on(REMOVE, STALE);
  api.on(STEP_UP, problem(400, "second-step.refused", "Incorrect or already used. Try again."));
  const user = show();
  await askToRemove(user);
  await user.type(await screen.findByLabelText("Password"), "wrong{Enter}");
  expect(await screen.findByText(/Incorrect or already used/)).toBeTruthy();
  const dialog = screen.getByRole("dialog", { name: "Confirm Your Identity" });
  await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
  expect(await screen.findByText("Please prove again that it is you.")).toBeTruthy();
  expect(api.requestsTo(REMOVE)).toHaveLength(1);
});

test("a user without a password or factor in Strongroom re-authenticates at their provider in a separate window", async () => {
  api.on("POST /api/v1/auth/step-up/begin", {
    json: { kinds: [], passkey: null, provider: { id: PHONE.id, name: "Company login" } },
  });
  api.on("POST /api/v1/auth/step-up/provider", { json: { url: "https://login.corp.example/authorize?prompt=login" } });
  const opened = { location: { href: "about:blank" }, close: vi.fn() };
  const open = vi.spyOn(globalThis.window, "open").mockReturnValue(opened as unknown as Window);
  let asked = 0;
  api.on(REMOVE, () => ((asked += 1) === 1 ? STALE : { json: { message: "A phone removed" } }));
  const user = show();
  await askToRemove(user);
  await user.click(await screen.findByRole("button", { name: "Continue to Company login" }));
  expect(await screen.findByText(/Waiting for Company login/)).toBeTruthy();
  expect(opened.location.href).toBe("https://login.corp.example/authorize?prompt=login");
  announceProof();
  expect(await screen.findByText("A phone removed")).toBeTruthy();
  open.mockRestore();
});
