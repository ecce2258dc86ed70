import { screen, waitFor } from "@testing-library/react";
import type { AccessRequest, LiveEvent } from "@strongroom/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { TEST_USER, signInForTest } from "#app/testing/sign-in.ts";
import { toast } from "#shared/ui/toast.ts";
import { announceRequest } from "./announce-request.tsx";
import { aRequest } from "./testing/a-request.ts";

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi();
});
afterEach(() => {
  toast.dismiss();
  return api.close();
});

type Change = Extract<LiveEvent, { type: "access-request.changed" }>["data"]["change"];

/** Delivers the event while another page is open. */
async function hear(change: Change, request: AccessRequest, requesterId: string = request.user_id) {
  const went: string[] = [];
  const view = renderScreen(<main />, { at: "/settings" });
  api.on(`GET /api/v1/jit/${request.id}`, { json: request });
  const { id, status, resource, username } = request;
  const data = {
    request_id: id,
    change,
    status,
    resource,
    requester_id: requesterId as AccessRequest["user_id"],
    requester: username,
  };
  const announcer = { client: view.queryClient, userId: TEST_USER.id, navigate: (to: string) => void went.push(to) };
  await announceRequest(data, announcer);
  return { ...view, went, again: (next: Change) => announceRequest({ ...data, change: next }, announcer) };
}

test("an approver gets a notification immediately and can approve from it", async () => {
  const request = aRequest();
  const { user } = await hear("created", request);
  expect(await screen.findByText(/Olga requests root on web1: The disk is full/)).toBeTruthy();
  api.on(`POST /api/v1/jit/${request.id}/approve`, { json: { ...request, approval: null } });
  await user.click(screen.getByRole("button", { name: "Approve" }));
  expect(await screen.findByText("Request approved")).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole("button", { name: "Approve" })).toBeNull());
});

test("the notification names duration, start, ticket and system", async () => {
  await hear("created", aRequest({ duration_minutes: 120, ticket: "CHG-4711", system: "db1 · PostgreSQL" }));
  expect(await screen.findByText("2 hours, starts on approval, ticket CHG-4711, db1 · PostgreSQL")).toBeTruthy();
});

test("a cancelled request that was never granted is not announced as ended access", async () => {
  await hear("ended", aRequest({ status: "revoked", can: [] }), TEST_USER.id);
  expect(screen.queryByText(/Your access to/)).toBeNull();
});

test("JIT-37: a failed denial shows an error and keeps the notification", async () => {
  const request = aRequest();
  const { user } = await hear("created", request);
  api.on(`POST /api/v1/jit/${request.id}/deny`, problem(409, "access-request.decided", "Decided already."));
  await user.click(await screen.findByRole("button", { name: "Deny" }));
  expect(await screen.findByText("Failed to deny request")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Deny" })).toBeTruthy();
});

test("a user who may not decide gets no notification", async () => {
  await hear("created", aRequest({ can: [] }));
  expect(screen.queryByRole("button", { name: "Approve" })).toBeNull();
});

test("the notification disappears when another approver decides", async () => {
  const { again } = await hear("created", aRequest());
  await screen.findByRole("button", { name: "Approve" });
  await again("denied");
  await waitFor(() => expect(screen.queryByRole("button", { name: "Approve" })).toBeNull());
});

test("the requester learns the result and is not asked for a decision", async () => {
  await hear("granted", aRequest({ status: "active" }), TEST_USER.id);
  expect(await screen.findByText("You now have access to root on web1")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Approve" })).toBeNull();
});

test("emergency access shows a persistent alarm that links to the request", async () => {
  const request = aRequest({ is_break_glass: true });
  const { user, went } = await hear("broken-glass", request);
  expect(await screen.findByText("Alert: emergency access")).toBeTruthy();
  expect(screen.getByText(/Olga accessed root on web1 without approval/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "View Request" }));
  expect(went).toEqual([`/jit-access/${request.id}`]);
  await waitFor(() => expect(screen.queryByText("Alert: emergency access")).toBeNull());
});
