// Session Monitoring: each reader sees their own sessions and those in safes whose audit trail they may view.
import {
  exportSessionRecording,
  listGateways,
  listPrivilegedSessions,
  listSessionActivity,
  listSessionChoices,
  login,
  messagePrivilegedSession,
  pathOf,
  readDashboardStats,
  readPrivilegedSession,
  readSessionRecording,
  watchPrivilegedSession,
} from "@strongroom/contract";
import type { InputOf, PrivilegedSessionId } from "@strongroom/contract";
import { recordingSeal } from "@strongroom/keys";
import { startTerminalRecorder } from "@strongroom/recordings";
import type { SealedChunk } from "@strongroom/recordings";
import { createRecordingFile } from "@strongroom/recordings/file-store";
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { listen } from "#kernel/db/listener.ts";
import { newId } from "#kernel/id.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { recordingsFolder } from "../gateway/gateway-socket.ts";
import { endSession } from "../gateway/end-session.ts";
import { closeRecording, openRecording, recordChunks, recordingKeyOf } from "../recordings/store-recording.ts";
import { sessionContextOf } from "../session-context.ts";
import { aGateway, anSshAccount, eventsOf, sessionsOf } from "../testing/opening.ts";
import type { SessionSetup, TestGateway } from "../testing/opening.ts";

let app: TestApp;
let gateway: TestGateway;
let sessions: ReturnType<typeof sessionsOf>;
before(async () => {
  app = await testApp();
  gateway = await aGateway(app);
  sessions = sessionsOf(app, gateway);
  await app.http.listen({ port: 0, host: "127.0.0.1" });
});
after(async () => {
  gateway.server.close();
  await app.close();
});

type Query = NonNullable<InputOf<typeof listPrivilegedSessions>["query"]>;
const list = async (who: TestPerson, query: Query = {}) =>
  (await app.call(listPrivilegedSessions, { query, as: who.token })).body;
const read = (who: TestPerson, id: string) => app.call(readPrivilegedSession, { params: { id }, as: who.token });

async function aSession(fields = {}): Promise<SessionSetup & { id: PrivilegedSessionId; auditor: TestPerson }> {
  const setup = await anSshAccount(app, fields);
  const auditor = await aPerson(app);
  await aMember(app, setup.owner, setup.safe, auditor, "auditor");
  return { ...setup, auditor, id: (await sessions.open(setup.user, setup.account)) as PrivilegedSessionId };
}

