// Unit tests of the access request policy: statuses, required approvals and permitted actions.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  actionsOf,
  approvalsRequired,
  approvalsForExtension,
  obstacleFor,
  progressOf,
  statusOf,
} from "./access-requests.policy.ts";
import type { RequestView } from "./access-requests.policy.ts";

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 9, minutes));
const span = (minutes: number) => ({
  state: "granted" as const,
  starts_at: at(0),
  ends_at: at(minutes),
  ended_how: null,
});

test("JIT-21, OPEN-101: a grant is approved until it begins, active, expiring soon in its last tenth or 15 minutes, then expired", () => {
  const long = span(480);
  assert.equal(statusOf(long, at(-1)), "approved");
  assert.equal(statusOf(long, at(0)), "active");
  assert.equal(statusOf(long, at(464)), "active");
  assert.equal(statusOf(long, at(465)), "expiring_soon");
  assert.equal(statusOf(long, at(480)), "expired");
  const short = span(30);
  assert.equal(statusOf(short, at(26)), "active");
  assert.equal(statusOf(short, at(27)), "expiring_soon");
});

test("OPEN-102: a grant that ended early stays revoked, and a grant that ended on time stays expired, whatever the clock says", () => {
  const ended = { ...span(60), state: "ended" as const };
  assert.equal(statusOf({ ...ended, ended_how: "expired" }, at(10)), "expired");
  for (const how of ["revoked", "withdrawn", "account-deleted", "user-disabled", "member-removed"] as const) {
    assert.equal(statusOf({ ...ended, ended_how: how }, at(10)), "revoked");
  }
  const denied = { state: "denied" as const, starts_at: null, ends_at: null, ended_how: null };
  assert.equal(statusOf(denied, at(0)), "denied");
});

test("a requester without permission to use an account needs one approval, even if its platform requires none", () => {
  const platform = { approvals_level_1: 0, approvals_level_2: 0, approve_extensions: true };
  assert.deepEqual(approvalsRequired(platform, ["list"]), { level_1: 1, level_2: 0 });
  assert.deepEqual(approvalsRequired(platform, []), { level_1: 1, level_2: 0 });
  assert.deepEqual(approvalsRequired(platform, ["list", "use", "retrieve"]), { level_1: 0, level_2: 0 });
  for (const one of ["use", "retrieve", "access_without_confirmation"] as const) {
    // A grant gives both permissions, so a user who has only one of them still needs approval.
    assert.deepEqual(approvalsRequired(platform, ["list", one]), { level_1: 1, level_2: 0 });
  }
  const strict = { ...platform, approvals_level_1: 2, approvals_level_2: 1 };
  assert.deepEqual(approvalsRequired(strict, ["list", "retrieve"]), { level_1: 2, level_2: 1 });
  assert.deepEqual(approvalsRequired(strict, ["list", "access_without_confirmation"]), { level_1: 2, level_2: 1 });
  const unconfirmed = ["list", "use", "retrieve", "access_without_confirmation"] as const;
  assert.deepEqual(approvalsRequired(strict, unconfirmed), { level_1: 0, level_2: 0 });
});

test("OPEN-21: an extension needs approval if the platform requires it, and always after emergency access", () => {
  const original = { level_1: 2, level_2: 1 };
  const platform = { approvals_level_1: 0, approvals_level_2: 0, approve_extensions: false };
  assert.deepEqual(approvalsForExtension(platform, original, false), { level_1: 0, level_2: 0 });
  assert.deepEqual(approvalsForExtension({ ...platform, approve_extensions: true }, original, false), original);
  assert.deepEqual(approvalsForExtension(platform, original, true), { level_1: 1, level_2: 0 });
});

const people = (...ids: string[]): ReadonlySet<string> => new Set(ids);
const approved = (user_id: string, level: 1 | 2) => ({ user_id, level, decision: "approved" as const });

function aView(
  viewer: string,
  decisions: ReturnType<typeof approved>[] = [],
  change: Partial<RequestView> = {},
): RequestView {
  return {
    state: "pending",
    starts_at: null,
    ends_at: null,
    ended_how: null,
    user_id: "requester",
    account_id: "account",
    is_break_glass: false,
    reviewed_at: null,
    canBeRequested: true,
    canBeConnected: false,
    approvedMinutes: 0,
    mostMinutes: 480,
    round: { round: 0, level_1: 2, level_2: 1, decisions },
    overseers: {
      levels: { 1: people("ada", "ben", "both", "requester"), 2: people("cleo", "both", "requester") },
      all: people("ada", "ben", "both", "cleo", "auditor", "requester"),
    },
    viewer: { id: viewer, isAdmin: false },
    now: at(0),
    ...change,
  };
}

