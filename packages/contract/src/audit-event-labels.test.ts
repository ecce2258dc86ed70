import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoints } from "./all.ts";
import { EVENTS_WITHOUT_CALL } from "./audit.ts";
import { labelOfAuditEvent, labelOfFailedEvent } from "./audit-event-labels.ts";

test("a refused call is not titled as done", () => {
  assert.equal(labelOfFailedEvent("account.retrieved"), "Account not retrieved");
  assert.equal(labelOfFailedEvent("privileged-session.started"), "Privileged session not started");
  assert.equal(labelOfFailedEvent("session.started"), "Sign-in failed");
  const ofCalls = new Set(endpoints.map(({ endpoint }) => endpoint.audit));
  const unchanged = [...ofCalls].filter((event) => labelOfFailedEvent(event) === labelOfAuditEvent(event));
  assert.deepEqual(unchanged.toSorted(), ["credential.verified", "none"]);
});

test("an event that reports a problem keeps its label", () => {
  for (const event of EVENTS_WITHOUT_CALL.filter((each) => /failed$|refused$|login-rejected$/.test(each)))
    assert.equal(labelOfFailedEvent(event), labelOfAuditEvent(event));
});
