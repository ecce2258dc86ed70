// Starting sessions: rights, the platform's rules, and tickets that open one session once.
import { retrieveAccount, setUserStatus, checkInAccount } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import { requestsOf, shiftTime } from "#features/access-requests/testing/requestable-account.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { gatewaySocket } from "./gateway/gateway-socket.ts";
import { registerGateway } from "./gateway/gateways.store.ts";
import { redeemTicket } from "./gateway/redeem-ticket.ts";
import { sessionContextOf } from "./session-context.ts";
import { aGateway, anSshAccount, eventsOf, sessionsOf } from "./testing/opening.ts";
import type { TestGateway } from "./testing/opening.ts";

let app: TestApp;
let gateway: TestGateway;
let sessions: ReturnType<typeof sessionsOf>;
before(async () => {
  app = await testApp();
  gateway = await aGateway(app);
  sessions = sessionsOf(app, gateway);
});
afterEach(() => shiftTime(app, "0 seconds"));
after(async () => {
  gateway.server.close();
  await app.close();
});

const refused = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;
const codeOf = (reply: { text: string }): string => (JSON.parse(reply.text) as { code: string }).code;

describe("rights", () => {
  test("use without retrieve opens a session and reveals nothing", async () => {
    const { user, account } = await anSshAccount(app);
    const retrieved = await app.call(retrieveAccount, { params: { id: account.id }, body: {}, as: user.token });
    assert.equal(retrieved.status, 403);
    const started = await sessions.start(user, account);
    assert.equal(started.status, 201, started.text);
    assert.equal(started.text.includes(account.password), false);
    assert.deepEqual(Object.keys(started.body).toSorted(), [
      "connect_path",
      "expires_at",
      "session_id",
      "ssh",
      "ticket",
    ]);
    const opened = await sessions.redeem(started.body.ticket, started.body.session_id);
    assert.ok(opened.kind === "open");
    assert.ok(opened.credential instanceof Secret);
    using secret = opened.credential;
    assert.equal(secret.reveal(), account.password);
    assert.deepEqual(await eventsOf(app, started.body.session_id), ["privileged-session.started success"]);
  });

  test("an account that the user cannot see does not exist", async () => {
    const { account } = await anSshAccount(app);
    const reply = await sessions.start(await aPerson(app), account);
    assert.equal(reply.status, 404);
    assert.equal(codeOf(reply), "account.not-found");
  });

  test("list without use is refused, even for administrators", async () => {
    const { owner, safe, account } = await anSshAccount(app);
    const lister = await aPerson(app);
    await aMember(app, owner, safe, lister, ["list"]);
    for (const who of [lister, await firstAdmin(app)]) assert.equal((await sessions.start(who, account)).status, 403);
  });

  test("a session under dual control requires a grant, and a grant is enough", async () => {
    const { owner, user, safe, account } = await anSshAccount(app, { approvals_level_1: 1 });
    const refusal = await sessions.start(user, account);
    assert.equal(codeOf(refusal), "account.approval-needed");
    const requests = requestsOf(app);
    const asked = await requests.ask(user, account);
    const approver = await aPerson(app);
    await aMember(app, owner, safe, approver, "approver");
    assert.equal((await requests.approve(approver, asked.body)).status, 200);
    assert.equal((await sessions.start(user, account)).status, 201);
  });

  test("reason and ticket are required as for a retrieval", async () => {
    const { user, account } = await anSshAccount(app, { reason_required: true, ticket_required: true });
    assert.equal(codeOf(await sessions.start(user, account)), "account.reason-required");
    assert.equal(codeOf(await sessions.start(user, account, { reason: "Restart" })), "account.ticket-required");
    assert.equal((await sessions.start(user, account, { reason: "Restart", ticket: "OPS-1" })).status, 201);
  });

  test("starting a session requires recent authentication", async () => {
    const { user, account } = await anSshAccount(app);
    await app.database.pool.query(
      "update sign_in_sessions set proved_at = proved_at - interval '2 days' where user_id = $1",
      [user.id],
    );
    assert.equal(codeOf(await sessions.start(user, account)), "step-up.required");
  });

  test("an exclusive check-out of another user is refused, before and after the ticket", async () => {
    const { owner, safe, user, account } = await anSshAccount(app, { exclusive_check_out: true });
    const other = await aPerson(app);
    await aMember(app, owner, safe, other, ["list", "use", "retrieve"]);
    const early = await sessions.start(user, account);
    await app.call(retrieveAccount, { params: { id: account.id }, body: {}, as: other.token });
    assert.equal(codeOf(await sessions.start(user, account)), "account.checked-out");
    await assert.rejects(sessions.redeem(early.body.ticket, early.body.session_id), refused("account.checked-out"));
    await app.call(checkInAccount, { params: { id: account.id }, as: other.token });
    await sessions.open(user, account);
    assert.equal(codeOf(await sessions.start(other, account)), "account.checked-out");
  });

  test("only accounts with the connection method SSH support sessions", async () => {
    const { owner, safe } = await anSshAccount(app);
    assert.equal(
      codeOf(await sessions.start(owner, await anAccount(app, owner, safe))),
      "privileged-session.not-supported",
    );
  });
});

