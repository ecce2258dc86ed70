// Tests of signing in over HTTP.
import { changePassword, currentSession, listOwnSessions, logout, setUserStatus } from "@strongroom/contract";
import { decodeJwt, decodeProtectedHeader } from "jose";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { createUser } from "./index.ts";
import { createPasswords } from "./passwords/passwords.ts";
import {
  PASSWORD,
  anotherProcess,
  codeOf,
  entriesOf,
  hashesOf,
  newEmail,
  sessionOf,
  signedIn,
  tryToSignIn,
  untilSomeoneWaits,
  withoutRequestId,
} from "./testing/attempts.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const storedHash = async (email: string): Promise<string> => {
  const { rows } = await app.database.pool.query("select password_hash from users where email = $1", [email]);
  return rows[0].password_hash;
};

describe("signing in", () => {
  test("AUTH-01, API-01: returns a token for an email and its password", async () => {
    const { email } = await aPerson(app);
    const reply = await tryToSignIn(app, email);
    assert.equal(reply.status, 200);
    assert.deepEqual(Object.keys(reply.body), ["token"]);
    assert.equal((await app.call(currentSession, { as: reply.body.token })).body.user.email, email);
  });

  test("AUTH-22, AUTH-23, AUTH-24, AUTH-37: returns a signed token with id, email, role, name and exp in seconds", async () => {
    const person = await aPerson(app, "manager");
    const token = await signedIn(app, person.email);
    const { id, email, role, name, exp, iat, sid } = decodeJwt(token);
    const named = { id: person.id, email: person.email, role: "manager", name: person.email.split("@")[0] };
    assert.deepEqual({ id, email, role, name }, named);
    assert.equal(Number(exp) - Number(iat), 12 * 3600);
    assert.ok(Math.abs(Number(iat) - Date.now() / 1000) < 60);
    assert.equal(sid, (await app.call(currentSession, { as: token })).body.session_id);
    assert.equal(decodeProtectedHeader(token).alg, "EdDSA");
  });

  test("AUTH-18: ignores capitals and surrounding spaces in the address", async () => {
    const { email } = await aPerson(app);
    assert.equal((await tryToSignIn(app, `  ${email.toUpperCase()} `)).status, 200);
  });

  test("accepts a password however the keyboard composes its characters", async () => {
    const email = newEmail();
    await createUser(app.kernel, { email, role: "user", password: "schl\u00fcssel-\u212b" });
    assert.equal((await tryToSignIn(app, email, { password: "schlu\u0308ssel-\u00c5" })).status, 200);
  });

  test("OPEN-10: gives the same reply for a wrong password, an unknown address and an invalid address", async () => {
    const { email } = await aPerson(app);
    const wrong = await tryToSignIn(app, email, { password: "wrong" });
    assert.equal(wrong.status, 401);
    assert.equal(codeOf(wrong), "sign-in.refused");
    assert.equal((wrong.body as { message?: string }).message, "Invalid credentials");
    for (const other of [newEmail(), "not an address", "' or 1=1 --"]) {
      const reply = await tryToSignIn(app, other, { password: "wrong" });
      assert.equal(reply.status, 401, reply.text);
      assert.deepEqual(withoutRequestId(reply.text), withoutRequestId(wrong.text));
      assert.deepEqual(Object.keys(reply.headers).toSorted(), Object.keys(wrong.headers).toSorted());
      assert.equal(reply.text.length, wrong.text.length);
    }
  });

  test("computes one password hash for an unknown address, as for a known one", async () => {
    const { email } = await aPerson(app);
    const costOf = async (address: string, password: string) => {
      const earlier = await hashesOf(app);
      await tryToSignIn(app, address, { password });
      return (await hashesOf(app)) - earlier;
    };
    assert.equal(await costOf(email, "wrong"), 1);
    assert.equal(await costOf(newEmail(), "wrong"), 1);
    assert.equal(await costOf("no address", "wrong"), 1);
    assert.equal(await costOf(email, PASSWORD), 1);
  });

  test("replaces a hash with outdated parameters after a successful sign-in", async () => {
    const other = createPasswords({ parameters: { memoryKiB: 512, passes: 2, lanes: 1 } });
    const email = newEmail();
    await createUser(app.kernel, { email, role: "user", password: PASSWORD }, other);
    assert.match(await storedHash(email), /^\$argon2id\$v=19\$m=512,t=2,p=1\$/);
    await tryToSignIn(app, email, { password: "wrong" });
    assert.match(await storedHash(email), /m=512,/);
    await signedIn(app, email);
    const renewed = await storedHash(email);
    assert.doesNotMatch(renewed, /m=512,/);
    await signedIn(app, email);
    assert.equal(await storedHash(email), renewed);
  });

  test("OPEN-10: reports a disabled account only after the correct password", async () => {
    const admin = await firstAdmin(app);
    const { id, email } = await aPerson(app);
    await app.call(setUserStatus, { params: { id }, body: { status: "disabled" }, as: admin.token });
    assert.equal((await tryToSignIn(app, email, { password: "wrong" })).status, 401);
    const reply = await tryToSignIn(app, email);
    assert.equal(reply.status, 403);
    assert.equal(codeOf(reply), "account.disabled");
  });

  test("fails if the password is changed while the sign-in is in progress", async () => {
    const { id, email, token } = await aPerson(app);
    const [locked, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const change = app.database.transaction(async (tx) => {
      await tx.updateTable("users").set({ password_hash: "changed" }).where("id", "=", id).execute();
      locked.resolve();
      await changed.promise;
    });
    await locked.promise;
    const attempt = tryToSignIn(app, email);
    await untilSomeoneWaits(app);
    changed.resolve();
    await change;
    assert.equal((await attempt).status, 401);
    const { rows } = await app.database.pool.query("select id from sign_in_sessions where user_id = $1", [id]);
    assert.deepEqual(rows, [{ id: sessionOf(token) }]);
  });
});

describe("traces of signing in", () => {
  test("include an audit entry with user and address for a success and for a failure", async () => {
    const { id, email } = await aPerson(app);
    await tryToSignIn(app, email, { password: "wrong", from: "192.0.2.7" });
    await tryToSignIn(app, email, { from: "192.0.2.8" });
    const [, failure, success] = (await entriesOf(app, "session.started")).filter(
      (entry) => entry.target?.["id"] === id,
    );
    assert.equal(failure?.result, "failure");
    assert.equal(failure.reason, "sign-in.refused");
    assert.equal(failure.request?.["ip"], "192.0.2.7");
    assert.deepEqual(failure.actor, { system: "visitor" });
    assert.equal(success?.result, "success");
    assert.equal(success.actor["id"], id);
    assert.equal(success.request?.["ip"], "192.0.2.8");
  });

  test("include no password, token or unknown address in the log, audit trail or attempt counters", async () => {
    const { email } = await aPerson(app);
    const typed = "my-secret@typed-into-the-wrong-field";
    const reply = await tryToSignIn(app, email);
    const cookie = String(reply.headers["set-cookie"]).split(";")[0]?.split("=")[1] ?? "";
    await tryToSignIn(app, typed, { password: "hunter2-hunter2" });
    await app.call(changePassword, {
      body: { current_password: "hunter2-hunter2", new_password: "another-secret" },
      as: reply.body.token,
    });
    const { rows: entries } = await app.database.pool.query(
      "select convert_from(canonical, 'UTF8') as text from audit_entries",
    );
    const { rows: counters } = await app.database.pool.query("select key as text from sign_in_attempts");
    const all = [...app.logLines, ...[...entries, ...counters].map((row: { text: string }) => row.text)].join("\n");
    assert.ok(all.includes("session.started"));
    for (const secret of [
      PASSWORD,
      "hunter2",
      "another-secret",
      "typed-into",
      reply.body.token ?? "no token",
      cookie,
    ]) {
      assert.ok(!all.includes(secret), `${secret} is written down somewhere`);
    }
  });
});

describe("sessions cannot be planted or replayed", () => {
  test("every sign-in creates a new session, whatever the client sends", async () => {
    const attacker = await aPerson(app);
    const { email } = await aPerson(app);
    const planted = sessionOf(attacker.token);
    const brought = {
      authorization: `Bearer ${attacker.token}`,
      cookie: `strongroom_stream=${planted}; sid=${planted}`,
    };
    const first = await signedIn(app, email, { headers: brought });
    const second = await signedIn(app, email, { headers: brought });
    assert.equal(new Set([planted, sessionOf(first), sessionOf(second)]).size, 3);
    assert.equal((await app.call(currentSession, { as: attacker.token })).body.user.email, attacker.email);
  });

  test("AUTH-33, AUTH-34, API-04: after sign-out the token is refused by every call and process", async () => {
    const other = await anotherProcess(app);
    const { token } = await aPerson(app);
    assert.equal((await other.call(currentSession, { as: token })).status, 200);
    const reply = await app.call(logout, { as: token });
    assert.equal(reply.status, 200);
    assert.match(String(reply.headers["set-cookie"]), /^strongroom_stream=; .*Max-Age=0$/);
    for (const endpoint of [currentSession, listOwnSessions, logout]) {
      for (const process of [app, other]) {
        const replay = await process.call(endpoint, { as: token });
        assert.equal(replay.status, 401);
        assert.equal(codeOf(replay), "session.ended");
      }
    }
    await other.stopOnly();
  });

  test("signing out of one session leaves the user's other sessions open", async () => {
    const { email, token } = await aPerson(app);
    const elsewhere = await signedIn(app, email);
    await app.call(logout, { as: token });
    assert.equal((await app.call(currentSession, { as: elsewhere })).status, 200);
  });
});

describe("OPEN-138: the cookie of the event stream", () => {
  const cookieOf = (reply: { headers: Record<string, unknown> }) => String(reply.headers["set-cookie"]);
  const secretOf = (cookie: string) => /^strongroom_stream=([^;]+)/.exec(cookie)?.[1] ?? "";

  test("is HttpOnly, SameSite=Strict, limited to the stream's path, and expires with the browser", async () => {
    const { email } = await aPerson(app);
    const cookie = cookieOf(await tryToSignIn(app, email));
    assert.match(cookie, /^strongroom_stream=[\w-]{43}; Path=\/api\/v1; HttpOnly; SameSite=Strict$/);
  });

  test("lasts as long as a remembered session, and is Secure when the public address is https", async () => {
    const https = await testApp({ config: { publicUrl: "https://vault.example.com" } });
    const { email } = await aPerson(https);
    const cookie = cookieOf(await tryToSignIn(https, email, { remember: true }));
    assert.match(cookie, /; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000$/);
    await https.close();
  });

  test("permits the event stream and nothing else, until its session ends", async () => {
    const { email } = await aPerson(app);
    const reply = await tryToSignIn(app, email);
    const secret = secretOf(cookieOf(reply));
    assert.equal(reply.body.token?.includes(secret), false);
    const cookie = `strongroom_stream=${secret}`;
    const address = await app.http.listen({ port: 0, host: "127.0.0.1" });
    const statusOf = async (path: string, headers: Record<string, string>) => {
      const controller = new AbortController();
      const { status } = await fetch(`${address}${path}`, { headers, signal: controller.signal });
      controller.abort();
      return status;
    };
    assert.equal(await statusOf("/api/v1/events", { cookie }), 200);
    assert.equal(await statusOf("/api/v1/events", {}), 401);
    assert.equal(await statusOf("/api/v1/events", { cookie: `strongroom_stream=${secret.slice(0, -2)}AA` }), 401);
    assert.equal(await statusOf("/api/v1/auth/session", { cookie }), 401);
    assert.equal(await statusOf("/api/v1/auth/session", { authorization: `Bearer ${secret}` }), 401);
    await app.call(logout, { as: reply.body.token });
    assert.equal(await statusOf("/api/v1/events", { cookie }), 401);
  });
});
