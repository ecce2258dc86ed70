// Risk levels, their reasons, and who is notified.
import { clearNotifications, readAccessRequestRisk, readPrivilegedSession } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aRequestableAccount, requestsOf } from "#features/access-requests/testing/requestable-account.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import type { TestApp } from "#testing/test-app.ts";
import { endSession } from "../gateway/end-session.ts";
import { sessionContextOf } from "../session-context.ts";
import { aSessionWorld, anAuditedAccount, eventsOf, noticesOf } from "../testing/opening.ts";
import type { SessionWorld } from "../testing/opening.ts";
import { raiseRisk } from "./raise-risk.ts";
import { riskLevelOf, startReasons } from "./risk.policy.ts";

const NONE = { is_break_glass: false, is_first: false, is_production: false, is_unusual_time: false };

describe("the risk level", () => {
  for (const [name, facts, level] of [
    ["no reason", {}, "low"],
    ["a first session", { is_first: true }, "medium"],
    ["a session on a production system", { is_production: true }, "medium"],
    ["a session outside the usual hours", { is_unusual_time: true }, "medium"],
    ["a first session on a production system", { is_first: true, is_production: true }, "high"],
    ["emergency access", { is_break_glass: true }, "high"],
  ] as const) {
    test(`is ${level} for ${name}`, () => assert.equal(riskLevelOf(startReasons({ ...NONE, ...facts })), level));
  }

  test("is high for a risky command alone, and medium for a large transfer alone", () => {
    assert.equal(riskLevelOf(["Risky command: removes traces"]), "high");
    assert.equal(riskLevelOf(["Large transfer: more than 100 MB"]), "medium");
  });
});

describe("risky sessions", () => {
  let app: TestApp;
  let sessions: SessionWorld["sessions"];
  let close: SessionWorld["close"];
  before(async () => {
    ({ app, sessions, close } = await aSessionWorld());
  });
  after(() => close());

  const risk = async (who: TestPerson, id: string) => {
    const { body } = await app.call(readPrivilegedSession, { params: { id }, as: who.token });
    return [body.riskLevel, body.riskReasons] as const;
  };

  test("a session outside the platform's usual hours or on a production platform states that reason", async () => {
    const hour = new Date().getUTCHours();
    // A window of one hour that is over by many hours.
    const unusual = { session_from_hour: (hour + 11) % 24, session_to_hour: (hour + 12) % 24 };
    const { user, account, auditor } = await anAuditedAccount(app, { ...unusual, is_production: true });
    const id = await sessions.open(user, account);
    assert.deepEqual(await risk(auditor, id), [
      "high",
      ["First session of this user on this account", "Outside usual hours", "Production system"],
    ]);
  });

  test("an access request has the risk that its first session would have, for those who may see the request", async () => {
    const ask = requestsOf(app);
    const hour = new Date().getUTCHours();
    const { account, asker, approvers } = await aRequestableAccount(app, {
      session_from_hour: (hour + 11) % 24,
      session_to_hour: (hour + 12) % 24,
    });
    const { body: request } = await ask.ask(asker, account);
    const read = async (who: TestPerson) =>
      app.call(readAccessRequestRisk, { params: { id: request.id }, as: who.token });
    const expected = {
      level: "high",
      reasons: ["First session of this user on this account", "Outside usual hours"],
      account_status: "untested",
    };
    for (const person of [approvers[0]!, asker]) assert.deepEqual((await read(person)).body, expected);
    assert.equal((await read(await aPerson(app))).status, 404);

    await ask.revoke(asker, request);
    // A Wednesday, within the usual hours.
    const day = new Date(Date.now() + ((3 - new Date().getUTCDay() + 7) % 7 || 7) * 86_400_000);
    day.setUTCHours((hour + 11) % 24, 30, 0, 0);
    const { body: later } = await ask.ask(asker, account, { starts_at: day.toISOString() });
    const { body: risk } = await app.call(readAccessRequestRisk, { params: { id: later.id }, as: asker.token });
    assert.deepEqual([risk.level, risk.reasons], ["medium", ["First session of this user on this account"]]);
  });

  test("a reason from the gateway raises the level once, with an audit entry", async () => {
    const { user, account, auditor } = await anAuditedAccount(app);
    const first = await sessions.open(user, account);
    await endSession(sessionContextOf(app.kernel), first, { reason: "logout", detail: null });
    const id = await sessions.open(user, account);
    assert.deepEqual(await risk(auditor, id), ["low", []]);
    const context = sessionContextOf(app.kernel);
    const reason = "Risky command: removes traces";
    await Promise.all([raiseRisk(context, id, reason), raiseRisk(context, id, reason)]);
    assert.deepEqual(await risk(auditor, id), ["high", [reason]]);
    const events = await eventsOf(app, id);
    assert.equal(events.filter((each) => each === "privileged-session.risk-raised warning").length, 1);
    await endSession(context, id, { reason: "logout", detail: null });
    await raiseRisk(context, id, "Large transfer: more than 100 MB");
    assert.deepEqual(await risk(auditor, id), ["high", [reason]]);
  });

  test("auditors are notified of a high risk, but neither the user nor other members", async () => {
    const { owner, user, account, auditor, safe } = await anAuditedAccount(app);
    const colleague = await aPerson(app);
    await aMember(app, owner, safe, colleague, "user");
    const id = await sessions.open(user, account);
    await raiseRisk(sessionContextOf(app.kernel), id, "Risky command: removes traces");
    const [message] = await noticesOf(app, auditor, "High-risk session");
    assert.match(message ?? "", new RegExp(`${account.name}.*Risky command: removes traces`));
    for (const who of [user, colleague]) assert.deepEqual(await noticesOf(app, who, "High-risk session"), []);
  });

  test("the user is notified of a termination by another user, without its reason", async () => {
    const { owner, user, account } = await anAuditedAccount(app);
    const own = await sessions.open(user, account);
    await sessions.terminate(user, own);
    const id = await sessions.open(user, account);
    assert.equal((await sessions.terminate(owner, id, "Confidential reason")).status, 200);
    const messages = await noticesOf(app, user, "Session terminated");
    assert.equal(messages.length, 1);
    assert.match(messages[0]!, new RegExp(account.name));
    assert.doesNotMatch(messages[0]!, /Confidential/);
    await app.call(clearNotifications, { as: user.token });
  });
});
