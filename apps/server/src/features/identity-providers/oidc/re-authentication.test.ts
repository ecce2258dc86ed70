// Tests of proofs through an OpenID Connect provider: silent single sign-on is not a proof and does not undo a sign-out.
import {
  beginProviderStepUp,
  beginStepUp,
  completeSignIn,
  createToken,
  endOtherSessions,
  logout,
  signOutOfProvider,
} from "@strongroom/contract";
import type { ReplyOf, finishOidc } from "@strongroom/contract";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { codeAt, requireFactorOf, withApp } from "#features/factors/testing/with-factors.ts";
import { MINUTE, entriesOf, statusesOf } from "#features/sign-in/testing/attempts.ts";
import { aPerson } from "#testing/people.ts";
import type { Reply } from "#testing/test-app.ts";
import {
  aStranger,
  app,
  begin,
  beginStepUpOf,
  finish,
  idp,
  refusedWith,
  row,
  serveOidc,
  set,
  wait,
} from "../testing/oidc-sign-ins.ts";
import type { Begun } from "../testing/oidc-sign-ins.ts";
import type { Bend } from "../testing/openid-provider.ts";

serveOidc();

type Finished = Reply<ReplyOf<typeof finishOidc>>;
type Jar = Map<string, string>;

/** Makes the provider claim that it authenticated the user this many seconds ago; null omits the time. */
const authenticated =
  (secondsAgo: number | null): Bend =>
  ({ auth_time: _real, ...claims }, sign) =>
    sign(secondsAgo === null ? claims : { ...claims, auth_time: Math.floor(Date.now() / 1000) - secondsAgo });

const complete = async ({ url, cookie }: Begun, jar?: Jar): Promise<Finished> =>
  finish(await idp.visit(url, jar), cookie);
const signInFrom = async (jar: Jar, authenticate = false): Promise<Finished> =>
  complete(await begin({ authenticate }), jar);
const stepUpFrom = async (token: string, jar?: Jar): Promise<Finished> => complete(await beginStepUpOf(token), jar);

function tokenOf(reply: Finished): string {
  assert.equal(reply.status, 200, reply.text);
  assert.ok(reply.body.sign_in.token !== undefined, reply.text);
  return reply.body.sign_in.token;
}

/** Whether the session is recently authenticated: creating an API token requires it. */
async function isProved(token: string): Promise<boolean> {
  const { status, body } = await app.call(createToken, {
    body: { name: `token ${Math.random()}`, scopes: ["credential.list"], expires_in_days: 1 } as never,
    as: token,
  });
  return !(status === 403 && (body as { code?: string }).code === "step-up.required");
}

describe("a sign-in through a provider", () => {
  test("counts as a proof from the time of the provider's authentication", async () => {
    aStranger();
    idp.bend = authenticated(10);
    assert.equal(await isProved(tokenOf(await signInFrom(new Map()))), true);
    idp.bend = authenticated(31 * 60);
    assert.equal(await isProved(tokenOf(await signInFrom(new Map()))), false, "half an hour ago");
    idp.bend = authenticated(null);
    assert.equal(await isProved(tokenOf(await signInFrom(new Map()))), false, "the provider does not say");
  });

  test("is refused when the provider's authentication time is in the future or malformed", async () => {
    aStranger();
    idp.bend = authenticated(-120);
    refusedWith(await signInFrom(new Map()), 403, "sign-in.provider-untrusted");
    idp.bend = (claims, sign) => sign({ ...claims, auth_time: "yesterday" });
    refusedWith(await signInFrom(new Map()), 403, "sign-in.provider-untrusted");
    idp.bend = authenticated(-20);
    assert.equal(await isProved(tokenOf(await signInFrom(new Map()))), true, "clocks differ a little");
  });

  test("counts as a proof once a user with a local second factor has completed the second step", async () => {
    aStranger();
    const first = tokenOf(await signInFrom(new Map(), true));
    const { key } = await withApp(app, { token: first });
    idp.bend = authenticated(3600);
    const held = await signInFrom(new Map());
    const pending = held.body.sign_in.second_step?.pending ?? "";
    const done = await app.call(completeSignIn, { body: { pending, proof: { kind: "totp", code: codeAt(app, key) } } });
    assert.equal(done.status, 200, done.text);
    assert.equal(await isProved(done.body.token!), true);
  });
});

