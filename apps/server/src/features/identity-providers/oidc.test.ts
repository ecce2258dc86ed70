// Signing in through OpenID Connect, against a real provider on loopback, honest and not.
import {
  beginOidc,
  changeUserRole,
  createIdentityProvider,
  createToken,
  currentSession,
  deleteIdentityProvider,
  finishOidc,
  listCredentials,
  listUsers,
  login,
  pathOf,
  readOwnProfile,
  setUserStatus,
  updateIdentityProvider,
} from "@strongroom/contract";
import type { IdentityProvider, InputOf, ReplyOf } from "@strongroom/contract";
import { generateKeyPair } from "jose";
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { codeAt, requireFactorOf, secondStep, withApp } from "#features/factors/testing/with-factors.ts";
import { createUser, makeResetLink } from "#features/sign-in/index.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { Reply, TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { CLIENT_ID, CLIENT_SECRET, startOpenidProvider } from "./testing/openid-provider.ts";
import type { Bend, OpenidProvider } from "./testing/openid-provider.ts";

type Body = NonNullable<InputOf<typeof createIdentityProvider>["body"]>;
type OidcBody = Extract<Body, { kind: "oidc" }>;

let app: TestApp;
let idp: OpenidProvider;
let admin: string;
let row: IdentityProvider;
let now = new Date();

const base = (): OidcBody => ({
  kind: "oidc",
  name: "Company login",
  is_enabled: true,
  creates_people: true,
  links_by_email: false,
  without_group: "user",
  role_mappings: [],
  domains: [],
  secret: CLIENT_SECRET,
  settings: { issuer: idp.issuer, client_id: CLIENT_ID },
});

before(async () => {
  app = await testApp({ config: { publicUrl: "https://strongroom.example" }, clock: { now: () => now } });
  idp = await startOpenidProvider();
  admin = (await firstAdmin(app)).token;
  const made = await app.call(createIdentityProvider, { body: base(), as: admin });
  assert.equal(made.status, 201, made.text);
  row = made.body;
  idp.serve([row.redirect_uri!]);
});
after(async () => {
  await app.close();
  await idp.close();
});
beforeEach(async () => {
  now = new Date();
  idp.bend = null;
  await set({});
});

function tryToSet(change: Partial<OidcBody>, settings: Partial<OidcBody["settings"]> = {}) {
  const { secret: _kept, ...body } = { ...base(), ...change };
  const changed = { ...body, settings: { ...body.settings, ...settings } };
  return app.call(updateIdentityProvider, { params: { id: row.id }, body: changed, as: admin });
}

async function set(...change: Parameters<typeof tryToSet>): Promise<void> {
  const reply = await tryToSet(...change);
  assert.equal(reply.status, 200, reply.text);
}

let count = 0;
/** Somebody whom the provider signs in from now on. */
function aStranger(claims: Record<string, unknown> = {}): { subject: string; email: string } {
  count += 1;
  const email = `stranger${count}@corp.example`;
  idp.person = {
    subject: `subject-${count}`,
    claims: { email, email_verified: true, name: `Stranger ${count}`, ...claims },
  };
  return { subject: idp.person.subject, email };
}

interface Begun {
  url: string;
  cookie: string;
}

async function begin(body: InputOf<typeof beginOidc>["body"] = {}): Promise<Begun> {
  const reply = await app.call(beginOidc, { params: { id: row.id }, body });
  assert.equal(reply.status, 200, reply.text);
  return { url: reply.body.url, cookie: String(reply.headers["set-cookie"]).split(";", 1)[0]! };
}

const finish = (query: string, cookie: string | null, id = row.id) =>
  app.call(finishOidc, { params: { id }, body: { query }, headers: cookie === null ? {} : { cookie } });

async function signIn(body: InputOf<typeof beginOidc>["body"] = {}): Promise<Reply<ReplyOf<typeof finishOidc>>> {
  const { url, cookie } = await begin(body);
  return finish(await idp.visit(url), cookie);
}

/** Who is signed in. */
async function whoIs(reply: Reply<ReplyOf<typeof finishOidc>>) {
  assert.equal(reply.status, 200, reply.text);
  const session = await app.call(currentSession, { as: reply.body.sign_in.token });
  assert.equal(session.status, 200, session.text);
  return session.body.user;
}

