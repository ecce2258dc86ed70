import { expect, test } from "vitest";
import { noteOf } from "./request-words.ts";
import { aRequest, anActiveRequest } from "./testing/a-request.ts";

const NOW = Date.now();

test("a pending request says what it waits for", () =>
  expect(noteOf(aRequest(), NOW)?.text).toBe("Level 1: 0 of 1 approval, 2 people may decide."));

test("a rule without an eligible approver says that it stays closed", () =>
  expect(noteOf(aRequest({ approval: { level: 2, needed: 1, given: 0, eligible: 0 } }), NOW)).toEqual({
    tone: "danger",
    text: "Nobody may approve it now: it stays closed until somebody can.",
  }));

test("free text waits for an administrator, and an emergency for its review", () => {
  expect(noteOf(aRequest({ account_id: null }), NOW)?.text).toMatch(/^Free text/);
  expect(noteOf(anActiveRequest({ is_break_glass: true, needs_review: true }), NOW)?.tone).toBe("danger");
});

test("an extension that waits is told, and an ended access says why", () => {
  expect(noteOf(anActiveRequest({ pending_extension_minutes: 30 }), NOW)?.text).toMatch(/^Asks for 30 minutes more/);
  expect(noteOf(anActiveRequest({ status: "revoked", ended_because: "Revoked by Ada" }), NOW)?.text).toBe(
    "Revoked by Ada",
  );
  expect(noteOf(anActiveRequest(), NOW)).toBeNull();
});
