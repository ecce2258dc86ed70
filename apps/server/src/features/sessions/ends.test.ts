// Tests how sessions end: however a right ends, the gateway is notified and its own check finds it.
import {
  checkInAccount,
  createToken,
  deleteAccount,
  moveAccount,
  removeSafeMember,
  revokeAccessRequest,
  setUserStatus,
  updateSafe,
  updateSafeMember,
} from "@strongroom/contract";
import type { Problem } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { requestsOf, shiftTime } from "#features/access-requests/testing/requestable-account.ts";
import { newId } from "#kernel/id.ts";
import { listen } from "#kernel/db/listener.ts";
import type { Listener } from "#kernel/db/listener.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { endOrphans, endSession } from "./gateway/end-session.ts";
import { RECHECK_CHANNEL, recheckSessions, sessionsToEnd } from "./gateway/recheck-sessions.ts";
import { sessionContextOf } from "./session-context.ts";
import { aGateway, anSshAccount, eventsOf, sessionsOf } from "./testing/opening.ts";
import type { SessionSetup, TestGateway } from "./testing/opening.ts";

let app: TestApp;
let gateway: TestGateway;
let sessions: ReturnType<typeof sessionsOf>;
let listener: Listener;
let heard = 0;
before(async () => {
  app = await testApp();
  gateway = await aGateway(app);
  sessions = sessionsOf(app, gateway);
  const count = () => void (heard += 1);
  listener = await listen(app.database, RECHECK_CHANNEL, app.kernel.log, () => {}, count);
});
afterEach(() => shiftTime(app, "0 seconds"));
after(async () => {
  await listener.close();
  gateway.server.close();
  await app.close();
});

const endOf = async (id: string) => (await sessionsToEnd(app.database.db, gateway.id)).find((each) => each.id === id);

const notifiedSince = (before: number) => eventually(async () => (heard > before ? true : null));

/** Opens a session, lets its right end, and returns the reason that the gateway finds once it was notified. */
async function reasonAfter(setup: SessionSetup, act: () => Promise<{ status: number; text: string }>): Promise<string> {
  const id = await sessions.open(setup.user, setup.account);
  assert.equal(await endOf(id), undefined);
  const before = heard;
  const reply = await act();
  assert.ok(reply.status < 300, reply.text);
  await notifiedSince(before);
  return (await endOf(id))?.reason ?? "none";
}

const sessionIdOf = async ({ user }: SessionSetup): Promise<string> => {
  const { rows } = await app.database.pool.query("select id from sessions where user_id = $1", [user.id]);
  return rows[0].id;
};

const memberOf = async (setup: SessionSetup) => {
  const { rows } = await app.database.pool.query<{ id: string }>(
    "select id from safe_members where safe_id = $1 and user_id = $2",
    [setup.safe.id, setup.user.id],
  );
  return { id: setup.safe.id, member_id: rows[0]!.id as never };
};

async function aGranted(fields = {}): Promise<SessionSetup & { request: string; approver: TestPerson }> {
  const setup = await anSshAccount(app, { approvals_level_1: 1, ...fields });
  const requests = requestsOf(app);
  const approver = await aPerson(app);
  await aMember(app, setup.owner, setup.safe, approver, "approver");
  const asked = await requests.ask(setup.user, setup.account);
  await requests.approve(approver, asked.body);
  return { ...setup, request: asked.body.id, approver };
}

test("disabling the user ends their sessions", async () => {
  const setup = await anSshAccount(app);
  const admin = await firstAdmin(app);
  const call = { params: { id: setup.user.id }, body: { status: "disabled" as const }, as: admin.token };
  assert.equal(await reasonAfter(setup, () => app.call(setUserStatus, call)), "user-disabled");
});

test("a sign-in policy that excludes the session's network ends it", async () => {
  const setup = await anSshAccount(app);
  const { rows } = await app.database.pool.query("select allowed_networks from sign_in_policy");
  const change = async (networks: string[]) => {
    await app.database.pool.query("update sign_in_policy set allowed_networks = $1", [networks]);
    return { status: 200, text: "" };
  };
  try {
    assert.equal(await reasonAfter(setup, () => change(["203.0.113.0/24"])), "revoked");
    const id = await sessionIdOf(setup);
    await change(["127.0.0.0/8", "::1/128"]);
    assert.equal(await endOf(id), undefined, "a policy that includes the address keeps the session");
  } finally {
    await change(rows[0].allowed_networks);
  }
});