describe("a step-up through a provider", () => {
  test("makes the provider authenticate the user again, and then permits calls that require re-authentication", async () => {
    const { email } = aStranger();
    const jar: Jar = new Map();
    idp.bend = authenticated(3600);
    const token = tokenOf(await signInFrom(jar));
    idp.bend = null;
    const offered = await app.call(beginStepUp, { as: token });
    assert.deepEqual(offered.body, { kinds: [], passkey: null, provider: { id: row.id, name: row.name } });
    const flow = await beginStepUpOf(token);
    const asked = new URL(flow.url).searchParams;
    assert.deepEqual([asked.get("prompt"), asked.get("max_age"), asked.get("login_hint")], ["login", "0", email]);
    const done = await complete(flow, jar);
    assert.equal(done.status, 200, done.text);
    assert.deepEqual(done.body.sign_in, {}, "no second session");
    assert.ok(Date.parse(done.body.proved_until!) > Date.now() + 28 * MINUTE);
    assert.equal(await isProved(token), true);
    const entry = (await entriesOf(app, "session.stepped-up")).at(-1);
    assert.deepEqual([entry?.result, entry?.details?.["kind"]], ["success", "provider"]);
  });

  test("INVARIANT: refuses an authentication that happened before the step-up began or has no time", async () => {
    aStranger();
    idp.bend = authenticated(3600);
    const token = tokenOf(await signInFrom(new Map()));
    for (const [secondsAgo, code] of [
      [3600, "sign-in.not-authenticated-again"],
      [90, "sign-in.not-authenticated-again"],
      [null, "step-up.no-auth-time"],
      [-120, "sign-in.provider-untrusted"],
    ] as const) {
      idp.bend = authenticated(secondsAgo);
      refusedWith(await stepUpFrom(token), 403, code);
    }
    assert.equal(await isProved(token), false);
    assert.equal((await entriesOf(app, "session.stepped-up")).at(-1)?.result, "failure");
  });

  test("INVARIANT: refuses another user's authentication at the provider", async () => {
    aStranger();
    idp.bend = authenticated(3600);
    const token = tokenOf(await signInFrom(new Map()));
    aStranger();
    const other = tokenOf(await signInFrom(new Map()));
    idp.bend = null;
    refusedWith(await stepUpFrom(token), 403, "step-up.other-person");
    aStranger();
    refusedWith(await stepUpFrom(token), 403, "step-up.other-person");
    assert.deepEqual([await isProved(token), await isProved(other)], [false, false]);
  });

  test("works once, in the browser where it began, and not for a session that has ended", async () => {
    aStranger();
    idp.bend = authenticated(3600);
    const [token, other] = [tokenOf(await signInFrom(new Map())), tokenOf(await signInFrom(new Map()))];
    idp.bend = null;
    const flow = await beginStepUpOf(token);
    const query = await idp.visit(flow.url);
    refusedWith(await finish(query, null), 400, "sign-in.begin-again");
    const both = await Promise.all([finish(query, flow.cookie), finish(query, flow.cookie)]);
    assert.deepEqual(statusesOf(both), [200, 400]);
    assert.equal(await isProved(other), false, "the person's other session");
    const late = await beginStepUpOf(token);
    const answer = await idp.visit(late.url);
    await app.call(logout, { as: token });
    refusedWith(await finish(answer, late.cookie), 400, "sign-in.begin-again");
  });

  test("is not offered to a user with a local password or a local second factor", async () => {
    const local = await aPerson(app);
    refusedWith(await app.call(beginProviderStepUp, { body: {}, as: local.token }), 409, "step-up.no-provider");
    aStranger();
    const token = tokenOf(await signInFrom(new Map(), true));
    const flow = await beginStepUpOf(token);
    await withApp(app, { token });
    refusedWith(await complete(flow), 409, "step-up.own-factor");
    refusedWith(await app.call(beginProviderStepUp, { body: {}, as: token }), 409, "step-up.own-factor");
    assert.equal((await app.call(beginStepUp, { as: token })).body.provider, null);
  });

  test("requires the provider's confirmation of a second factor if the role requires one", async () => {
    await set({}, { factor_values: ["mfa"] });
    aStranger();
    await requireFactorOf(app, "user");
    const saying =
      (...amr: string[]): Bend =>
      (claims, sign) =>
        sign({ ...claims, amr });
    idp.bend = saying("pwd", "mfa");
    const token = tokenOf(await signInFrom(new Map()));
    idp.bend = saying("pwd");
    refusedWith(await stepUpFrom(token), 403, "step-up.factor-missing");
    idp.bend = saying("mfa");
    assert.equal((await stepUpFrom(token)).status, 200);
    await requireFactorOf(app);
  });
});