describe("lists", () => {
  test("SES-03, SES-09, API-36: readers see their own sessions and those of safes that they audit; others see none", async () => {
    const { id, owner, user, auditor, safe } = await aSession();
    const colleague = await aPerson(app);
    await aMember(app, owner, safe, colleague, "user");
    const sees = async (who: TestPerson) => (await list(who)).sessions.some((each) => each.id === id);
    for (const who of [user, auditor, owner, await firstAdmin(app)]) assert.equal(await sees(who), true, who.email);
    for (const who of [colleague, await aPerson(app), await aPerson(app, "manager")]) {
      assert.equal(await sees(who), false, who.email);
      assert.equal((await read(who, id)).status, 404);
      const { body } = await app.call(listSessionActivity, { as: who.token });
      assert.equal(
        body.entries.some((each) => each.session_id === id),
        false,
      );
    }
  });

  test("OPEN-147: the dashboard counts the live sessions that the reader may see", async () => {
    const { auditor } = await aSession();
    const count = async (who: TestPerson) =>
      (await app.call(readDashboardStats, { as: who.token })).body.activeSessions;
    assert.equal(await count(auditor), 1);
    assert.equal(await count(await aPerson(app)), 0);
  });

  test("SES-08, SES-11: a session has its user, resource, times, risk and the reader's actions", async () => {
    const { id, user, auditor, account } = await aSession();
    const { body } = await read(auditor, id);
    assert.equal(body.resource, account.name);
    assert.equal(body.target, "127.0.0.1:1");
    assert.equal(body.status, "active");
    assert.equal(body.duration, "0.00");
    assert.deepEqual([body.riskLevel, body.riskReasons], ["medium", ["First session of this user on this account"]]);
    assert.deepEqual(body.actions, ["watch", "message"]);
    assert.deepEqual((await read(user, id)).body.actions, ["terminate"]);
    await endSession(sessionContextOf(app.kernel), id, { reason: "logout", detail: null });
    const ended = (await read(auditor, id)).body;
    assert.deepEqual([ended.status, ended.ended_because, ended.actions], ["completed", "The user logged out", []]);
  });

  test("OPEN-96: filters, pages and figures count only what the reader may see", async () => {
    const { auditor, user, account, id } = await aSession();
    await aSession();
    const second = await sessions.open(user, account);
    await endSession(sessionContextOf(app.kernel), second, { reason: "logout", detail: null });
    const { figures } = await list(auditor);
    assert.deepEqual(figures, { active: 1, recorded_today: 0, high_risk: 0, average_seconds: 0 });
    const idsOf = async (query: Query) => (await list(auditor, query)).sessions.map((each) => each.id);
    assert.deepEqual(await idsOf({ status: "active" }), [id]);
    assert.deepEqual(await idsOf({ risk: "low" }), [second]);
    assert.deepEqual(await idsOf({ search: "no such name" }), []);
    assert.equal((await idsOf({ search: account.name.slice(1).toUpperCase() })).length, 2);
    const first = await list(auditor, { limit: 1 });
    assert.deepEqual(
      first.sessions.map((each) => each.id),
      [second],
    );
    assert.deepEqual(await idsOf({ limit: 1, cursor: first.next_cursor! }), [id]);
  });

  test("the choices of the filters come from the sessions that the reader may see", async () => {
    const { auditor, user, account, safe } = await aSession();
    const choicesOf = async (who: TestPerson) => (await app.call(listSessionChoices, { as: who.token })).body;
    const { users, accounts, safes } = await choicesOf(auditor);
    assert.deepEqual(
      users.map(({ id }) => id),
      [user.id],
    );
    assert.deepEqual(accounts, [{ id: account.id, name: account.name }]);
    assert.deepEqual(safes, [{ id: safe.id, name: safe.name }]);
    const nothing = { users: [], accounts: [], safes: [] };
    assert.deepEqual(await choicesOf(await aPerson(app)), nothing);
    const idsOf = async (query: Query) => (await list(await firstAdmin(app), query)).sessions.map((each) => each.id);
    assert.equal((await idsOf({ user_id: user.id })).length, 1);
    assert.equal((await idsOf({ account_id: account.id, protocol: "ssh" })).length, 1);
    assert.equal((await idsOf({ safe_id: safe.id, to: new Date(0).toISOString() })).length, 0);
  });

  test("SES-06, SES-10, API-37: the activity feed has real times, newest first, as texts and entries", async () => {
    const { auditor, id, account } = await aSession();
    await endSession(sessionContextOf(app.kernel), id, {
      reason: "terminated",
      detail: "Terminated by Ada: wrong host",
    });
    const { body } = await app.call(listSessionActivity, { as: auditor.token });
    assert.deepEqual(
      body.activities,
      body.entries.map(({ text }) => text),
    );
    assert.equal(body.entries.length, 2);
    assert.match(body.activities[0]!, new RegExp(`^Session ended: .*${account.name}.*Terminated by Ada: wrong host$`));
    assert.match(body.activities[1]!, /^Session started: /);
    assert.ok(Date.parse(body.entries[0]!.at) >= Date.parse(body.entries[1]!.at));
  });

  test("only administrators list gateways", async () => {
    const admin = await app.call(listGateways, { as: (await firstAdmin(app)).token });
    assert.deepEqual(
      admin.body.gateways.map(({ id, status }) => [id, status]),
      [[gateway.id, "ready"]],
    );
    assert.equal((await app.call(listGateways, { as: (await aPerson(app)).token })).status, 403);
  });
});

