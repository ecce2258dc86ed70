// Tests of the sign-in policy's networks and password lengths.
import {
  changePassword,
  completePasswordReset,
  currentSession,
  readHealth,
  issueResetLink,
  login,
  readSignInPolicy,
  register,
  streamEvents,
  updateSignInPolicy,
} from "@strongroom/contract";
import type { SignInPolicy } from "@strongroom/contract";
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { usualPolicy } from "#testing/sign-in-policy.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { isWithin, openNetworks } from "./sign-in-rules.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

const OFFICE = "10.20.0.0/16";
const change = (wanted: Partial<SignInPolicy>, from?: string) =>
  app.call(updateSignInPolicy, {
    body: { ...usualPolicy, ...wanted },
    as: admin.token,
    ...(from === undefined ? {} : { from }),
  });
const codeOf = (reply: { body: unknown }) => (reply.body as { code?: string }).code;

test("an address matches networks of its own family only, and IPv4 in IPv6 notation counts as IPv4", () => {
  assert.equal(isWithin([], "203.0.113.9"), true);
  assert.equal(isWithin(["10.1.2.3/8"], "10.200.0.1"), true);
  assert.equal(isWithin(["10.0.0.0/8"], "::ffff:10.9.9.9"), true);
  assert.equal(isWithin(["10.0.0.0/8"], "::FFFF:a09:909"), true);
  assert.equal(isWithin(["::ffff:10.0.0.0/104"], "10.9.9.9"), true);
  assert.equal(isWithin(["::ffff:10.0.0.0/104"], "11.9.9.9"), false);
  assert.equal(isWithin(["10.0.0.0/8"], "11.0.0.1"), false);
  assert.equal(isWithin(["0.0.0.0/0"], "2001:db8::1"), false);
  assert.equal(isWithin(["2001:db8::/32", "fe80::/10"], "fe80::1%eth0"), true);
  assert.equal(isWithin(["2001:db8::/32"], "not an address"), false);
});

describe("allowed networks", () => {
  test("are refused when they exclude the address of the administrator who saves them", async () => {
    const refused = await change({ allowed_networks: [OFFICE] });
    assert.deepEqual([refused.status, codeOf(refused)], [409, "policy.locks-out"]);
    assert.match(refused.text, /127\.0\.0\.1/);
    const { body } = await app.call(readSignInPolicy, { as: admin.token });
    assert.deepEqual(body.allowed_networks, []);
  });

  test("are refused with the field's name when they are malformed", async () => {
    for (const wrong of ["10.0.0.1", "10.0.0.0/33", "office", "::/129"]) {
      const refused = await change({ allowed_networks: [wrong] });
      assert.equal(refused.status, 400, wrong);
      assert.match(refused.text, /"path":"allowed_networks/);
    }
  });

  test("block sign-ins and every call of open sessions from other networks", async () => {
    const person = await aPerson(app);
    const outside = "203.0.113.7";
    assert.equal((await app.call(currentSession, { as: person.token, from: outside })).status, 200);
    assert.equal((await change({ allowed_networks: [OFFICE, "2001:db8:1::/48"] }, "10.20.3.4")).status, 200);

    const call = await app.call(currentSession, { as: person.token, from: outside });
    assert.deepEqual([call.status, codeOf(call)], [403, "network.not-allowed"]);
    const body = { email: person.email, password: person.password };
    const signingIn = await app.call(login, { body, from: outside });
    assert.deepEqual([signingIn.status, codeOf(signingIn)], [403, "network.not-allowed"]);
    const signingUp = await app.call(register, {
      body: { email: "outside@example.com", password: "a long enough password" },
      from: outside,
    });
    assert.equal(codeOf(signingUp), "network.not-allowed");
    assert.equal((await app.call(readHealth, { from: outside })).status, 200, "a probe still hears how the server is");

    for (const inside of ["10.20.9.9", "2001:db8:1::5"]) {
      assert.equal((await app.call(login, { body, from: inside })).status, 200, inside);
      assert.equal((await app.call(currentSession, { as: person.token, from: inside })).status, 200, inside);
    }
    assert.equal((await change({}, "10.20.3.4")).status, 200);
    assert.equal((await app.call(currentSession, { as: person.token, from: outside })).status, 200);
  });
});

test("an open event stream ends when the networks change, and only an allowed network can open a new one", async () => {
  const person = await aPerson(app);
  await app.http.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.http.server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${person.token}` };
  const stream = await fetch(`http://127.0.0.1:${port}${streamEvents.path}`, { headers });
  assert.equal(stream.status, 200);
  await change({ allowed_networks: [OFFICE] }, "10.20.3.4");
  assert.match(await stream.text(), /^event: hello/m);
  const again = await fetch(`http://127.0.0.1:${port}${streamEvents.path}`, { headers });
  assert.equal(again.status, 403);
  await again.body?.cancel();
  await change({}, "10.20.3.4");
});

test("an operator at the server can allow all networks again, which is audited", async () => {
  const person = await aPerson(app);
  await change({ allowed_networks: [OFFICE] }, "10.20.3.4");
  const look = () => app.call(currentSession, { as: person.token });
  assert.equal((await look()).status, 403);
  assert.deepEqual(await openNetworks(app.kernel, "command line"), [OFFICE]);
  assert.equal((await look()).status, 200);
  assert.deepEqual(await openNetworks(app.kernel, "command line"), []);
  const { rows } = await app.database.pool.query(
    "select actor_name from audit_entries where event = 'policy.changed' order by id desc limit 1",
  );
  assert.deepEqual(rows, [{ actor_name: "command line" }]);
});

describe("the minimum password length", () => {
  const LEAST = 20;
  const short = "nineteen-characters";
  const long = "twenty-characters-ok";
  const refusedAt = (reply: { status: number; body: unknown }, path: string) => {
    const { code, errors } = reply.body as { code: string; errors: { path: string; msg: string }[] };
    const msg = `Password must be at least ${LEAST} characters.`;
    assert.deepEqual([reply.status, code, errors], [400, "password.too-short", [{ path, msg }]]);
  };

  test("SIGNUP-08: applies to every newly chosen password, however it is chosen", async () => {
    const person = await aPerson(app);
    await change({ password_min_length: LEAST });
    refusedAt(await app.call(register, { body: { email: "short@example.com", password: short } }), "password");
    const changing = (chosen: string) =>
      app.call(changePassword, {
        body: { current_password: person.password, new_password: chosen },
        as: person.token,
      });
    refusedAt(await changing(short), "new_password");

    const made = await app.call(issueResetLink, { params: { id: person.id }, as: admin.token });
    const token = made.body.link.split("token=")[1]!;
    refusedAt(await app.call(completePasswordReset, { body: { token, password: short } }), "password");
    const done = await app.call(completePasswordReset, { body: { token, password: long } });
    assert.equal(done.status, 200, "a link is not used up by a password that was too short");
    await change({});
  });

  test("cannot be set below the product's minimum", async () => {
    assert.equal((await change({ password_min_length: 7 })).status, 400);
    assert.equal((await change({ password_min_length: 129 })).status, 400);
  });
});