test("a token that is limited to another network, or that a policy shortens, ends its session", async () => {
  for (const [change, undo] of [
    ["update tokens set networks = '{203.0.113.0/24}' where id = $1", null],
    [
      "update tokens set created_at = created_at - interval '80 days' where id = $1",
      "update token_policy set person_days = 30",
    ],
  ] as const) {
    const setup = await anSshAccount(app);
    const body = { name: "ssh", scopes: ["privileged-session.start" as const], expires_in_days: 90 };
    const made = await app.call(createToken, { body, as: setup.user.token });
    assert.equal(made.status, 201, made.text);
    const { rows } = await app.database.pool.query("select person_days from token_policy");
    try {
      const id = await sessions.open({ ...setup.user, token: made.body.token }, setup.account);
      assert.equal(await endOf(id), undefined);
      const before = heard;
      await app.database.pool.query(change, [made.body.details.id]);
      if (undo !== null) await app.database.pool.query(undo);
      await notifiedSince(before);
      assert.equal((await endOf(id))?.reason, "revoked");
    } finally {
      await app.database.pool.query("update token_policy set person_days = $1", [rows[0].person_days]);
    }
  }
});

test("suspending, revoking or expiring the API token that started it ends the session", async () => {
  for (const change of ["suspended_at = now()", "revoked_at = now()", "expires_at = now() - interval '1 minute'"]) {
    const { user, account } = await anSshAccount(app);
    const [id, token] = [await sessions.open(user, account), newId()];
    await app.database.pool.query(
      `insert into tokens (id, user_id, name, begins, token_hash, scopes, networks, created_by, created_at, expires_at)
       values ($1, $2, 'ci', 'x', $3, '{}', '{}', $2, now(), now() + interval '1 day')`,
      [token, user.id, Buffer.from(token)],
    );
    await app.database.pool.query("update sessions set token_id = $1 where id = $2", [token, id]);
    assert.equal(await endOf(id), undefined);
    await app.database.pool.query(`update tokens set ${change} where id = $1`, [token]);
    assert.equal((await endOf(id))?.reason, "revoked", change);
  }
});

test("disabling the account ends its sessions", async () => {
  const setup = await anSshAccount(app);
  const act = async () => {
    await app.database.pool.query("update accounts set status = 'disabled' where id = $1", [setup.account.id]);
    return { status: 200, text: "" };
  };
  assert.equal(await reasonAfter(setup, act), "revoked");
});

test("removing the member ends their sessions", async () => {
  const setup = await anSshAccount(app);
  const params = await memberOf(setup);
  const act = () => app.call(removeSafeMember, { params, as: setup.owner.token });
  assert.equal(await reasonAfter(setup, act), "membership-removed");
});

test("removing the permission to use ends the sessions", async () => {
  const setup = await anSshAccount(app);
  const params = await memberOf(setup);
  const body = { role: "custom" as const, permissions: ["list" as const], expires_at: null };
  const act = () => app.call(updateSafeMember, { params, body, as: setup.owner.token });
  assert.equal(await reasonAfter(setup, act), "revoked");
});

test("deleting the account ends its sessions", async () => {
  const setup = await anSshAccount(app);
  const act = () => app.call(deleteAccount, { params: { id: setup.account.id }, as: setup.owner.token });
  assert.equal(await reasonAfter(setup, act), "account-deleted");
});

test("moving the account ends its sessions", async () => {
  const setup = await anSshAccount(app);
  const other = await aSafe(app, setup.owner);
  const move = (confirmation?: string) =>
    app.call(moveAccount, {
      params: { id: setup.account.id },
      body: { safe_id: other.id, confirmation },
      as: setup.owner.token,
    });
  const act = async () => {
    const reply = await move();
    const asked = (reply.body as unknown as Partial<Problem>).people_gaining_access;
    return asked === undefined ? reply : move(asked.confirmation);
  };
  assert.equal(await reasonAfter(setup, act), "revoked");
});

test("closing the safe ends its sessions", async () => {
  const setup = await anSshAccount(app);
  const body = { name: setup.safe.name, description: null, status: "inactive" as const };
  const act = () => app.call(updateSafe, { params: { id: setup.safe.id }, body, as: setup.owner.token });
  assert.equal(await reasonAfter(setup, act), "revoked");
});

test("revoking the grant ends its sessions", async () => {
  const setup = await aGranted();
  const params = { id: setup.request as never };
  const act = () => app.call(revokeAccessRequest, { params, body: {}, as: setup.approver.token });
  assert.equal(await reasonAfter(setup, act), "revoked");
});

