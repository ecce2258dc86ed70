import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import type { AccessRequest } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type ApiRoute, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { nearTime } from "#shared/format/time.ts";
import JitAccessPage from "./jit-access-page.tsx";
import { aRequest, aResource, anActiveRequest } from "../testing/a-request.ts";

let api: TestApi;
const LIST = "GET /api/v1/jit";
const COUNTS = { pending: 2, active: 1, history: 4 };

beforeEach(async () => {
  signInForTest();
  api = await startApi({
    "GET /api/v1/jit/admin/statistics": { json: { total: 7, active: 1, expiring_soon: 1, expired: 3 } },
    "GET /api/v1/jit/resources": { json: { resources: [] } },
  });
});
afterEach(() => api.close());

const page = (...requests: AccessRequest[]): ApiRoute => ({ json: { requests, next_cursor: null, counts: COUNTS } });

async function openPage(at: string, ...requests: AccessRequest[]) {
  api.on(LIST, page(...requests));
  for (const request of requests) api.on(`GET /api/v1/jit/${request.id}`, { json: request });
  const view = renderScreen(<JitAccessPage />, { at });
  await screen.findByRole("list", { name: "Access requests" });
  return view;
}

const card = (name = "root on web1") => screen.getByRole("article", { name });
const act = (action: string) => within(card()).getByRole("button", { name: action });
const answering = (id: string, verb: string) => `POST /api/v1/jit/${id}/${verb}`;

describe("the just-in-time page", () => {
  test("JIT-02, JIT-03, JIT-05: shows figures, tabs with counts, and New Request", async () => {
    await openPage("/jit-access", aRequest());
    for (const [label, value] of [
      ["Total Requests", "7"],
      ["Active Sessions", "1"],
      ["Expiring Soon", "1"],
      ["Expired", "3"],
    ] as const) {
      expect(within(await screen.findByRole("article", { name: label })).getByText(value)).toBeTruthy();
    }
    expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual([
      "Pending Requests2",
      "Active Access1",
      "History4",
    ]);
    expect(screen.getByRole("button", { name: "New Request" })).toBeTruthy();
  });

  test("JIT-24 to JIT-26: each tab loads its requests and is kept in the address", async () => {
    const { user, router } = await openPage("/jit-access", aRequest());
    expect(api.requestsTo(LIST)[0]?.query.get("status")).toBe("pending");
    await user.click(screen.getByRole("tab", { name: /Active Access/ }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("status")).toBe("active"));
    await user.click(screen.getByRole("tab", { name: /History/ }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("status")).toBe("history"));
    expect(router.state.location.search).toBe("?tab=history");
  });

  test("shows more than 20 requests as a table with details and actions", async () => {
    const many = Array.from({ length: 21 }, (_, index) => aRequest({ resource: `root on web${index}` }));
    api.on(LIST, page(...many));
    const { user } = renderScreen(<JitAccessPage />, { at: "/jit-access" });
    const table = within(await screen.findByRole("table", { name: "Access requests" }));
    await user.click(table.getByRole("button", { name: "Actions for root on web0 for Olga" }));
    const items = (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent);
    expect(items.slice(0, 1)).toEqual(["Approve"]);
    expect(items).toContain("Details");
    await user.keyboard("{Escape}");
    await user.click(table.getByRole("button", { name: "root on web0" }));
    expect(within(await screen.findByRole("dialog")).getByText("The disk is full")).toBeTruthy();
    await user.keyboard("{Escape}");
    await user.click(await screen.findByRole("button", { name: "Cards" }));
    expect(await screen.findByRole("article", { name: "root on web0" })).toBeTruthy();
  });

  test("JIT-04, JIT-10, JIT-16, OPEN-97, OPEN-98: a card shows requester, resource, reason and risk", async () => {
    await openPage("/jit-access", aRequest());
    for (const text of ["Olga · web1.internal", "The disk is full", "1 hour", "Medium", "Pending"]) {
      expect(within(card()).getByText(text)).toBeTruthy();
    }
  });

  test("JIT-07: a card shows the remaining time of active access, and none after it ends", async () => {
    await openPage("/jit-access?tab=active", anActiveRequest());
    expect(within(card()).getByText("1h 30m")).toBeTruthy();
  });

  test("JIT-33, JIT-34: a failed load shows an error with Retry", async () => {
    api.on(LIST, problem(500, "internal", "The database is away."));
    const { user } = renderScreen(<JitAccessPage />, { at: "/jit-access" });
    expect(await screen.findByText("The database is away.")).toBeTruthy();
    api.on(LIST, page(aRequest()));
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByRole("article", { name: "root on web1" })).toBeTruthy();
  });

  test("a saved view sets the tab and the order, which go to the server", async () => {
    const view = {
      id: "11111111-1111-4111-8111-111111111111",
      list: "requests",
      name: "Ending soon",
      filters: { tab: "active", sort: "period" },
      is_shared: false,
      is_own: true,
      can_delete: true,
      created_at: "2026-11-01T08:00:00.000Z",
    };
    api.on("GET /api/v1/saved-views", { json: { views: [view] } });
    const { user, router } = await openPage("/jit-access", aRequest());
    await user.click(screen.getByRole("button", { name: "Views" }));
    await user.click(await screen.findByRole("button", { name: "Ending soon" }));
    expect(router.state.location.search).toBe("?tab=active&sort=period");
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("sort")).toBe("period"));
  });

  test("an empty tab explains what it will list", async () => {
    api.on(LIST, page());
    const { router } = renderScreen(<JitAccessPage />, { at: "/jit-access" });
    expect(await screen.findByText("No pending requests")).toBeTruthy();
    await router.navigate("/jit-access?tab=history");
    expect(await screen.findByText("No history yet")).toBeTruthy();
    await router.navigate("/jit-access?search=x");
    expect(await screen.findByText("No requests match your search criteria.")).toBeTruthy();
  });
});

