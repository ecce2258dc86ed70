import { screen, waitFor, within } from "@testing-library/react";
import type { AccessRequest } from "@strongroom/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { aRequest } from "../testing/a-request.ts";
import RequestPage from "./request-page.tsx";

const request = aRequest({ ticket: "CHG-4711", duration_minutes: 120 });
const next = aRequest({ username: "Pia" });
const denied = aRequest({ status: "denied", computed_status: "denied", business_justification: "Try a new kernel" });
const RISK = { level: "high", reasons: ["Outside usual hours", "Production system"], account_status: "rejected" };

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  const counts = { pending: 2, active: 0, history: 1 };
  const page = (requests: AccessRequest[]) => ({ json: { requests, next_cursor: null, counts } });
  api = await startApi({
    "GET /api/v1/jit": ({ query }) => page(query.has("user_id") ? [request, denied] : [request, next]),
    [`GET /api/v1/jit/${request.id}`]: { json: request },
    [`GET /api/v1/jit/${next.id}`]: { json: next },
    "GET /api/v1/jit/:id/risk": { json: RISK },
    "GET /api/v1/sessions": {
      json: {
        sessions: [],
        next_cursor: null,
        figures: { active: 0, recorded_today: 0, high_risk: 0, average_seconds: null },
      },
    },
  });
});
afterEach(() => api.close());

async function openPage(of = request) {
  const view = renderScreen(<RequestPage />, { at: `/jit-access/${of.id}`, path: "/jit-access/:id" });
  await screen.findByRole("heading", { level: 1, name: `${of.username} → ${of.resource}` });
  return view;
}

test("shows who, what, why, how long, the ticket and the risk with its reasons", async () => {
  await openPage();
  const facts = within(screen.getByRole("region", { name: "Request" }));
  for (const text of ["Olga (olga@example.test)", "The disk is full", "2 hours", "CHG-4711", "On approval"])
    expect(facts.getByText(text)).toBeTruthy();
  const decision = within(screen.getByRole("region", { name: "Decision" }));
  expect(await decision.findByText("High")).toBeTruthy();
  const reasons = within(decision.getByRole("list", { name: "Reasons for the risk" })).getAllByRole("listitem");
  expect(reasons.map(({ textContent }) => textContent)).toEqual(RISK.reasons);
  expect(decision.getByText("Rejected")).toBeTruthy();
});

test("shows the requester's earlier requests and sessions on this account only", async () => {
  await openPage();
  const earlier = within(await screen.findByRole("list", { name: "Earlier Requests for This Account" }));
  expect(earlier.getAllByRole("listitem")).toHaveLength(1);
  expect(earlier.getByText("Try a new kernel")).toBeTruthy();
  expect(await screen.findByText("No session that you may see.")).toBeTruthy();
  const about = { user_id: request.user_id, account_id: request.account_id };
  const asked = api.requestsTo("GET /api/v1/jit").find(({ query }) => query.has("user_id"));
  for (const { query } of [asked!, api.requestsTo("GET /api/v1/sessions")[0]!])
    expect(Object.fromEntries(query)).toMatchObject(about);
});

test("JIT-22: approves and denies by keyboard alone", async () => {
  const { user } = await openPage();
  const APPROVE = `POST /api/v1/jit/${request.id}/approve`;
  api.on(APPROVE, { json: { ...request, status: "active", approval: null, can: [] } });
  await user.keyboard("d");
  expect(await screen.findByRole("dialog", { name: "Deny Request" })).toBeTruthy();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.keyboard("a");
  const dialog = within(await screen.findByRole("dialog", { name: "Approve Request" }));
  await waitFor(() => expect(document.activeElement).toBe(dialog.getByRole("textbox", { name: "Comment" })));
  await user.keyboard("go ahead{Control>}{Enter}{/Control}");
  expect(await screen.findByText("Request approved")).toBeTruthy();
  expect(api.requestsTo(APPROVE)[0]?.body).toEqual({ comment: "go ahead" });
});

test("j opens the next waiting request, and k the previous one", async () => {
  const { user, router } = await openPage();
  await screen.findByRole("link", { name: /Next request/ });
  await user.keyboard("j");
  await screen.findByRole("heading", { level: 1, name: "Pia → root on web1" });
  expect(router.state.location.pathname).toBe(`/jit-access/${next.id}`);
  await screen.findByRole("link", { name: /Previous/ });
  await user.keyboard("k");
  await screen.findByRole("heading", { level: 1, name: "Olga → root on web1" });
});

test("users who may not decide see no buttons and cannot use the keys", async () => {
  api.on(`GET /api/v1/jit/${request.id}`, { json: { ...request, can: [] } });
  const { user } = await openPage();
  await user.keyboard("a");
  await user.keyboard("d");
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.queryByRole("button", { name: /Approve|Deny/ })).toBeNull();
});

test("a request in free text has no risk yet", async () => {
  const free = aRequest({ account_id: null, resource: "the mainframe" });
  api.on(`GET /api/v1/jit/${free.id}`, { json: free });
  await openPage(free);
  expect(screen.getByText("The risk is known once an account has been assigned.")).toBeTruthy();
  expect(api.requestsTo("GET /api/v1/jit/:id/risk")).toHaveLength(0);
});

test("a hidden or missing request says so and leads back", async () => {
  api.on(`GET /api/v1/jit/${request.id}`, problem(404, "access-request.not-found", "Access request not found"));
  renderScreen(<RequestPage />, { at: `/jit-access/${request.id}`, path: "/jit-access/:id" });
  expect(await screen.findByRole("heading", { name: "Request Not Found" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Back to Just-in-Time Access" }).getAttribute("href")).toBe("/jit-access");
});