test("checking in an exclusive account ends its session", async () => {
  const setup = await anSshAccount(app, { exclusive_check_out: true });
  const act = () => app.call(checkInAccount, { params: { id: setup.account.id }, as: setup.user.token });
  assert.equal(await reasonAfter(setup, act), "checked-in");
});

test("the gateway learns when a grant ends, and treats the session as expired from then on", async () => {
  const setup = await aGranted();
  const id = await sessions.open(setup.user, setup.account);
  const { goingOn, nextIn } = await recheckSessions(app.database.db, gateway.id);
  const minutes = (goingOn.find((each) => each.id === id)?.endsIn ?? 0) / 60_000;
  assert.ok(minutes > 59 && minutes <= 60, String(minutes));
  assert.ok(nextIn !== null && nextIn <= 3_600_001);
  await shiftTime(app, "61 minutes");
  assert.equal((await endOf(id))?.reason, "expired");
});

test("a session ends at the platform's longest duration", async () => {
  const setup = await anSshAccount(app, { max_duration_minutes: 90 });
  const id = await sessions.open(setup.user, setup.account);
  await shiftTime(app, "89 minutes");
  assert.equal(await endOf(id), undefined);
  await shiftTime(app, "91 minutes");
  assert.equal((await endOf(id))?.reason, "expired");
});

test("an expiring membership is checked when it expires", async () => {
  const { owner, safe, account } = await anSshAccount(app);
  const guest = await aPerson(app);
  await aMember(app, owner, safe, guest, ["list", "use"], new Date(Date.now() + 120_000).toISOString());
  const id = await sessions.open(guest, account);
  const { nextIn } = await recheckSessions(app.database.db, gateway.id);
  assert.ok(nextIn !== null && nextIn <= 120_001, String(nextIn));
  await shiftTime(app, "3 minutes");
  assert.equal((await endOf(id))?.reason, "membership-removed");
});

test("terminating a session sends the gateway the user and the reason, and users can end their own sessions", async () => {
  const setup = await anSshAccount(app);
  const admin = await firstAdmin(app);
  for (const [who, reason, detail] of [
    [admin, "terminated", /^Terminated by admin.*: Wrong host$/i],
    [setup.user, "logout", /^Ended by person.*: Wrong host$/i],
  ] as const) {
    const id = await sessions.open(setup.user, setup.account);
    const before = heard;
    const reply = await sessions.terminate(who, id, "Wrong host");
    assert.equal(reply.status, 200, reply.text);
    await notifiedSince(before);
    const end = await endOf(id);
    assert.equal(end?.reason, reason);
    assert.match(end.detail ?? "", detail);
    await endSession(sessionContextOf(app.kernel), id, end);
    assert.equal((await sessions.terminate(who, id)).status, 409);
  }
});

test("only users who may manage the safe's members can terminate other users' sessions", async () => {
  const { owner, safe, user, account } = await anSshAccount(app);
  const id = await sessions.open(user, account);
  const [colleague, auditor, manager] = [await aPerson(app), await aPerson(app), await aPerson(app)];
  await aMember(app, owner, safe, colleague, "user");
  await aMember(app, owner, safe, auditor, "auditor");
  await aMember(app, owner, safe, manager, "manager");
  const answers = [];
  for (const who of [await aPerson(app), colleague, auditor, manager])
    answers.push((await sessions.terminate(who, id)).status);
  assert.deepEqual(answers, [404, 404, 403, 200]);
});

test("the end of a session is recorded once", async () => {
  const { user, account } = await anSshAccount(app);
  const id = await sessions.open(user, account);
  const context = sessionContextOf(app.kernel);
  const counts = { inputBytes: 12, outputBytes: 345, lastActivityAt: new Date() };
  const ends = await Promise.all([
    endSession(context, id, { reason: "logout", detail: null }, counts),
    endSession(context, id, { reason: "expired", detail: null }, counts),
  ]);
  assert.deepEqual(ends.toSorted(), [false, true]);
  const events = await eventsOf(app, id);
  assert.equal(events.filter((event) => event.startsWith("privileged-session.ended")).length, 1);
});

test("sessions of a gateway without a heartbeat are ended", async () => {
  const { user, account } = await anSshAccount(app);
  const id = await sessions.open(user, account);
  const context = sessionContextOf(app.kernel);
  await endOrphans(context);
  const statusOf = async () =>
    (await app.database.pool.query("select status, end_reason from sessions where id = $1", [id])).rows[0];
  assert.deepEqual(await statusOf(), { status: "active", end_reason: null });
  await shiftTime(app, "2 hours");
  await endOrphans(context);
  assert.deepEqual(await statusOf(), { status: "completed", end_reason: "gateway-lost" });
});
