// Tests of signing in through OpenID Connect, against a real provider on loopback that can also send forged answers.
import {
  beginOidc,
  changeUserRole,
  createIdentityProvider,
  currentSession,
  finishOidc,
  listNotifications,
  pathOf,
  setUserStatus,
} from "@strongroom/contract";
import { generateKeyPair } from "jose";
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { aPerson } from "#testing/people.ts";
import { eventually } from "#testing/waiting.ts";
import {
  aStranger,
  admin,
  app,
  base,
  begin,
  countUsers,
  finish,
  holdVaultOf,
  idp,
  refusedWith,
  row,
  serveOidc,
  set,
  signIn,
  wait,
  whoIs,
} from "../testing/oidc-sign-ins.ts";
import { CLIENT_ID, CLIENT_SECRET } from "../testing/openid-provider.ts";
import type { Bend } from "../testing/openid-provider.ts";

serveOidc();

describe("a sign-in through a provider", () => {
  for (const algorithm of ["ES256", "RS256", "EdDSA"] as const) {
    test(`creates a user the first time and later finds them by their subject (${algorithm})`, async () => {
      idp.algorithm = algorithm;
      idp.serve([row.redirect_uri!]);
      const { subject, email } = aStranger();
      const first = await whoIs(await signIn({ return_to: "/vault?search=db" }));
      assert.deepEqual([first.email, first.role], [email, "user"]);
      idp.person = { subject, claims: { email: "renamed@corp.example", email_verified: true } };
      const second = await whoIs(await signIn());
      assert.equal(second.id, first.id, "another address is the same person");
    });
  }

  test("sends state, nonce and PKCE, limits the cookie to our page, and puts no token in a URL", async () => {
    aStranger();
    const reply = await app.call(beginOidc, {
      params: { id: row.id },
      body: { return_to: "/vault", remember_me: true },
    });
    const url = new URL(reply.body.url);
    for (const name of ["state", "nonce", "code_challenge"])
      assert.ok((url.searchParams.get(name) ?? "").length >= 43, name);
    assert.equal(url.searchParams.get("code_challenge_method"), "S256");
    assert.equal(url.searchParams.get("redirect_uri"), `https://strongroom.example/auth/callback/${row.id}`);
    const cookie = String(reply.headers["set-cookie"]);
    for (const part of ["HttpOnly", "SameSite=Strict", "Secure", "Max-Age=600", "Path=/api/v1/auth/oidc"])
      assert.ok(cookie.includes(part), part);
    const query = await idp.visit(reply.body.url);
    const done = await finish(query, cookie.split(";", 1)[0]!);
    assert.deepEqual([done.body.return_to, done.body.remember_me], ["/vault", true]);
    assert.ok(!query.includes(done.body.sign_in.token!));
    assert.ok(!app.logLines.some((line) => line.includes(done.body.sign_in.token!) || line.includes(CLIENT_SECRET)));
  });

  test("assigns the highest role of the user's groups at each sign-in, and refuses or demotes users without a mapped group", async () => {
    const role_mappings = [
      { group: "ops", role: "manager" as const },
      { group: "admins", role: "admin" as const },
    ];
    await set({ role_mappings, without_group: "refuse" }, { group_claim: "realm.groups" });
    const { subject } = aStranger({ realm: { groups: ["ops", "admins", "others"] } });
    const first = await signIn();
    assert.equal((await whoIs(first)).role, "admin");
    idp.person.claims["realm"] = { groups: ["ops"] };
    assert.equal((await whoIs(await signIn())).role, "manager");
    const before = await app.call(currentSession, { as: first.body.sign_in.token });
    assert.equal(before.status, 401, "the session with the old role has ended");
    idp.person = { subject, claims: { ...idp.person.claims, realm: { groups: ["others"] } } };
    refusedWith(await signIn(), 403, "sign-in.no-group");
    await set({ role_mappings, without_group: "user" }, { group_claim: "realm.groups" });
    assert.equal((await whoIs(await signIn())).role, "user");
  });

  test("notifies every administrator when a provider creates an administrator", async () => {
    const isNotified = (name: string) =>
      eventually(async () => {
        const { notifications } = (await app.call(listNotifications, { as: admin })).body;
        const message = `The identity provider Company login made ${name} an administrator.`;
        return notifications.some((each) => each.message === message) ? true : null;
      });
    const role_mappings = [{ group: "admins", role: "admin" as const }];
    await set({ role_mappings, links_by_email: true });
    aStranger({ groups: ["admins"], name: "New Here" });
    assert.equal((await whoIs(await signIn())).role, "admin");
    await isNotified("New Here");
    const local = await aPerson(app);
    aStranger({ groups: ["admins"], email: local.email });
    const { name, role } = await whoIs(await signIn());
    assert.equal(role, "admin");
    await isNotified(name);
  });

  test("is refused when the provider sends groups only by reference", async () => {
    await set({ role_mappings: [{ group: "ops", role: "manager" }] });
    aStranger();
    idp.bend = (claims, sign) => sign({ ...claims, _claim_names: { groups: "src1" } });
    refusedWith(await signIn(), 403, "sign-in.groups-missing");
  });

  test("creates no user when the provider may not create users, the domain is not the provider's, or the address is not verified", async () => {
    const before = await countUsers();
    await set({ creates_people: false });
    aStranger();
    refusedWith(await signIn(), 403, "sign-in.not-known");
    await set({ domains: ["other.example"] });
    refusedWith(await signIn(), 403, "sign-in.other-domain");
    await set({});
    idp.person.claims["email_verified"] = false;
    refusedWith(await signIn(), 403, "sign-in.no-email");
    // Some providers send text instead of a boolean.
    idp.bend = (claims, sign) => sign({ ...claims, email_verified: "false" });
    refusedWith(await signIn(), 403, "sign-in.no-email");
    idp.bend = null;
    assert.equal(await countUsers(), before);
  });

  test("is refused for a disabled user and for a disabled provider", async () => {
    aStranger();
    const { id } = await whoIs(await signIn());
    await app.call(setUserStatus, { params: { id }, body: { status: "disabled" }, as: admin });
    refusedWith(await signIn(), 403, "account.disabled");
    const { url, cookie } = await begin();
    const query = await idp.visit(url);
    await set({ is_enabled: false });
    refusedWith(await finish(query, cookie), 404, "identity-provider.not-found");
    assert.equal((await app.call(beginOidc, { params: { id: row.id }, body: {} })).status, 404);
  });
});

