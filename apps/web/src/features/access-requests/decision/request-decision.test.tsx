import { NotificationId, type Notification } from "@strongroom/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { notificationActs } from "#app/shell/shell.tsx";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { invalidatePath } from "#shared/api/query.ts";
import { NotificationActionHandlers } from "#shared/notifications/notification-acts.ts";
import { NotificationBell } from "#shared/notifications/notification-bell.tsx";
import { aRequest } from "../testing/a-request.ts";

const asked = aRequest({
  status: "pending",
  business_justification: "The queue is stuck",
  approval: { level: 1, needed: 2, given: 1, eligible: 2 },
  can: ["approve", "deny"],
});
const waiting: Notification = {
  id: NotificationId.parse("00000000-0000-4000-8000-000000000001"),
  type: "jit_alert",
  title: `${asked.username} asks for ${asked.resource}`,
  message: "For 60 minutes.",
  severity: "high",
  timestamp: new Date().toISOString(),
  read: false,
  actionRequired: true,
  metadata: { request_id: asked.id },
  link: `/jit-access?request=${asked.id}`,
};

const ONE = "GET /api/v1/jit/:id";
let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    "GET /api/v1/notifications": { json: { notifications: [waiting], unread: 1 } },
    [ONE]: { json: asked },
    "POST /api/v1/jit/:id/approve": { json: { ...asked, status: "active", approval: null, can: [] } },
    "POST /api/v1/jit/:id/deny": problem(409, "access-request.wrong-state", "This was decided already"),
  });
});
afterEach(() => api.close());

async function openBell() {
  const bell = (
    <NotificationActionHandlers value={notificationActs}>
      <NotificationBell />
    </NotificationActionHandlers>
  );
  const view = renderScreen(bell, { at: "/" });
  await view.user.click(await screen.findByRole("button", { name: /^Notifications/ }));
  const line = within(await screen.findByRole("listitem"));
  await line.findByText("The queue is stuck");
  return { ...view, line };
}

describe("deciding on approvals in the notification bell", () => {
  test("approves with a comment, shows the approvals still needed, and then hides the buttons", async () => {
    const { user, line } = await openBell();
    await user.click(line.getByRole("button", { name: "Approve" }));
    expect(line.getByText(/1 of 2 approvals/)).toBeTruthy();
    await user.type(line.getByRole("textbox", { name: "Comment" }), "Go ahead");
    api.on(ONE, { json: { ...asked, can: [] } });
    await user.click(line.getByRole("button", { name: "Approve" }));
    expect(await screen.findByText("Request approved")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/jit/:id/approve")[0]?.body).toEqual({ comment: "Go ahead" });
    await waitFor(() => expect(line.queryByRole("button", { name: "Deny" })).toBeNull());
  });

  test("an approval that is not the last one needed is reported as recorded", async () => {
    const approval = { level: 2, needed: 1, given: 0, eligible: 3 };
    api.on("POST /api/v1/jit/:id/approve", { json: { ...asked, approval, can: [] } });
    const { user, line } = await openBell();
    await user.click(line.getByRole("button", { name: "Approve" }));
    await user.click(line.getByRole("button", { name: "Approve" }));
    expect(await screen.findByText("Approval recorded. Level 2 needs 1 more approval.")).toBeTruthy();
    expect(screen.queryByText("Request approved")).toBeNull();
  });

  test("hides the buttons when another approver decides", async () => {
    const { line, queryClient } = await openBell();
    api.on(ONE, { json: { ...asked, can: [] } });
    // Simulates the live event of the decision.
    await invalidatePath(queryClient, "/api/v1/jit");
    await waitFor(() => expect(line.queryByRole("button", { name: "Approve" })).toBeNull());
  });

  test("shows the server's text when a decision is refused", async () => {
    const { user, line } = await openBell();
    await user.click(line.getByRole("button", { name: "Deny" }));
    await user.click(line.getByRole("button", { name: "Deny" }));
    expect(await screen.findByText("This was decided already")).toBeTruthy();
  });
});