test("level 1 decides before level 2, no user counts at both levels, and the requester counts at neither", () => {
  const first = progressOf(aView("ada"))!;
  assert.deepEqual(
    { ...first, eligible: first.eligible.toSorted() },
    {
      level: 1,
      needed: 2,
      given: 0,
      eligible: ["ada", "ben", "both"],
    },
  );
  const second = progressOf(aView("ada", [approved("ada", 1), approved("both", 1)]))!;
  assert.deepEqual(second, { level: 2, needed: 1, given: 0, eligible: ["cleo"] });
  assert.equal(progressOf(aView("ada", [approved("requester", 1)]))!.given, 0);
  assert.equal(progressOf(aView("ada", [], { round: null })), null);
});

test("an approval counts only while its approver may still approve", () => {
  const decisions = [approved("gone", 1), approved("ada", 1)];
  const progress = progressOf(aView("ben", decisions))!;
  assert.deepEqual([progress.level, progress.given], [1, 1]);
});

test("a user who may not decide is refused with a message that names the users who may", () => {
  const said = (view: RequestView) => obstacleFor("approve", view);
  assert.equal(said(aView("ada")), null);
  assert.equal(said(aView("requester"))?.code, "access-request.own");
  assert.equal(said(aView("ada", [approved("ada", 1)]))?.code, "access-request.already-decided");
  assert.equal(said(aView("cleo"))?.code, "access-request.other-level");
  assert.equal(said(aView("auditor"))?.code, "access-request.not-approver");
  assert.equal(said(aView("ada", [], { account_id: null }))?.code, "access-request.not-approver");
  const admin = { viewer: { id: "root", isAdmin: true } };
  assert.equal(said(aView("root", [], { ...admin, account_id: null }))?.code, "access-request.not-mapped");
  assert.equal(said(aView("ada", [], { state: "denied", round: null }))?.code, "access-request.wrong-state");
});

test("JIT-23: only the requester can extend active access; the requester, an approver or an administrator can end it", () => {
  const granted = { ...span(60), round: null, approvedMinutes: 60 };
  assert.deepEqual(actionsOf(aView("requester", [], granted)), ["extend", "revoke", "retrieve"]);
  assert.deepEqual(actionsOf(aView("ada", [], granted)), ["revoke"]);
  assert.deepEqual(actionsOf(aView("auditor", [], granted)), []);
  assert.deepEqual(actionsOf(aView("requester", [], { ...granted, now: at(-5) })), ["revoke"]);
  assert.deepEqual(actionsOf(aView("requester", [], { ...granted, now: at(60) })), []);
  assert.deepEqual(actionsOf(aView("requester", [], { ...granted, approvedMinutes: 480 })), ["revoke", "retrieve"]);
});

test("the requester can connect while the access is active, if the account uses SSH", () => {
  const granted = { ...span(60), round: null, approvedMinutes: 60, canBeConnected: true };
  const canConnect = (view: RequestView) => actionsOf(view).includes("connect");
  assert.equal(canConnect(aView("requester", [], granted)), true);
  assert.equal(canConnect(aView("ada", [], granted)), false);
  assert.equal(canConnect(aView("requester", [], { ...granted, now: at(60) })), false);
  assert.equal(canConnect(aView("requester", [], { ...granted, canBeRequested: false })), false);
  assert.equal(canConnect(aView("requester", [], { ...granted, canBeConnected: false })), false);
});

test("emergency access is reviewed once, by an approver other than the requester", () => {
  const opened = { ...span(60), round: null, is_break_glass: true };
  assert.equal(obstacleFor("review", aView("ada", [], opened)), null);
  assert.equal(obstacleFor("review", aView("requester", [], opened))?.code, "access-request.own");
  assert.equal(obstacleFor("review", aView("auditor", [], opened))?.status, 403);
  assert.equal(obstacleFor("review", aView("ada", [], { ...opened, reviewed_at: at(1) }))?.status, 409);
  assert.equal(obstacleFor("review", aView("ada", [], { ...opened, is_break_glass: false }))?.status, 409);
});
