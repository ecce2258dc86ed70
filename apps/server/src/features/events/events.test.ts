// HTTP tests of the live event stream: visibility, resuming, limits and closing.
import {
  changeUserRole,
  checkEvents,
  createCredential,
  createToken,
  deleteCredential,
  logout,
  revokeToken,
  streamEvents,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let origin: string;
before(async () => {
  app = await testApp();
  await app.http.listen({ port: 0, host: "127.0.0.1" });
  origin = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;
});
const leaving = new AbortController();
after(async () => {
  leaving.abort();
  await app.close();
});

interface Heard {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/** Reads a stream event by event. Ends with the stream. */
async function* listen(headers: Record<string, string>, signal?: AbortSignal): AsyncGenerator<Heard> {
  const answer = await fetch(`${origin}${streamEvents.path}`, { headers, signal: signal ?? leaving.signal });
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers.get("content-type")), /^text\/event-stream/);
  let text = "";
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames.filter((each) => !each.startsWith(":"))) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(frame)?.[1] ?? "";
      yield { id: field("id"), type: field("event"), data: JSON.parse(field("data")) };
    }
  }
}

async function next(stream: AsyncGenerator<Heard>): Promise<Heard> {
  const { value, done } = await stream.next();
  assert.ok(done !== true, "the stream has ended");
  return value;
}

/** Waits until the stream has started. Earlier events may still arrive first. */
async function started(stream: AsyncGenerator<Heard>): Promise<Heard> {
  for (;;) {
    const heard = await next(stream);
    if (heard.type === "hello") return heard;
    assert.match(heard.type, /^(token|session|user)\./);
  }
}

const bearer = (person: TestPerson) => ({ authorization: `Bearer ${person.token}` });
const body = { name: "a credential", type: "application", value: "a secret value" } as const;

test("OPEN-138: a user receives events about their own credentials and about no other user's", async () => {
  const [own, other] = [await aPerson(app), await aPerson(app)];
  const abort = new AbortController();
  const stream = listen(bearer(own), abort.signal);
  assert.equal((await next(stream)).type, "hello");
  await app.call(createCredential, { body, as: other.token });
  const mine = await app.call(createCredential, { body, as: own.token });
  const heard = await next(stream);
  assert.equal(heard.type, "credential.changed");
  assert.equal((heard.data.data as { credential_id: string }).credential_id, mine.body.id);
  assert.ok(!JSON.stringify(heard).includes(body.value));
  abort.abort();
});

/** Creates a token of this user with these scopes, and opens a stream with it. */
async function followedBy(person: TestPerson, scopes: ("event.follow" | "read-only")[]) {
  const made = await app.call(createToken, { body: { name: "t", scopes, expires_in_days: 1 }, as: person.token });
  const { token, details } = made.body;
  return { id: details.id, headers: { authorization: `Bearer ${token}` } };
}

test("a stream opened with an API token ends when the token is revoked, and when its owner's role changes", async () => {
  const [person, manager] = [await aPerson(app), await aPerson(app, "manager")];
  const without = await followedBy(person, ["read-only"]);
  assert.equal((await fetch(`${origin}${streamEvents.path}`, { headers: without.headers })).status, 403);

  const revoked = await followedBy(person, ["event.follow"]);
  const demoted = await followedBy(manager, ["event.follow"]);
  const streams = [listen(revoked.headers), listen(demoted.headers)] as const;
  for (const stream of streams) await started(stream);
  await app.call(revokeToken, { params: { id: revoked.id }, as: person.token });
  const admin = await firstAdmin(app);
  await app.call(changeUserRole, { params: { id: manager.id }, body: { role: "user" }, as: admin.token });
  for (const stream of streams) for await (const { type } of stream) assert.match(type, /^(token|session|user)\./);
  assert.equal((await fetch(`${origin}${streamEvents.path}`, { headers: revoked.headers })).status, 401);
});

test("a stream that reconnects with Last-Event-ID receives the missed events once and in order", async () => {
  const person = await aPerson(app);
  const abort = new AbortController();
  const first = listen(bearer(person), abort.signal);
  const hello = await next(first);
  abort.abort();
  const made = await app.call(createCredential, { body, as: person.token });
  await app.call(deleteCredential, { params: { id: made.body.id }, as: person.token });
  const again = new AbortController();
  const second = listen({ ...bearer(person), "last-event-id": hello.id }, again.signal);
  const heard = [await next(second), await next(second), await next(second)];
  const types = heard.map((each) => each.type).filter((type) => type !== "hello");
  assert.deepEqual(types, ["credential.changed", "credential.deleted"]);
  again.abort();
});

test("an unknown event id is answered with a gap event, so that the page reloads its data", async () => {
  const person = await aPerson(app);
  const abort = new AbortController();
  const stream = listen({ ...bearer(person), "last-event-id": "not-one-of-ours" }, abort.signal);
  assert.equal((await next(stream)).type, "gap");
  abort.abort();
});

test("an event id beyond PostgreSQL's range is also answered with a gap event", async () => {
  const person = await aPerson(app);
  const abort = new AbortController();
  const stream = listen({ ...bearer(person), "last-event-id": "1-9999999999999999999" }, abort.signal);
  assert.equal((await next(stream)).type, "gap");
  abort.abort();
});

test("a user has at most twenty streams: a new one closes the oldest", async () => {
  const person = await aPerson(app);
  const abort = new AbortController();
  const oldest = listen(bearer(person));
  await next(oldest);
  for (let count = 0; count < 20; count++) await next(listen(bearer(person), abort.signal));
  assert.equal((await oldest.next()).done, true);
  abort.abort();
});

test("signing out ends the stream", async () => {
  const person = await aPerson(app);
  const stream = listen(bearer(person));
  await next(stream);
  await app.call(logout, { as: person.token });
  const rest = [];
  for await (const heard of stream) rest.push(heard.type);
  assert.ok(rest.every((type) => type === "session.ended"));
});

test("a stopping server ends its streams", async () => {
  const stopping = await testApp();
  await stopping.http.listen({ port: 0, host: "127.0.0.1" });
  const person = await aPerson(stopping);
  const url = `http://127.0.0.1:${(stopping.http.server.address() as AddressInfo).port}${streamEvents.path}`;
  const answer = await fetch(url, { headers: bearer(person) });
  const reading = answer.text();
  await stopping.close();
  assert.match(await reading, /event: hello/);
});

test("API-93: a user who may follow the stream can check whether it is available", async () => {
  const person = await aPerson(app);
  const told = await app.call(checkEvents, { as: person.token });
  assert.deepEqual([told.status, told.body], [200, { is_available: true, path: streamEvents.path }], told.text);
  assert.equal((await app.call(checkEvents)).status, 401);
  const body = { name: "A token", scopes: ["credential.list" as const], expires_in_days: 1 };
  const token = await app.call(createToken, { body, as: person.token });
  assert.equal((await app.call(checkEvents, { as: token.body.token })).status, 403);

  await app.database.pool.query("alter table events rename to events_elsewhere");
  try {
    const away = await app.call(checkEvents, { as: person.token });
    assert.deepEqual([away.status, away.body.is_available], [200, false], away.text);
  } finally {
    await app.database.pool.query("alter table events_elsewhere rename to events");
  }
  assert.equal((await app.call(checkEvents, { as: person.token })).body.is_available, true);
});