describe("an existing account", () => {
  test("is taken over only if the administrator allows it and the address is verified", async () => {
    const local = await aPerson(app);
    aStranger({ email: local.email });
    refusedWith(await signIn(), 403, "sign-in.account-exists");
    await set({ links_by_email: true });
    // The signed token does not confirm the address, and the user info must not be used instead.
    idp.bend = (claims, sign) => sign({ ...claims, email_verified: undefined });
    refusedWith(await signIn(), 403, "sign-in.account-exists");
    idp.bend = null;
    assert.equal((await whoIs(await signIn())).id, local.id);
    assert.equal((await app.call(currentSession, { as: local.token })).status, 401, "earlier sessions have ended");
  });

  test("is never taken over if it is an administrator's", async () => {
    await set({ links_by_email: true });
    const other = await aPerson(app, "admin");
    aStranger({ email: other.email });
    refusedWith(await signIn(), 403, "sign-in.account-exists");
  });

  test("is not taken over within 7 days after its user was an administrator", async () => {
    await set({ links_by_email: true, role_mappings: [{ group: "admins", role: "admin" }] });
    const other = await aPerson(app, "admin");
    const demoted = await app.call(changeUserRole, { params: { id: other.id }, body: { role: "user" }, as: admin });
    assert.equal(demoted.status, 200, demoted.text);
    aStranger({ email: other.email, groups: ["admins"] });
    refusedWith(await signIn(), 403, "sign-in.account-exists");
    wait(7 * 24 * 3_600_000 + 1000);
    assert.equal((await whoIs(await signIn())).id, other.id);
  });

  test("is not taken over if its user cancelled a reset as unauthorised", async () => {
    await set({ links_by_email: true });
    const local = await aPerson(app);
    await holdVaultOf(local);
    aStranger({ email: local.email });
    refusedWith(await signIn(), 403, "sign-in.account-exists");
  });

  test("is not taken over if its user becomes an administrator during the sign-in", async () => {
    await set({ links_by_email: true });
    const local = await aPerson(app);
    aStranger({ email: local.email });
    const { url, cookie } = await begin();
    const query = await idp.visit(url);
    const promoting = await app.database.pool.connect();
    try {
      await promoting.query("begin");
      await promoting.query("update users set role = 'admin' where id = $1", [local.id]);
      const answer = finish(query, cookie);
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await eventually(async () => ((await app.database.pool.query(waiting)).rowCount === 0 ? null : true));
      await promoting.query("commit");
      // The check sees either a change since the first look-up, or an administrator from the start.
      assert.ok([401, 403].includes((await answer).status));
    } finally {
      promoting.release();
    }
    const bound = "select from identity_provider_people where user_id = $1";
    const { rowCount } = await app.database.pool.query(bound, [local.id]);
    assert.equal(rowCount, 0, "no user is linked to them");
  });
});

