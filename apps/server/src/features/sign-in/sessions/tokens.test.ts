// Tests forged, altered and expired session tokens, and the keys that sign them.
import { currentSession, listUsers } from "@strongroom/contract";
import { SignJWT, UnsecuredJWT, base64url, decodeJwt, decodeProtectedHeader } from "jose";
import type { JWTPayload } from "jose";
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, randomUUID } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { aPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { createSigningKeys } from "./signing-keys.ts";
import type { SigningKey } from "./signing-keys.ts";
import { DAY, HOUR, anotherProcess, codeOf, sessionOf, signedIn, fixedClock } from "../testing/attempts.ts";

const clock = fixedClock();
let app: TestApp;
let key: SigningKey;
let token: string;
let payload: JWTPayload;

before(async () => {
  app = await testApp({ clock });
  key = await createSigningKeys(app.kernel).inUse();
  ({ token } = await aPerson(app));
  payload = decodeJwt(token);
});
after(() => app.close());

const answerTo = async (bearer: string) => {
  const reply = await app.call(currentSession, { as: bearer });
  return [reply.status, codeOf(reply)];
};
const REFUSED = [401, "session.invalid"];

/** Signs a token as the server does, apart from the changes that a test makes. */
function sign(claims: Partial<JWTPayload>, header: Record<string, string> = {}, by: KeyObject = key.privateKey) {
  const all = { ...payload, ...claims };
  const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new SignJWT(kept).setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid: key.id, ...header }).sign(by);
}

describe("a session token", () => {
  test("is accepted when this test's helper signs it unchanged", async () => {
    assert.equal((await answerTo(await sign({})))[0], 200);
    assert.deepEqual(decodeProtectedHeader(token), { alg: "EdDSA", typ: "JWT", kid: key.id });
  });

  test('is refused when its algorithm is "none"', async () => {
    assert.deepEqual(await answerTo(new UnsecuredJWT(payload).encode()), REFUSED);
    const header = base64url.encode(JSON.stringify({ alg: "none", typ: "JWT", kid: key.id }));
    for (const signature of ["", token.split(".")[2]]) {
      assert.deepEqual(await answerTo(`${header}.${token.split(".")[1]}.${signature}`), REFUSED);
    }
  });

  test("is refused when signed by HS256 with the public key as the secret, for every encoding of the key", async () => {
    const header = base64url.encode(JSON.stringify({ alg: "HS256", typ: "JWT", kid: key.id }));
    const body = base64url.encode(JSON.stringify(payload));
    const forms = [
      key.publicKey.export({ format: "pem", type: "spki" }),
      key.publicKey.export({ format: "der", type: "spki" }),
      base64url.decode(String(key.publicKey.export({ format: "jwk" }).x)),
    ];
    for (const secret of forms) {
      const mac = createHmac("sha256", secret).update(`${header}.${body}`).digest("base64url");
      assert.deepEqual(await answerTo(`${header}.${body}.${mac}`), REFUSED);
    }
  });

  test("is refused when signed by a different key, with our key's id, with its own id, and with the key embedded", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const jwk = JSON.stringify(publicKey.export({ format: "jwk" }));
    assert.deepEqual(await answerTo(await sign({}, {}, privateKey)), REFUSED);
    assert.deepEqual(await answerTo(await sign({}, { kid: randomUUID() }, privateKey)), REFUSED);
    assert.deepEqual(await answerTo(await sign({}, { jwk, jku: "http://127.0.0.1:1/keys" }, privateKey)), REFUSED);
    for (const kid of ["", "../../../../dev/null", "' or true --", "x".repeat(500)]) {
      assert.deepEqual(await answerTo(await sign({}, { kid }, privateKey)), REFUSED);
    }
  });

  test("is refused with a different issuer, audience or type, despite a valid signature", async () => {
    assert.deepEqual(await answerTo(await sign({ aud: "another-service" })), REFUSED);
    assert.deepEqual(await answerTo(await sign({ aud: undefined })), REFUSED);
    assert.deepEqual(await answerTo(await sign({ iss: "another-issuer" })), REFUSED);
    assert.deepEqual(await answerTo(await sign({ iss: undefined })), REFUSED);
    assert.deepEqual(await answerTo(await sign({}, { typ: "at+jwt" })), REFUSED);
  });

  test("is refused without an expiry or a session", async () => {
    assert.deepEqual(await answerTo(await sign({ exp: undefined })), REFUSED);
    assert.deepEqual(await answerTo(await sign({ sid: undefined })), REFUSED);
  });

  test("AUTH-31: is refused after it expires, even if it was accepted just before", async () => {
    const seconds = Math.floor(clock.now().getTime() / 1000);
    assert.deepEqual(await answerTo(await sign({ exp: seconds - 1 })), REFUSED);
    const brief = await sign({ exp: seconds + 60 });
    assert.equal((await answerTo(brief))[0], 200);
    clock.advance(60_000);
    assert.deepEqual(await answerTo(brief), REFUSED);
  });

  test("is refused with another user's session or an unknown session", async () => {
    const other = await aPerson(app);
    assert.deepEqual(await answerTo(await sign({ sid: sessionOf(other.token) })), [401, "session.ended"]);
    assert.deepEqual(await answerTo(await sign({ sid: randomUUID() })), [401, "session.ended"]);
  });

  test("OPEN-146: carries a role for display only; the server uses the stored role", async () => {
    const promoted = await sign({ role: "admin" });
    assert.equal((await app.call(listUsers, { as: promoted })).status, 403);
    assert.equal((await app.call(currentSession, { as: promoted })).body.user.role, "user");
  });

  test("is refused after any single character changes", async () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const [index, character] of token.split("").entries()) {
      // Flips a significant bit even in the last character of a part, whose lower bits are ignored.
      const changed = alphabet[alphabet.indexOf(character) ^ 16];
      const [status] = await answerTo(token.slice(0, index) + changed + token.slice(index + 1));
      assert.equal(status, 401, `character ${index}`);
    }
  });

  test("is refused when it is malformed", async () => {
    for (const bearer of [".", "..", "a.b.c", "x".repeat(5000), `${token}.`, token.slice(0, -1), "null"]) {
      assert.deepEqual(await answerTo(bearer), REFUSED);
    }
  });
});