describe("decisions", () => {
  test("JIT-22, OPEN-103: approves a pending request with a comment", async () => {
    const request = aRequest();
    const { user } = await openPage("/jit-access", request);
    const APPROVE = answering(request.id, "approve");
    api.on(APPROVE, { json: { ...request, status: "active", approval: null } });
    await user.click(act("Approve"));
    const dialog = await screen.findByRole("dialog", { name: "Approve Request" });
    fireEvent.change(within(dialog).getByRole("textbox", { name: "Comment" }), { target: { value: "go ahead" } });
    await user.click(within(dialog).getByRole("button", { name: "Approve" }));
    expect(await screen.findByText("Request approved")).toBeTruthy();
    expect(api.requestsTo(APPROVE)[0]?.body).toEqual({ comment: "go ahead" });
  });

  test.each([
    ["JIT-36", "Approve", "approve", aRequest(), "Failed to approve request"],
    ["JIT-37", "Deny", "deny", aRequest(), "Failed to deny request"],
    ["JIT-38", "Revoke", "revoke", anActiveRequest(), "Failed to revoke access"],
  ] as const)("%s: a failed %s shows an error", async (_row, button, verb, request, text) => {
    const { user } = await openPage("/jit-access?tab=active", request);
    api.on(answering(request.id, verb), problem(409, "access-request.decided", "Somebody else was faster."));
    await user.click(act(button));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: button }));
    expect(await screen.findByText(text)).toBeTruthy();
    expect(screen.getByText("Somebody else was faster.")).toBeTruthy();
  });

  test("JIT-06, JIT-20, JIT-23, JIT-30, JIT-39: an extension defaults to one hour", async () => {
    const request = anActiveRequest();
    const { user } = await openPage("/jit-access?tab=active", request);
    const EXTEND = answering(request.id, "extend");
    api.on(EXTEND, problem(422, "access-request.too-long", "Together longer than its platform allows."));
    await user.click(act("Extend"));
    const dialog = await screen.findByRole("dialog", { name: "Extend Access" });
    await user.click(within(dialog).getByRole("button", { name: "Extend Access" }));
    expect(await screen.findByText("Failed to extend access")).toBeTruthy();
    api.on(EXTEND, { json: request });
    await user.click(within(dialog).getByRole("button", { name: "Extend Access" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(api.requestsTo(EXTEND).at(-1)?.body).toEqual({ extensionMinutes: 60 });
  });

  test("the approver sees reason, system, ticket, start and duration before deciding", async () => {
    const starts_at = new Date(Date.now() + 86_400_000).toISOString();
    const request = aRequest({ system: "db1 · PostgreSQL", ticket: "CHG-4711", starts_at, duration_minutes: 120 });
    const { user } = await openPage("/jit-access", request);
    expect(within(card()).getByText(nearTime(starts_at, Date.now()))).toBeTruthy();
    await user.click(act("Approve"));
    const dialog = within(await screen.findByRole("dialog", { name: "Approve Request" }));
    const shown = [request.business_justification, "db1 · PostgreSQL", "CHG-4711", nearTime(starts_at, Date.now())];
    for (const text of [...shown, "2 hours"]) expect(dialog.getByText(text)).toBeTruthy();
  });

  test("cancels the user's own pending request instead of revoking it", async () => {
    const request = aRequest({ can: ["revoke"] });
    const { user } = await openPage("/jit-access", request);
    expect(within(card()).queryByRole("button", { name: "Revoke" })).toBeNull();
    const REVOKE = answering(request.id, "revoke");
    api.on(REVOKE, { json: { ...request, status: "revoked", can: [] } });
    await user.click(act("Cancel"));
    const dialog = within(await screen.findByRole("dialog", { name: "Cancel Request" }));
    expect(dialog.getByRole("button", { name: "Keep Request" })).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Cancel Request" }));
    expect(await screen.findByText("Request cancelled")).toBeTruthy();
    expect(api.requestsTo(REVOKE)).toHaveLength(1);
  });

  test("hides actions that the caller may not perform", async () => {
    await openPage("/jit-access", aRequest({ can: [] }));
    for (const action of ["Approve", "Deny", "Extend", "Revoke"]) {
      expect(within(card()).queryByRole("button", { name: action })).toBeNull();
    }
  });

  test("the details show the timeline in order and open from the address", async () => {
    const request = anActiveRequest();
    await openPage(`/jit-access?tab=active&request=${request.id}`, request);
    const dialog = await screen.findByRole("dialog", { name: "Request for root on web1" });
    const events = within(within(dialog).getByRole("list", { name: "Timeline" })).getAllByRole("listitem");
    expect(events.map((event) => event.querySelector("span")?.textContent)).toEqual([
      "Access started",
      "Olga requested access",
      "Ada approved (level 1)",
    ]);
  });
});

describe("Request Just-in-Time Access", () => {
  async function openForm(at = "/jit-access") {
    const view = await openPage(at, aRequest());
    if (!at.includes("ask=")) await view.user.click(screen.getByRole("button", { name: "New Request" }));
    const dialog = await screen.findByRole("dialog", { name: "Request Just-in-Time Access" });
    await within(dialog).findByRole("button", { name: "Submit Request" });
    const put = (name: string | RegExp, value: string) =>
      fireEvent.change(within(dialog).getByRole("textbox", { name }), { target: { value } });
    return { ...view, dialog, put, submit: () => within(dialog).getByRole("button", { name: "Submit Request" }) };
  }

  test("JIT-27, OPEN-150: resource and business justification are required", async () => {
    const { user, dialog, submit } = await openForm();
    await user.click(submit());
    expect(within(dialog).getByText("Resource is required")).toBeTruthy();
    expect(within(dialog).getByText("Business justification is required")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/jit")).toHaveLength(0);
  });

  test("JIT-19, JIT-28: picking an account shows its platform's requirements, and the duration defaults to one hour", async () => {
    const resource = aResource({ approvals: [{ level: 1, needed: 2, eligible: 3 }], max_duration_minutes: 120 });
    api.on("GET /api/v1/jit/resources", { json: { resources: [resource] } });
    const { user, dialog, put, submit } = await openForm();
    await user.click(within(dialog).getByRole("combobox", { name: "Resource" }));
    await user.click(await screen.findByRole("option", { name: /root on web1/ }));
    expect(within(dialog).getByText("Level 1: 2 approvals needed, 3 people can approve.")).toBeTruthy();
    put("Business justification", "disk full");
    api.on("POST /api/v1/jit", { status: 201, json: aRequest() });
    await user.click(submit());
    expect(await screen.findByText("Access request submitted")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/jit")[0]?.body).toEqual({
      resource: "root on web1",
      account_id: resource.account_id,
      reason: "disk full",
      durationMinutes: 60,
    });
  });

  test("warns before sending when no approver is available", async () => {
    const resource = aResource({ approvals: [{ level: 1, needed: 1, eligible: 0 }] });
    api.on("GET /api/v1/jit/resources", { json: { resources: [resource] } });
    const { dialog } = await openForm(`/jit-access?ask=${resource.account_id}`);
    expect(within(dialog).getByText("Level 1: 1 approval needed, but no approver is available.")).toBeTruthy();
    expect(within(dialog).getByText("The request waits until there are enough approvers.")).toBeTruthy();
  });

  test("JIT-35: a refusal shows its status and reason", async () => {
    const { user, dialog, put, submit } = await openForm();
    fireEvent.change(within(dialog).getByRole("combobox", { name: "Resource" }), { target: { value: "mainframe" } });
    put("Business justification", "disk full");
    api.on("POST /api/v1/jit", problem(409, "grant.already-active", "You have access already."));
    await user.click(submit());
    expect(await within(dialog).findByText("Failed to create request (409)")).toBeTruthy();
    expect(within(dialog).getByText("You have access already.")).toBeTruthy();
  });

  test.each([
    ["a reason", {}],
    ["a ticket too where the platform does", { ticket: "OPS-1" }],
  ])("emergency access has its own dialog and requires %s", async (_, given: { ticket?: string }) => {
    const needsTicket = given.ticket !== undefined;
    const resource = aResource({ may_break_glass: true, ticket_required: needsTicket });
    api.on("GET /api/v1/jit/resources", { json: { resources: [resource] } });
    const { user, dialog } = await openForm(`/jit-access?ask=${resource.account_id}`);
    await user.click(within(dialog).getByRole("button", { name: "Break Glass" }));
    const glass = await screen.findByRole("dialog", { name: "Break Glass: Emergency Access" });
    const open = await within(glass).findByRole("button", { name: "Break Glass" });
    expect(open).toHaveProperty("disabled", true);
    const reason = "The orders database is down";
    fireEvent.change(within(glass).getByRole("textbox", { name: /Why can this not wait/ }), {
      target: { value: reason },
    });
    expect(open).toHaveProperty("disabled", needsTicket);
    if (needsTicket) {
      fireEvent.change(within(glass).getByRole("textbox", { name: "Ticket" }), { target: { value: given.ticket } });
    }
    api.on("POST /api/v1/jit/break-glass", { status: 201, json: anActiveRequest({ is_break_glass: true }) });
    await user.click(open);
    expect(await screen.findByText("You now have access to root on web1")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/jit/break-glass")[0]?.body).toEqual({
      account_id: resource.account_id,
      reason,
      ...given,
      durationMinutes: 60,
    });
  });
});
