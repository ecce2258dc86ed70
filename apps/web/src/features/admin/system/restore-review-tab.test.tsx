import { screen, within } from "@testing-library/react";
import type { ReplyOf, SuspendedToken, readRestoreReview } from "@strongroom/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import AdminPage from "#app/pages/admin-page.tsx";

const MOMENT = "2026-11-20T08:00:00.000Z";
const token = {
  id: "0190c0de-0000-4000-8000-00000000beef" as SuspendedToken["id"],
  name: "the pipeline's token",
  begins: "srt_ab12",
  holder: {
    id: "0190c0de-0000-4000-8000-00000000d111" as SuspendedToken["holder"]["id"],
    name: "a pipeline",
    kind: "machine",
  },
  created_at: MOMENT,
  expires_at: MOMENT,
  last_used_at: MOMENT,
  last_used_from: "10.0.0.7",
} satisfies SuspendedToken;
const review = {
  open: [
    {
      found_by: "restore",
      backup_made_at: MOMENT,
      is_authenticated: false,
      restored_at: MOMENT,
      missing_entries: 1234,
      ended: {
        sessions: 2,
        sign_ins: 0,
        links: 1,
        grants: 0,
        check_outs: 0,
        rotations: 0,
        tokens: 1,
        admin_resets: 0,
        closures: 0,
        recovery_codes: 0,
        ssh_keys: 0,
        approvals: 0,
      },
      changes: [{ at: MOMENT, event: "user.status-changed", by: "Ada", target: "Leaver" }],
    },
  ],
  suspended_tokens: [token],
} satisfies ReplyOf<typeof readRestoreReview>;

const ROUTE = "GET /api/v1/admin/restore-review";
let api: TestApi;
beforeEach(async () => {
  signInForTest({ role: "admin" });
  api = await startApi({
    "GET /api/v1/users": { json: { data: [], next_cursor: null } },
    "GET /api/v1/users/pending-resets": { json: { data: [] } },
    [ROUTE]: { json: review },
  });
});
afterEach(() => api.close());

const open = () => renderScreen(<AdminPage />, { at: "/admin?tab=restore-review" });
const region = async (name: string) => within(await screen.findByRole("region", { name }));
const dialog = async () => within(await screen.findByRole("dialog"));

test("the review shows the ended objects, the undone changes and that the backup was not authenticated", async () => {
  open();
  const shown = await region("The database was restored");
  expect(shown.getByText("1,234")).toBeTruthy();
  expect(shown.getByText("2 sessions ended")).toBeTruthy();
  expect(shown.queryByText(/grants? ended/)).toBeNull();
  expect(shown.getByText("User status changed: Leaver")).toBeTruthy();
  expect(shown.getByText("The backup was not authenticated")).toBeTruthy();
});

test("a suspended token works again after confirmation", async () => {
  const { user } = open();
  const tokens = await region("Suspended API Tokens");
  expect(tokens.getByText(/a pipeline \(machine identity\) · last used/)).toBeTruthy();
  const route = "POST /api/v1/admin/restore-review/tokens";
  api.on(route, { json: { message: "The token works again." } });
  await user.click(tokens.getByRole("button", { name: "Confirm the pipeline's token" }));
  expect(api.requestsTo(route)).toEqual([]);
  await user.click((await dialog()).getByRole("button", { name: "Confirm" }));
  expect(await screen.findByText("The token works again")).toBeTruthy();
});

test("finishing the review says how many tokens stay suspended", async () => {
  const { user } = open();
  api.on("POST /api/v1/admin/restore-review/finish", { json: { message: "The review is finished." } });
  await user.click(await screen.findByRole("button", { name: "Finish Review" }));
  const asked = await dialog();
  expect(asked.getByText(/1 API token will stay suspended/)).toBeTruthy();
  api.on(ROUTE, { json: { open: [], suspended_tokens: [] } });
  await user.click(asked.getByRole("button", { name: "Finish" }));
  expect(await screen.findByText("No restore to review")).toBeTruthy();
});

test("a review that failed to load can be retried", async () => {
  api.on(ROUTE, problem(500, "internal", "The database is away."));
  const { user } = open();
  await screen.findByText("The database is away.");
  api.on(ROUTE, { json: review });
  await user.click(screen.getByRole("button", { name: "Retry" }));
  await region("The database was restored");
});