describe("token signing keys", () => {
  test("are shared by two processes that start together and accept each other's tokens", async () => {
    const fresh = await testApp({ clock });
    const second = await anotherProcess(fresh, { clock });
    const keys = await Promise.all([fresh, second].map((each) => createSigningKeys(each.kernel).inUse()));
    assert.equal(keys[0]?.id, keys[1]?.id);
    const person = await aPerson(fresh);
    assert.equal((await second.call(currentSession, { as: person.token })).status, 200);
    await second.stopOnly();
    await fresh.close();
  });

  test("are replaced without invalidating old tokens on any process", async () => {
    const second = await anotherProcess(app, { clock });
    const person = await aPerson(app);
    await createSigningKeys(second.kernel).rotate();
    const newer = await signedIn(app, person.email);
    assert.notEqual(decodeProtectedHeader(newer).kid, decodeProtectedHeader(person.token).kid);
    for (const each of [person.token, newer]) {
      for (const process of [app, second]) assert.equal((await process.call(currentSession, { as: each })).status, 200);
    }
    await second.stopOnly();
  });

  test("rotate once for two concurrent rotations, leaving one active key", async () => {
    const inUse = (await createSigningKeys(app.kernel).inUse()).id;
    await Promise.all([createSigningKeys(app.kernel).rotate(), createSigningKeys(app.kernel).rotate()]);
    assert.notEqual((await createSigningKeys(app.kernel).inUse()).id, inUse);
    const { rows } = await app.database.pool.query("select id from sign_in_signing_keys where retired_at is null");
    assert.equal(rows.length, 1);
  });

  test("are replaced after 90 days and kept for 31 more, longer than the life of any session", async () => {
    const keys = createSigningKeys(app.kernel);
    const first = (await keys.inUse()).id;
    clock.advance(90 * DAY - HOUR);
    await keys.maintain();
    assert.equal((await keys.inUse()).id, first);
    clock.advance(HOUR);
    await keys.maintain();
    assert.notEqual((await keys.inUse()).id, first);
    clock.advance(31 * DAY);
    await keys.maintain();
    assert.notEqual(await createSigningKeys(app.kernel).byId(first), null);
    clock.advance(HOUR);
    await keys.maintain();
    assert.equal(await createSigningKeys(app.kernel).byId(first), null);
  });

  test("INVARIANT: a key inserted into the database signs nothing", async () => {
    const fresh = await testApp({ clock });
    const person = await aPerson(fresh);
    const { privateKey } = generateKeyPairSync("ed25519");
    const kid = randomUUID();
    await fresh.database.pool.query("insert into sign_in_signing_keys values ($1, $2, now(), now())", [
      kid,
      privateKey.export({ format: "der", type: "pkcs8" }),
    ]);
    const forged = await new SignJWT(decodeJwt(person.token))
      .setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid })
      .sign(privateKey);
    await assert.rejects(createSigningKeys(fresh.kernel).byId(kid), { code: "envelope.malformed" });
    assert.equal((await fresh.call(currentSession, { as: forged })).status, 500);
    await fresh.close();
  });

  test("do not open after being moved to a different row", async () => {
    const fresh = await testApp({ clock });
    const keys = createSigningKeys(fresh.kernel);
    const older = (await keys.inUse()).id;
    await keys.rotate();
    const newer = (await keys.inUse()).id;
    await fresh.database.pool.query(
      "update sign_in_signing_keys as one set sealed = other.sealed from sign_in_signing_keys as other where one.id = $1 and other.id = $2",
      [older, newer],
    );
    await assert.rejects(createSigningKeys(fresh.kernel).byId(older), { code: "envelope.refused" });
    await fresh.close();
  });

  test("are dropped from memory when the vault is sealed, and calls are refused", async () => {
    const fresh = await testApp({ clock });
    const person = await aPerson(fresh);
    const keys = createSigningKeys(fresh.kernel);
    await keys.inUse();
    fresh.kernel.keys.seal();
    assert.equal((await fresh.call(currentSession, { as: person.token })).status, 503);
    await assert.rejects(keys.inUse(), { code: "sealed" });
    await fresh.close();
  });
});
