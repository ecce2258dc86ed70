// Tests of the rules for sessions and for slowing down guesses, without a clock and without a database.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACTIVITY_WRITE_INTERVAL,
  endOf,
  idleLimit,
  isForgotten,
  isTouchDue,
  maxSessionLifetime,
  stateOf,
  waitAfter,
} from "./sign-in.policy.ts";
import { DAY, HOUR, MINUTE, SECOND } from "./testing/attempts.ts";

const policy = { timeout_minutes: 30, privileged_timeout_minutes: 15, session_hours: 12, remembered_days: 30 };
const started = new Date("2026-11-21T09:00:00Z");
const after = (milliseconds: number) => new Date(started.getTime() + milliseconds);
const session = (more: object = {}) => ({
  role: "user" as const,
  is_remembered: false,
  created_at: started,
  last_active_at: started,
  expires_at: after(12 * HOUR),
  ...more,
});

test("OPEN-01: users have the ordinary idle limit, and admins and managers the tighter of the two", () => {
  assert.equal(idleLimit("user", policy), 30 * MINUTE);
  assert.equal(idleLimit("manager", policy), 15 * MINUTE);
  assert.equal(idleLimit("admin", { ...policy, timeout_minutes: 10 }), 10 * MINUTE);
});

test("a session stays open for its idle limit plus the interval at which activity is written", () => {
  assert.equal(stateOf(session(), policy, after(30 * MINUTE + ACTIVITY_WRITE_INTERVAL)), "open");
  assert.equal(stateOf(session(), policy, after(30 * MINUTE + ACTIVITY_WRITE_INTERVAL + 1)), "idle");
});

test("OPEN-08: a session ends at the time set at sign-in, or earlier under a tighter policy", () => {
  assert.equal(maxSessionLifetime(false, policy), 12 * HOUR);
  assert.equal(maxSessionLifetime(true, policy), 30 * DAY);
  assert.deepEqual(endOf(session(), policy), after(12 * HOUR));
  assert.deepEqual(endOf(session(), { ...policy, session_hours: 1 }), after(HOUR));
  const promised = session({ expires_at: after(2 * HOUR) });
  assert.deepEqual(endOf(promised, policy), after(2 * HOUR));
  assert.equal(stateOf(session({ last_active_at: after(12 * HOUR) }), policy, after(12 * HOUR)), "expired");
});

test("activity is written again after 30 seconds", () => {
  assert.equal(isTouchDue(started, after(30 * SECOND - 1)), false);
  assert.equal(isTouchDue(started, after(30 * SECOND)), true);
});

test("the wait doubles from the first failure beyond the free ones, up to 15 minutes", () => {
  const waits = (kind: "account" | "network") =>
    [0, 4, 5, 6, 13, 14, 29, 30, 31, 1000].map((n) => waitAfter(kind, n) / SECOND);
  assert.deepEqual(waits("account"), [0, 0, 2, 4, 512, 900, 900, 900, 900, 900]);
  assert.deepEqual(waits("network"), [0, 0, 0, 0, 0, 0, 0, 2, 4, 900]);
});

test("an account's failures are forgotten after a day, a network's after an hour", () => {
  assert.equal(isForgotten("account", started, after(DAY - 1)), false);
  assert.equal(isForgotten("account", started, after(DAY)), true);
  assert.equal(isForgotten("network", started, after(HOUR)), true);
});