test("a user has at most the configured number of open sessions, even with parallel calls; an end makes room", async () => {
  const { user, account } = await anSshAccount(app);
  const { config } = app.kernel;
  const before = config.sessionsPerUser;
  config.sessionsPerUser = 3;
  try {
    const replies = await Promise.all(Array.from({ length: 8 }, () => sessions.start(user, account)));
    const started = replies.filter(({ status }) => status === 201);
    const refused = replies.filter(({ status }) => status === 429);
    assert.deepEqual([started.length, refused.length], [3, 5]);
    assert.match(refused[0]!.text, /privileged-session\.too-many/);
    await app.database.pool.query(
      "update sessions set status = 'completed', ended_at = now(), end_reason = 'failed' where id = $1",
      [started[0]!.body.session_id],
    );
    assert.equal((await sessions.start(user, account)).status, 201);
    await app.database.pool.query(
      "update sessions set requested_at = now() - interval '2 minutes' where user_id = $1 and status = 'pending'",
      [user.id],
    );
    assert.equal((await sessions.start(user, account)).status, 201, "tickets that expired unused do not count");
  } finally {
    config.sessionsPerUser = before;
  }
});

describe("tickets", () => {
  async function aTicket() {
    const setup = await anSshAccount(app);
    const { body } = await sessions.start(setup.user, setup.account);
    return { ...setup, ...body };
  }
  const invalid = refused("privileged-session.ticket-invalid");

  test("a ticket opens its session once, however many gateways try at once", async () => {
    const { ticket, session_id } = await aTicket();
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => sessions.redeem(ticket, session_id)));
    assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
    await assert.rejects(sessions.redeem(ticket, session_id), invalid);
    const events = await eventsOf(app, session_id);
    assert.equal(events.filter((each) => each === "privileged-session.started success").length, 1);
    assert.equal(events.filter((each) => each === "privileged-session.refused failure").length, 8);
  });

  test("a ticket opens no other session, and no session on another gateway", async () => {
    const [one, other] = [await aTicket(), await aTicket()];
    await assert.rejects(sessions.redeem(one.ticket, other.session_id), invalid);
    await assert.rejects(sessions.redeem(one.ticket, one.session_id, other.session_id), invalid);
    assert.equal((await sessions.redeem(one.ticket, one.session_id)).kind, "open");
  });

  test("a ticket opens nothing from another address", async () => {
    const { user, account } = await anSshAccount(app);
    const { session_id: sessionId, ticket } = (await sessions.start(user, account)).body;
    const use = { ticket, sessionId, gatewayId: gateway.id, program: "shell" as const };
    const foreign = redeemTicket(sessionContextOf(app.kernel), { ...use, sourceAddress: "192.0.2.1" });
    await assert.rejects(foreign, refused("privileged-session.ticket-invalid"));
    const opened = await sessions.redeem(ticket, sessionId);
    assert.equal(opened.kind, "open");
    if (opened.kind === "open" && opened.credential instanceof Secret) opened.credential[Symbol.dispose]();
  });

  // INVARIANT: the session that is audited names the user and the account whose secret is opened.
  test("a ticket row changed to another account or user of the safe opens nothing", async () => {
    const { owner, safe, user, account } = await anSshAccount(app);
    const other = await anAccount(app, owner, safe, {
      platform_id: account.platform_id,
      system_type: "Linux",
      connection_method: "SSH",
      hostname: "127.0.0.1",
      port: 1,
      username: account.username,
    });
    const changes = [
      ["account_id", other.id],
      ["user_id", owner.id],
    ];
    for (const [column, value] of changes) {
      const { session_id: id, ticket } = (await sessions.start(user, account)).body;
      await app.database.pool.query(`update session_tickets set ${column} = $1 where session_id = $2`, [value, id]);
      await assert.rejects(sessions.redeem(ticket, id), refused("privileged-session.ticket-invalid"), column);
    }
  });

  test("a ticket expires after 60 seconds", async () => {
    const { ticket, session_id } = await aTicket();
    await shiftTime(app, "61 seconds");
    await assert.rejects(sessions.redeem(ticket, session_id), invalid);
  });

  test("permissions are checked again when the ticket is redeemed", async () => {
    const { ticket, session_id, user } = await aTicket();
    const admin = await firstAdmin(app);
    const body = { status: "disabled" as const };
    assert.equal((await app.call(setUserStatus, { params: { id: user.id }, body, as: admin.token })).status, 200);
    await assert.rejects(sessions.redeem(ticket, session_id), invalid);
    assert.deepEqual(await eventsOf(app, session_id), ["privileged-session.refused failure"]);
  });

  test("the database holds no ticket, only its hash", async () => {
    const { ticket } = await aTicket();
    const { rows } = await app.database.pool.query<{ text: string }>(
      "select session_tickets::text as text from session_tickets",
    );
    assert.ok(rows.length > 0);
    for (const { text } of rows) assert.equal(text.includes(ticket), false);
  });
});

