import { expect, test } from "vitest";
import { checkRequest, payloadOf, type RequestFormValues } from "./request-form-values.ts";
import { aResource } from "../testing/a-request.ts";

const NOW = Date.parse("2026-11-21T10:00:00.000Z");
const resource = aResource({ ticket_required: true });
const values = (given: Partial<RequestFormValues> = {}): RequestFormValues => ({
  picked: { text: resource.name, resource },
  system: "",
  reason: " disk full ",
  ticket: "OPS-1",
  duration: "1 hour",
  startsAt: "",
  ...given,
});

test("JIT-27: resource and business justification are required, system details are not", () => {
  const empty = values({ picked: { text: " ", resource: null }, reason: " ", ticket: "" });
  expect(checkRequest(empty, NOW)).toEqual({
    picked: "Resource is required",
    reason: "Business justification is required",
  });
  expect(checkRequest(values(), NOW)).toEqual({});
});

test("a platform that requires a ticket makes the ticket mandatory, and the start must be in the future", () => {
  expect(checkRequest(values({ ticket: "" }), NOW)).toEqual({ ticket: "Ticket is required" });
  expect(checkRequest(values({ startsAt: "2026-11-20T10:00" }), NOW)).toHaveProperty("startsAt");
});

test("JIT-19: sends the system name for free text, and the account id for a selected account", () => {
  expect(payloadOf(values(), 60)).toEqual({
    resource: resource.name,
    account_id: resource.account_id,
    reason: "disk full",
    ticket: "OPS-1",
    durationMinutes: 60,
  });
  const free = values({ picked: { text: "the old mainframe", resource: null }, system: "z/OS", ticket: "" });
  expect(payloadOf(free, 30)).toEqual({
    resource: "the old mainframe",
    system: "z/OS",
    reason: "disk full",
    durationMinutes: 30,
  });
});