const refusedWith = (reply: { status: number; body: unknown; text: string }, status: number, code: string) =>
  assert.deepEqual([reply.status, (reply.body as { code?: string }).code], [status, code], reply.text);

const countUsers = async () => (await app.call(listUsers, { query: { limit: 200 }, as: admin })).body.data.length;

describe("a sign-in through a provider", () => {
  for (const algorithm of ["ES256", "RS256", "EdDSA"] as const) {
    test(`makes somebody new on the first one, and finds them by their subject afterwards (${algorithm})`, async () => {
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

  test("the browser is sent with state, nonce and PKCE, the cookie is for our page alone, and no token is in an address", async () => {
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

  test("the highest role of somebody's groups is theirs, anew at each sign-in; who has lost them all is out or an ordinary user", async () => {
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

  test("groups that the provider hides elsewhere are not taken for none", async () => {
    await set({ role_mappings: [{ group: "ops", role: "manager" }] });
    aStranger();
    idp.bend = (claims, sign) => sign({ ...claims, _claim_names: { groups: "src1" } });
    refusedWith(await signIn(), 403, "sign-in.groups-missing");
  });

  test("nobody new is made where the administrator says so, of another domain, or without an address that is vouched for", async () => {
    const before = await countUsers();
    await set({ creates_people: false });
    aStranger();
    refusedWith(await signIn(), 403, "sign-in.not-known");
    await set({ domains: ["other.example"] });
    refusedWith(await signIn(), 403, "sign-in.other-domain");
    await set({});
    idp.person.claims["email_verified"] = false;
    refusedWith(await signIn(), 403, "sign-in.no-email");
    assert.equal(await countUsers(), before);
  });

  test("somebody who is disabled stays out, and a provider that is switched off lets nobody in", async () => {
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

describe("an account that is here already", () => {
  test("is given to nobody by its address alone; where the administrator allows it, the address must be verified", async () => {
    const local = await aPerson(app);
    aStranger({ email: local.email });
    refusedWith(await signIn(), 403, "sign-in.account-exists");
    await set({ links_by_email: true });
    // The signed token says nothing, and what the user info says is not taken for it.
    idp.bend = (claims, sign) => sign({ ...claims, email_verified: undefined });
    refusedWith(await signIn(), 403, "sign-in.account-exists");
    idp.bend = null;
    assert.equal((await whoIs(await signIn())).id, local.id);
    assert.equal((await app.call(currentSession, { as: local.token })).status, 401, "what was open before has ended");
  });

  test("is never an administrator's", async () => {
    await set({ links_by_email: true });
    const other = await aPerson(app, "admin");
    aStranger({ email: other.email });
    refusedWith(await signIn(), 403, "sign-in.account-exists");
  });

  test("is not even that of somebody who becomes an administrator at this very moment", async () => {
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
      // Seen before the promotion and no longer so at the end of the sign-in, or seen as an administrator's from the first.
      assert.ok([401, 403].includes((await answer).status));
    } finally {
      promoting.release();
    }
    const bound = "select from identity_provider_people where user_id = $1";
    const { rowCount } = await app.database.pool.query(bound, [local.id]);
    assert.equal(rowCount, 0, "nobody is bound to them");
  });
});

describe("a second factor of ours, after a provider's word", () => {
  /** The second step that a sign-in ends in. */
  async function heldBack(reply: Reply<ReplyOf<typeof finishOidc>>) {
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(Object.keys(reply.body.sign_in), ["second_step"], "no token with it");
    return reply.body.sign_in.second_step!;
  }
  const withFactorOfProvider = () => {
    idp.bend = (claims, sign) => sign({ ...claims, amr: ["pwd", "mfa"] });
  };

  test("OPEN-10: who has one proves it before the session, unless the provider says so in words that are taken for one", async () => {
    aStranger();
    const first = await signIn();
    const { key } = await withApp(app, { token: first.body.sign_in.token! });
    const reply = await signIn({ return_to: "/vault" });
    assert.equal(reply.body.return_to, "/vault");
    const step = await heldBack(reply);
    assert.deepEqual(step.kinds, ["totp", "recovery"]);
    assert.equal((await app.call(currentSession, { as: step.pending })).status, 401, "what waits opens nothing");
    assert.equal((await secondStep(app, step, { kind: "totp", code: codeAt(app, key, 50) })).status, 401);
    const done = await secondStep(app, step, { kind: "totp", code: codeAt(app, key) });
    assert.equal(done.status, 200, done.text);
    const profile = await app.call(readOwnProfile, { as: done.body.token });
    assert.deepEqual([profile.body.id, profile.body.signed_in_by], [(await whoIs(first)).id, "oidc"]);
    withFactorOfProvider();
    await heldBack(await signIn());
    await set({}, { factor_values: ["mfa"] });
    assert.equal((await whoIs(await signIn())).id, profile.body.id);
  });

  test("one that the provider vouches for counts for the person's API tokens, until a sign-in goes without", async () => {
    await set({}, { factor_values: ["mfa"] });
    aStranger();
    withFactorOfProvider();
    const as = (await signIn()).body.sign_in.token!;
    const body = { name: "A token", scopes: ["read-only" as const], expires_in_days: 1 };
    const { token } = (await app.call(createToken, { body, as })).body;
    await requireFactorOf(app, "user");
    try {
      assert.equal((await app.call(listCredentials, { as: token })).status, 200);
      assert.equal((await signIn()).body.sign_in.second_step, undefined, "nor are they asked for another");
      idp.bend = null;
      assert.deepEqual((await heldBack(await signIn())).kinds, [], "they set one up here");
      refusedWith(await app.call(listCredentials, { as: token }), 403, "token.factor-needed");
    } finally {
      await requireFactorOf(app);
    }
  });

  test("an account that is taken over keeps its password and sessions until its own second factor is proved", async () => {
    const local = await aPerson(app);
    const { key } = await withApp(app, local);
    const role_mappings = [{ group: "ops", role: "manager" as const }];
    await set({ links_by_email: true, role_mappings }, { factor_values: ["mfa"] });
    aStranger({ email: local.email, groups: ["ops"] });
    withFactorOfProvider();
    const step = await heldBack(await signIn());
    assert.deepEqual(step.kinds, ["totp", "recovery"], "the provider's word is not enough for it");
    const { email, password } = local;
    const byPassword = () => app.call(login, { body: { email, password } });
    const bound = async () =>
      (await app.database.pool.query("select from identity_provider_people where user_id = $1", [local.id])).rowCount;
    const session = () => app.call(currentSession, { as: local.token });
    assert.deepEqual([(await session()).status, (await byPassword()).status, await bound()], [200, 200, 0]);
    const done = await secondStep(app, step, { kind: "totp", code: codeAt(app, key) });
    assert.equal(done.status, 200, done.text);
    const { user } = (await app.call(currentSession, { as: done.body.token })).body;
    assert.deepEqual([user.id, user.role], [local.id, "manager"]);
    assert.deepEqual([(await session()).status, (await byPassword()).status, await bound()], [401, 401, 1]);
    assert.equal((await whoIs(await signIn())).id, local.id);
  });
});

describe("INVARIANT: some administrator can sign in", () => {
  const mapped = { role_mappings: [{ group: "admins", role: "admin" as const }] };

  /** Somebody who administers by a group at the provider. */
  async function administratorThere() {
    await set(mapped);
    const { email } = aStranger({ groups: ["admins"] });
    const reply = await signIn();
    assert.equal((await whoIs(reply)).role, "admin");
    return { email, token: reply.body.sign_in.token! };
  }

  /** While no administrator has a password here, but for these. */
  async function withoutPasswords(besides: string[], work: () => Promise<void>): Promise<void> {
    const { pool } = app.database;
    const query = "select id, password_hash from users where role = 'admin' and id <> all($1::uuid[])";
    const { rows } = await pool.query<{ id: string; password_hash: string }>(query, [besides]);
    const write = "update users set password_hash = $2 where id = $1";
    for (const { id } of rows) await pool.query(write, [id, ""]);
    try {
      await work();
    } finally {
      for (const each of rows) await pool.query(write, [each.id, each.password_hash]);
    }
  }

  test("the last way in is neither switched off, nor deleted, nor mapped away; the command line makes another", async () => {
    const there = await administratorThere();
    await withoutPasswords([], async () => {
      const refused = [
        await tryToSet({ ...mapped, is_enabled: false }),
        await tryToSet({ role_mappings: [{ group: "admins", role: "manager" }] }),
        await app.call(deleteIdentityProvider, { params: { id: row.id }, as: admin }),
      ];
      for (const reply of refused) refusedWith(reply, 409, "identity-provider.last-way-in");
      await set({ ...mapped, creates_people: false });
      await set(mapped);
      // Should the provider be down now, nobody could sign in: whoever stands at the machine helps.
      await assert.rejects(makeResetLink(app.kernel, there.email), { code: "password.elsewhere" });
      const email = "from-the-machine@example.com";
      const password = "a long enough password";
      await createUser(app.kernel, { email, password, role: "admin" });
      assert.equal((await app.call(login, { body: { email, password } })).status, 200);
      await set({ ...mapped, is_enabled: false });
      await set(mapped);
    });
  });

  test("of two who take the last two ways in at the same moment, one is refused", async () => {
    const there = await administratorThere();
    const local = await firstAdmin(app);
    await withoutPasswords([local.id], async () => {
      const [demoted, switchedOff] = await Promise.all([
        app.call(changeUserRole, { params: { id: local.id }, body: { role: "user" }, as: there.token }),
        tryToSet({ ...mapped, is_enabled: false }),
      ]);
      assert.notDeepEqual([demoted.status, switchedOff.status], [200, 200], "nobody is left");
      await app.database.pool.query("update users set role = 'admin' where id = $1", [local.id]);
    });
    admin = (await app.call(login, { body: { email: local.email, password: local.password } })).body.token!;
  });
});

describe("what an attacker tries", () => {
  beforeEach(() => void aStranger());

  test("login CSRF: an answer is worth nothing in another browser, nor with another browser's cookie", async () => {
    const [attacker, victim] = [await begin(), await begin()];
    const query = await idp.visit(attacker.url);
    refusedWith(await finish(query, null), 400, "sign-in.begin-again");
    refusedWith(await finish(query, victim.cookie), 400, "sign-in.begin-again");
  });

  test("an answer works once; a flow is gone after 10 minutes", async () => {
    const { url, cookie } = await begin();
    const query = await idp.visit(url);
    const both = await Promise.all([finish(query, cookie), finish(query, cookie)]);
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 400],
    );
    const late = await begin();
    const answer = await idp.visit(late.url);
    now = new Date(now.getTime() + 10 * 60_000);
    refusedWith(await finish(answer, late.cookie), 400, "sign-in.begin-again");
  });

  test("a stolen code without its state, a state that was changed, and an error of the provider let nobody in", async () => {
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

  test("a code that was given to one browser is not redeemed by another's sign-in (PKCE)", async () => {
    const [attacker, victim] = [await begin(), await begin()];
    const stolen = new URLSearchParams(await idp.visit(victim.url)).get("code")!;
    const own = new URLSearchParams(await idp.visit(attacker.url));
    own.set("code", stolen);
    refusedWith(await finish(own.toString(), attacker.cookie), 403, "sign-in.provider-untrusted");
  });

  test("mix-up: an answer of another issuer, or at another provider's address, is refused", async () => {
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
    "comes from another issuer": () => (claims, sign) => sign({ ...claims, iss: "https://evil.example" }),
    "belongs to another access token (at_hash)": () => (claims, sign) =>
      sign({ ...claims, at_hash: "AAAAAAAAAAAAAAAAAAAAAA" }),
    "speaks of somebody else than the user info (sub)": () => (claims, sign) =>
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

  test("open redirect: only a place in the app is remembered", async () => {
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

  test("CSRF: a form of another site, which can only send other kinds of bodies, is refused even with the cookie", async () => {
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

  test("header injection: no header of the request leads the provider's answer elsewhere, and none of its body gets into a header", async () => {
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

  test("session fixation: what the browser holds before has no part in the session that it gets", async () => {
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