describe("watching", () => {
  const watch = (who: TestPerson, id: PrivilegedSessionId) =>
    app.call(watchPrivilegedSession, { params: { id }, as: who.token });

  test("auditors of the safe watch with a separate ticket; each step is recorded", async () => {
    const { id, auditor, user } = await aSession();
    const issued = await watch(auditor, id);
    assert.equal(issued.status, 201, issued.text);
    const watched = await sessions.redeem(issued.body.ticket, id);
    assert.ok(watched.kind === "watch");
    assert.equal(watched.watcher.id, auditor.id);
    await assert.rejects(sessions.redeem(issued.body.ticket, id));
    assert.deepEqual((await eventsOf(app, id)).slice(1, 3), [
      "privileged-session.watch-requested success",
      "privileged-session.watched success",
    ]);
    assert.equal((await watch(user, id)).status, 403);
    assert.equal((await watch(await aPerson(app), id)).status, 404);
  });

  test("a message reaches the gateway with its sender", async () => {
    const { id, auditor, user } = await aSession();
    const heard = Promise.withResolvers<string>();
    const listener = await listen(app.database, "session_message", app.kernel.log, () => {}, heard.resolve);
    const body = { text: "Please log out" };
    const sent = await app.call(messagePrivilegedSession, { params: { id }, body, as: auditor.token });
    assert.equal(sent.status, 200, sent.text);
    const message = JSON.parse(await heard.promise) as Record<string, unknown>;
    assert.deepEqual([message["session_id"], message["text"]], [id, "Please log out"]);
    await listener.close();
    assert.equal((await app.call(messagePrivilegedSession, { params: { id }, body, as: user.token })).status, 403);
  });
});