describe("attacks on a sign-in through a provider", () => {
  beforeEach(() => void aStranger());

  test("login CSRF: an answer is refused in another browser and with another browser's cookie", async () => {
    const [attacker, victim] = [await begin(), await begin()];
    const query = await idp.visit(attacker.url);
    refusedWith(await finish(query, null), 400, "sign-in.begin-again");
    refusedWith(await finish(query, victim.cookie), 400, "sign-in.begin-again");
  });

  test("an answer with a wrong state does not end the sign-in in progress", async () => {
    const { url, cookie } = await begin();
    const query = await idp.visit(url);
    for (const forged of ["state=forged&code=forged", "error=access_denied"]) {
      refusedWith(await finish(forged, cookie), 400, "sign-in.begin-again");
    }
    assert.equal((await finish(query, cookie)).status, 200);
  });

  test("replay: an answer works once, and a flow expires after 10 minutes", async () => {
    const { url, cookie } = await begin();
    const query = await idp.visit(url);
    const both = await Promise.all([finish(query, cookie), finish(query, cookie)]);
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 400],
    );
    const late = await begin();
    const answer = await idp.visit(late.url);
    wait(10 * 60_000);
    refusedWith(await finish(answer, late.cookie), 400, "sign-in.begin-again");
  });

  test("a stolen code without its state, a changed state and a provider's error do not sign in", async () => {
    for (const change of [
      (query: URLSearchParams) => query.set("state", "x".repeat(43)),
      (query: URLSearchParams) => query.delete("state"),
      (query: URLSearchParams) => query.append("state", "x"),
      (query: URLSearchParams) => query.append("code", "x"),
      (query: URLSearchParams) => query.set("code", "x".repeat(43)),
    ]) {
      const { url, cookie } = await begin();
      const query = new URLSearchParams(await idp.visit(url));
      change(query);
      const reply = await finish(query.toString(), cookie);
      assert.ok([400, 403].includes(reply.status), `${query.toString()}: ${reply.text}`);
    }
    const { url, cookie } = await begin();
    const state = new URL(url).searchParams.get("state")!;
    const said = `error=access_denied&error_description=${encodeURIComponent("<script>")}&state=${state}&iss=${idp.issuer}`;
    const denied = await finish(said, cookie);
    refusedWith(denied, 403, "sign-in.provider-refused");
    assert.ok(!denied.text.includes("<script>"));
  });

  test("a code issued to one browser cannot be redeemed by another's sign-in (PKCE)", async () => {
    const [attacker, victim] = [await begin(), await begin()];
    const stolen = new URLSearchParams(await idp.visit(victim.url)).get("code")!;
    const own = new URLSearchParams(await idp.visit(attacker.url));
    own.set("code", stolen);
    refusedWith(await finish(own.toString(), attacker.cookie), 403, "sign-in.provider-untrusted");
  });

  test("mix-up: an answer from another issuer, or at another provider's address, is refused", async () => {
    const first = await begin();
    const query = new URLSearchParams(await idp.visit(first.url));
    query.set("iss", "https://evil.example");
    refusedWith(await finish(query.toString(), first.cookie), 403, "sign-in.provider-untrusted");
    const other = await app.call(createIdentityProvider, { body: { ...base(), name: "Another" }, as: admin });
    const second = await begin();
    refusedWith(await finish(await idp.visit(second.url), second.cookie, other.body.id), 400, "sign-in.begin-again");
  });

  const LIES: Record<string, () => Promise<Bend> | Bend> = {
    "is unsigned (alg none)": () => async (claims) =>
      `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.`,
    "is signed with the client secret (HS256)": () => (claims, sign) =>
      sign(claims, { alg: "HS256", key: Buffer.from(CLIENT_SECRET.padEnd(32, "x")) }),
    "is signed with another key": async () => {
      const { privateKey } = await generateKeyPair("ES256");
      return (claims, sign) => sign(claims, { alg: "ES256", key: privateKey });
    },
    "has expired": () => (claims, sign) => sign({ ...claims, exp: Math.floor(Date.now() / 1000) - 120 }),
    "was made for another sign-in (nonce)": () => (claims, sign) => sign({ ...claims, nonce: "another" }),
    "has no nonce": () => (claims, sign) => sign({ ...claims, nonce: undefined }),
    "was made for another client (audience)": () => (claims, sign) => sign({ ...claims, aud: "another" }),
    "is for several audiences without an authorised party": () => (claims, sign) =>
      sign({ ...claims, aud: [CLIENT_ID, "another"], azp: undefined }),
    "has another authorised party (azp)": () => (claims, sign) =>
      sign({ ...claims, aud: [CLIENT_ID, "another"], azp: "another" }),
    "has no expiry": () => (claims, sign) => sign({ ...claims, exp: undefined }),
    "has an expiry that is text": () => (claims, sign) => sign({ ...claims, exp: "9999999999" as never }),
    "has no time of issue": () => (claims, sign) => sign({ ...claims, iat: undefined }),
    "is not valid yet (nbf)": () => (claims, sign) => sign({ ...claims, nbf: Math.floor(Date.now() / 1000) + 3600 }),
    "has no subject": () => (claims, sign) => sign({ ...claims, sub: undefined }),
    "has an issuer with another spelling": () => (claims, sign) => sign({ ...claims, iss: `${String(claims.iss)}/` }),
    "comes from another issuer": () => (claims, sign) => sign({ ...claims, iss: "https://evil.example" }),
    "belongs to another access token (at_hash)": () => (claims, sign) =>
      sign({ ...claims, at_hash: "AAAAAAAAAAAAAAAAAAAAAA" }),
    "is about a different user than the user info (sub)": () => (claims, sign) =>
      sign({ ...claims, sub: "somebody-else" }),
  };
  for (const [name, lie] of Object.entries(LIES)) {
    test(`an ID token that ${name} is refused`, async () => {
      const before = await countUsers();
      idp.bend = await lie();
      refusedWith(await signIn(), 403, "sign-in.provider-untrusted");
      assert.equal(await countUsers(), before);
      idp.bend = null;
      assert.equal((await signIn()).status, 200, "the honest one is taken");
    });
  }

  test("open redirect: only paths in the app are accepted as the return address", async () => {
    for (const place of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "javascript:alert(1)",
      "vault",
      "/a\nb",
    ]) {
      const reply = await app.call(beginOidc, { params: { id: row.id }, body: { return_to: place } });
      assert.equal(reply.status, 400, place);
    }
  });

  test("CSRF: another site's form cannot finish a sign-in, even with the cookie", async () => {
    const { url, cookie } = await begin();
    const payload = JSON.stringify({ query: await idp.visit(url) });
    const path = pathOf(finishOidc.path, { id: row.id });
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const headers = { "content-type": type, cookie, origin: "https://evil.example" };
      const answer = await app.http.inject({ method: "POST", url: path, headers, payload });
      assert.ok([400, 415].includes(answer.statusCode), `${type}: ${answer.body}`);
    }
    assert.equal((await finish((JSON.parse(payload) as { query: string }).query, cookie)).status, 200);
  });

  test("header injection: request headers do not change the redirect address, and the body does not reach a header", async () => {
    const headers = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
      forwarded: "host=evil.example",
    };
    const reply = await app.call(beginOidc, { params: { id: row.id }, body: {}, headers });
    assert.equal(new URL(reply.body.url).searchParams.get("redirect_uri"), row.redirect_uri);
    assert.ok(!JSON.stringify([reply.headers, reply.body]).includes("evil.example"));
    const split = await app.call(beginOidc, { params: { id: row.id }, body: { return_to: "/x\r\nset-cookie: a=b" } });
    assert.equal(split.status, 400);
    const place = `/x?next=${encodeURIComponent("\r\nset-cookie: a=b")}`;
    const { url, cookie } = await begin({ return_to: place });
    const done = await finish(await idp.visit(url), cookie);
    assert.equal(done.body.return_to, place);
    assert.ok(!JSON.stringify(done.headers).includes("a=b"));
  });

  test("session fixation: a browser's existing cookies and tokens do not affect its new session", async () => {
    const { url, cookie } = await begin();
    const query = await idp.visit(url);
    const reply = await app.call(finishOidc, {
      params: { id: row.id },
      body: { query },
      headers: { cookie: `${cookie}; strongroom_stream=chosen`, authorization: "Bearer chosen" },
    });
    assert.equal(reply.status, 200, reply.text);
    assert.ok(!String(reply.headers["set-cookie"]).includes("chosen"));
  });
});
