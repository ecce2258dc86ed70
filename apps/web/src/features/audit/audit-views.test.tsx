import type { AuditSubscription, SavedView } from "@strongroom/contract";
import { screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { AuditViews } from "./audit-views.tsx";

const SUBSCRIPTIONS = "GET /api/v1/audit/subscriptions";
const view: SavedView = {
  id: "11111111-1111-4111-8111-111111111111" as SavedView["id"],
  list: "audit",
  name: "Failed sign-ins",
  filters: { event: "session.started", status: "failure" },
  is_shared: false,
  is_own: true,
  can_delete: true,
  created_at: "2026-11-01T08:00:00.000Z",
};
const subscribed = (given: Partial<AuditSubscription> = {}): AuditSubscription => ({
  view_id: view.id,
  cadence: "hourly",
  next_at: "2026-11-27T07:00:00.000Z",
  problem: null,
  ...given,
});
const AT = "/audit-logs?event=session.started&status=failure";

let api: TestApi;
beforeEach(async () => {
  signInForTest({ role: "manager" });
  api = await startApi({
    "GET /api/v1/saved-views": { json: { views: [view] } },
    [SUBSCRIPTIONS]: { json: { subscriptions: [] } },
  });
});
afterEach(() => api.close());

const show = (at = AT) => renderScreen(<AuditViews />, { at });

test("only a list that shows a saved view can be subscribed to", async () => {
  show("/audit-logs?status=failure");
  await waitFor(() => expect(api.requestsTo("GET /api/v1/saved-views")).toHaveLength(1));
  expect(await screen.findByRole("button", { name: "Views" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Subscribe" })).toBe(null);
});

test("subscribes to the shown view with the chosen cadence", async () => {
  api.on("POST /api/v1/audit/subscriptions/:id", { json: subscribed({ cadence: "daily" }) });
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Subscribe" }));
  await user.click(await screen.findByRole("menuitemradio", { name: "Every day" }));
  expect(await screen.findByText('Subscribed to "Failed sign-ins"')).toBeTruthy();
  expect(api.requestsTo("POST /api/v1/audit/subscriptions/:id").map(({ body }) => body)).toEqual([
    { cadence: "daily" },
  ]);
});

test("marks the current cadence, shows why the last check failed, and ends the subscription", async () => {
  const reason = "This search takes too long. Filter by time, event or user.";
  api.on(SUBSCRIPTIONS, { json: { subscriptions: [subscribed({ problem: reason })] } });
  api.on("DELETE /api/v1/audit/subscriptions/:id", { json: { message: "Subscription ended" } });
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Subscribed" }));
  const current = await screen.findByRole("menuitemradio", { name: "Every hour" });
  expect(current.getAttribute("aria-checked")).toBe("true");
  expect(screen.getByText(reason)).toBeTruthy();
  await user.click(screen.getByRole("menuitem", { name: "End Subscription" }));
  expect(await screen.findByText("Subscription ended")).toBeTruthy();
});

test("a refused subscription is shown with its reason", async () => {
  api.on(
    "POST /api/v1/audit/subscriptions/:id",
    problem(409, "audit-subscription.view-ends", "This view ends on a day."),
  );
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Subscribe" }));
  await user.click(await screen.findByRole("menuitemradio", { name: "Within a minute" }));
  expect(await screen.findByText("Failed to change the subscription: This view ends on a day.")).toBeTruthy();
});