test("without a ready gateway, the reply is 503 with that reason", async () => {
  const { user, account } = await anSshAccount(app);
  const set = (is_draining: boolean) => app.database.pool.query("update gateways set is_draining = $1", [is_draining]);
  await set(true);
  try {
    const reply = await sessions.start(user, account);
    assert.equal(reply.status, 503);
    assert.equal(codeOf(reply), "privileged-session.no-gateway");
  } finally {
    await set(false);
  }
});

test("a gateway that was killed is not chosen although its last heartbeat is recent", async () => {
  const { user, account } = await anSshAccount(app);
  const killed = { id: newId(), name: "killed", address: null, relayAddress: null, zone: null, version: "test" };
  await registerGateway(app.database.db, killed);
  writeFileSync(gatewaySocket(app.config, killed.id), "");
  await app.database.pool.query("update gateways set live_sessions = 1 where id <> $1", [killed.id]);
  const reply = await sessions.start(user, account);
  assert.equal(reply.status, 201, reply.text);
  const { rows } = await app.database.pool.query("select gateway_id from sessions where id = $1", [
    reply.body.session_id,
  ]);
  assert.deepEqual(rows, [{ gateway_id: gateway.id }]);
});

test("a one-time password is used by one session only", async () => {
  const { owner, user, account } = await anSshAccount(app, { one_time_password: true, rotate_after_check_in: true });
  await sessions.open(user, account);
  const again: [TestPerson, string][] = [
    [user, "account.one-time-taken"],
    [owner, "account.one-time-taken"],
  ];
  for (const [who, code] of again) assert.equal(codeOf(await sessions.start(who, account)), code);
});