describe("recordings", () => {
  /** Records one line as a gateway does. */
  async function record(id: string, safeId: string): Promise<void> {
    const { kernel } = app;
    const recordingId = newId();
    const startedAt = new Date();
    await openRecording(kernel, {
      id: recordingId,
      sessionId: id,
      storage: "folder",
      path: `${recordingId}.srr`,
      startedAt,
    });
    const file = await createRecordingFile(recordingsFolder(app.config), recordingId);
    const chunks: SealedChunk[] = [];
    const recorder = await startTerminalRecorder({
      recordingId,
      startedAt,
      terminal: { cols: 80, rows: 24 },
      seal: recordingSeal(await recordingKeyOf(kernel, safeId)),
      store: file,
      clock: {
        now: () => performance.now(),
        after: (milliseconds, act) => {
          const timer = setTimeout(act, milliseconds);
          return () => clearTimeout(timer);
        },
      },
      onStored: (chunk) => void chunks.push(chunk),
    });
    await recorder.output(Buffer.from("hello from the target\r\n"));
    const summary = await recorder.close("ended", 0);
    await file.release();
    const stored = chunks.map((chunk) => ({ ...chunk, bytes: chunk.bytes.length }));
    await recordChunks(kernel, { id: recordingId, sessionId: id }, stored);
    await closeRecording(kernel, { id: recordingId, sessionId: id }, summary);
  }
  /** Not through `call`, which parses JSON: each line of the reply is a separate JSON document. */
  const play = async (who: TestPerson, id: PrivilegedSessionId) => {
    const url = pathOf(readSessionRecording.path, { id });
    const reply = await app.http.inject({ url, headers: { authorization: `Bearer ${who.token}` } });
    return { status: reply.statusCode, text: reply.body };
  };
  const exported = (who: TestPerson, id: PrivilegedSessionId) =>
    app.call(exportSessionRecording, { params: { id }, as: who.token });

  test("the user and the safe's auditors play a recording, and each reading is audited first", async () => {
    const { id, user, auditor, safe } = await aSession();
    await record(id, safe.id);
    for (const who of [user, auditor]) {
      const reply = await play(who, id);
      assert.equal(reply.status, 200, reply.text);
      assert.match(reply.text, /^\{"version":3,"term":\{"cols":80,"rows":24\}/);
      assert.match(reply.text, /hello from the target/);
    }
    const { recording } = (await read(auditor, id)).body;
    assert.equal(recording?.status, "closed");
    const events = await eventsOf(app, id);
    assert.equal(events.filter((event) => event === "privileged-session.played success").length, 2);
    assert.ok(events.includes("recording.chunks-stored info"));
    assert.ok(events.includes("recording.closed success"));
  });

  test("another user's recording is reported as not found, whatever the call", async () => {
    const { id, owner, safe } = await aSession();
    await record(id, safe.id);
    const colleague = await aPerson(app);
    await aMember(app, owner, safe, colleague, "user");
    for (const who of [colleague, await aPerson(app, "manager")]) {
      assert.equal((await play(who, id)).status, 404);
      assert.equal((await exported(who, id)).status, 404);
    }
  });

  test("users do not export their own recordings; auditors get the sealed file", async () => {
    const { id, user, auditor, safe } = await aSession();
    await record(id, safe.id);
    assert.equal((await exported(user, id)).status, 403);
    const reply = await exported(auditor, id);
    assert.equal(reply.status, 200);
    assert.ok(reply.text.startsWith("SRR"));
    assert.equal(reply.text.includes("hello from the target"), false);
  });

  test("playing a recording requires recent authentication", async () => {
    const { id, user, safe } = await aSession();
    await record(id, safe.id);
    await app.database.pool.query(
      "update sign_in_sessions set proved_at = proved_at - interval '2 days' where user_id = $1",
      [user.id],
    );
    assert.equal((await play(user, id)).status, 403);
  });

  test("a row that points to another session's recording cannot be opened", async () => {
    const [one, other] = [await aSession(), await aSession()];
    await record(one.id, one.safe.id);
    await app.database.pool.query("update recordings set session_id = $1 where session_id = $2", [other.id, one.id]);
    const reply = await play(other.auditor, other.id);
    assert.equal(reply.status, 409);
    assert.equal(reply.text.includes("hello"), false);
  });
});

describe("terminals", () => {
  interface Answer {
    status: number;
    text: string;
    socket: Socket;
  }

  /** Sends an upgrade as a browser does and returns what came back first. */
  async function upgrade(path: string, headers: Record<string, string>): Promise<Answer> {
    const { port } = app.http.server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    const all = {
      host: `127.0.0.1:${port}`,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    const [first] = (await once(socket, "data")) as [Buffer];
    const text = first.toString("latin1");
    return { status: Number(text.split(" ")[1]), text, socket };
  }

  async function cookieOf(who: TestPerson): Promise<string> {
    const reply = await app.call(login, { body: { email: who.email, password: who.password } });
    return String(reply.headers["set-cookie"]).split(";")[0]!;
  }
  const own = () => `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;

  test("the socket reaches the gateway without credentials and with the client's address", async () => {
    const { id, user } = await aSession();
    const cookie = await cookieOf(user);
    const arrived = once(gateway.server, "connection") as Promise<[Socket]>;
    const path = `/api/v1/sessions/${id}/terminal`;
    const asked = upgrade(path, { cookie, origin: own(), "x-strongroom-client-address": "203.0.113.9" });
    const first = await Promise.race([arrived, asked]);
    assert.ok(Array.isArray(first), "the server refused the socket");
    const [socket] = first;
    const [request] = (await once(socket, "data")) as [Buffer];
    const text = request.toString("latin1");
    assert.match(text, new RegExp(`^GET /api/v1/sessions/${id}/terminal HTTP/1.1\r\n`));
    assert.doesNotMatch(text, /cookie|authorization|203\.0\.113\.9/i);
    assert.match(text, /x-strongroom-client-address: 127\.0\.0\.1\r\n/);
    socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    const answer = await asked;
    assert.equal(answer.status, 101);
    answer.socket.write("from the browser");
    const [bytes] = (await once(socket, "data")) as [Buffer];
    assert.equal(bytes.toString(), "from the browser");
    answer.socket.destroy();
    await once(socket, "close");
  });

  test("other origins, other users and callers without a sign-in are refused before the gateway", async () => {
    const { id, user, auditor } = await aSession();
    const connections: Socket[] = [];
    const count = (socket: Socket) => void connections.push(socket);
    gateway.server.on("connection", count);
    const path = `/api/v1/sessions/${id}/terminal`;
    const statusOf = async (headers: Record<string, string>) => {
      const { status, socket } = await upgrade(path, headers);
      socket.destroy();
      return status;
    };
    const cookie = await cookieOf(user);
    assert.equal(await statusOf({}), 401);
    assert.equal(await statusOf({ cookie, origin: "https://evil.example" }), 403);
    assert.equal(await statusOf({ cookie }), 403);
    assert.equal(await statusOf({ cookie: await cookieOf(auditor), origin: own() }), 404);
    assert.equal(await statusOf({ cookie: await cookieOf(await aPerson(app)), origin: own() }), 404);
    assert.equal(connections.length, 0);
    gateway.server.off("connection", count);
    const plain = await app.http.inject({ url: path, headers: { authorization: `Bearer ${user.token}` } });
    assert.equal(plain.statusCode, 426);
  });
});