describe("signing out", () => {
  test("INVARIANT: does not let a provider with an open session restore Strongroom's session without asking the user", async () => {
    aStranger();
    const jar: Jar = new Map();
    const token = tokenOf(await signInFrom(jar, true));
    tokenOf(await signInFrom(jar));
    // The provider uses whole seconds.
    wait(2000);
    const left = await app.call(logout, { as: token });
    assert.deepEqual(left.body.provider, { id: row.id, name: row.name });
    refusedWith(await signInFrom(jar), 403, "sign-in.authenticate-again");
    idp.bend = authenticated(60);
    refusedWith(await signInFrom(jar), 403, "sign-in.authenticate-again");
    idp.bend = authenticated(3600);
    refusedWith(await signInFrom(jar, true), 403, "sign-in.not-authenticated-again");
    idp.bend = null;
    tokenOf(await signInFrom(jar, true));
  });

  test("requires a new authentication at a provider that sends no authentication time", async () => {
    aStranger();
    idp.bend = authenticated(null);
    const jar: Jar = new Map();
    await app.call(logout, { as: tokenOf(await signInFrom(jar)) });
    refusedWith(await signInFrom(jar), 403, "sign-in.authenticate-again");
    tokenOf(await signInFrom(jar, true));
    tokenOf(await signInFrom(jar));
  });

  test("ending other sessions requires a new authentication in their browsers", async () => {
    aStranger();
    idp.bend = authenticated(30);
    const [here, stolen]: [string, Jar] = [tokenOf(await signInFrom(new Map())), new Map()];
    tokenOf(await signInFrom(stolen));
    await app.call(endOtherSessions, { as: here });
    refusedWith(await signInFrom(stolen), 403, "sign-in.authenticate-again");
  });

  test("offers the provider's own sign-out, which the provider confirms with the user", async () => {
    const { body } = await app.call(signOutOfProvider, { params: { id: row.id } });
    const url = new URL(body.url!);
    assert.equal(url.origin, idp.issuer);
    assert.equal(url.searchParams.get("client_id"), "strongroom");
    assert.equal(url.searchParams.get("post_logout_redirect_uri"), row.post_logout_redirect_uri);
    assert.equal((await fetch(url)).status, 200);
    const local = await aPerson(app);
    assert.equal((await app.call(logout, { as: local.token })).body.provider, null);
  });
});

test("the first second factor cannot be set up with an old authentication", async () => {
  aStranger();
  await requireFactorOf(app, "user");
  for (const secondsAgo of [3600, null]) {
    idp.bend = authenticated(secondsAgo);
    refusedWith(await signInFrom(new Map()), 403, "sign-in.authenticate-again");
  }
  const asked = await signInFrom(new Map(), true);
  assert.deepEqual(asked.body.sign_in.second_step?.kinds, [], "the provider was asked to authenticate again");
  idp.bend = authenticated(30);
  assert.deepEqual((await signInFrom(new Map())).body.sign_in.second_step?.kinds, []);
  await requireFactorOf(app);
});
