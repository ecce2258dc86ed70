import { expect, test } from "vitest";
import { noteOf } from "./request-labels.ts";
import { aRequest, anActiveRequest } from "./testing/a-request.ts";

const NOW = Date.now();

test("a pending request shows the approvals it needs", () =>
  expect(noteOf(aRequest(), NOW)?.text).toBe("Level 1: 0 of 1 approval, 2 people can approve."));

test("a request without an eligible approver says that access stays closed", () =>
  expect(noteOf(aRequest({ approval: { level: 2, needed: 1, given: 0, eligible: 0 } }), NOW)).toEqual({
    tone: "danger",
    text: "No approver is available. The request waits until there is one.",
  }));

test("a free-text request needs an administrator, and emergency access needs a review", () => {
  expect(noteOf(aRequest({ account_id: null }), NOW)?.text).toMatch(/^Free text/);
  expect(noteOf(anActiveRequest({ is_break_glass: true, needs_review: true }), NOW)?.tone).toBe("danger");
});

test("shows a pending extension, and the reason why access ended", () => {
  expect(noteOf(anActiveRequest({ pending_extension_minutes: 30 }), NOW)?.text).toMatch(/^Requests 30 more minutes/);
  expect(noteOf(anActiveRequest({ status: "revoked", ended_because: "Revoked by Ada" }), NOW)?.text).toBe(
    "Revoked by Ada",
  );
  expect(noteOf(anActiveRequest(), NOW)).toBeNull();
});
