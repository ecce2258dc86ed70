// Tests how a provider's sign-in combines with local second factors, and that at least one administrator can always sign in.
import {
  changeUserRole,
  createToken,
  currentSession,
  deleteIdentityProvider,
  listCredentials,
  login,
  readOwnProfile,
} from "@strongroom/contract";
import type { ReplyOf, finishOidc } from "@strongroom/contract";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { codeAt, requireFactorOf, secondStep, withApp } from "#features/factors/testing/with-factors.ts";
import { createUser, createResetLink } from "#features/sign-in/index.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { Reply } from "#testing/test-app.ts";
import {
  aStranger,
  admin,
  app,
  idp,
  refusedWith,
  row,
  serveOidc,
  set,
  signIn,
  tryToSet,
  whoIs,
} from "./testing/oidc-sign-ins.ts";

serveOidc();

describe("a second factor and a sign-in through a provider", () => {
  /** The second step that a sign-in requires. */
  async function heldBack(reply: Reply<ReplyOf<typeof finishOidc>>) {
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(Object.keys(reply.body.sign_in), ["second_step"], "no token with it");
    return reply.body.sign_in.second_step!;
  }
  const withFactorOfProvider = () => {
    idp.bend = (claims, sign) => sign({ ...claims, amr: ["pwd", "mfa"] });
  };

  test("OPEN-10: a local second factor is required before the session unless the provider confirms one with a configured value", async () => {
    aStranger();
    const first = await signIn();
    const { key } = await withApp(app, { token: first.body.sign_in.token! });
    const reply = await signIn({ return_to: "/vault" });
    assert.equal(reply.body.return_to, "/vault");
    const step = await heldBack(reply);
    assert.deepEqual(step.kinds, ["totp", "recovery"]);
    assert.equal(
      (await app.call(currentSession, { as: step.pending })).status,
      401,
      "a pending second step gives no access",
    );
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

  test("a factor confirmed by the provider counts for the user's API tokens until a sign-in without one", async () => {
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

  /** A user signed in with the provider's second factor, and their API token, while their role requires a factor. */
  async function vouchedFor(who: Parameters<typeof aStranger>[0] = {}) {
    withFactorOfProvider();
    aStranger(who);
    const as = (await signIn()).body.sign_in.token!;
    const body = { name: "A token", scopes: ["read-only" as const], expires_in_days: 1 };
    const { token } = (await app.call(createToken, { body, as })).body;
    await requireFactorOf(app, "user");
    return () => app.call(listCredentials, { as: token });
  }

  test("a factor that the provider confirms when an account is linked counts for the user's API tokens", async () => {
    const { email } = await aPerson(app);
    await set({ links_by_email: true }, { factor_values: ["mfa"] });
    try {
      const use = await vouchedFor({ email });
      assert.equal((await use()).status, 200);
    } finally {
      await requireFactorOf(app);
    }
  });

  test("a confirmed factor stops counting when the administrator no longer accepts its value, until the next sign-in", async () => {
    const trusted = { factor_values: ["mfa"] };
    await set({}, trusted);
    try {
      const use = await vouchedFor();
      assert.equal((await use()).status, 200);
      await set({ domains: ["corp.example"] }, { factor_values: ["urn:strong", "mfa"] });
      assert.equal((await use()).status, 200, "another change leaves it");
      for (const [change, settings] of [
        [{}, { factor_values: [] }],
        [{ is_enabled: false }, trusted],
      ] as const) {
        await set(change, { factor_values: [...settings.factor_values] });
        refusedWith(await use(), 403, "token.factor-needed");
        await set({}, trusted);
        refusedWith(await use(), 403, "token.factor-needed");
        assert.equal((await signIn()).status, 200);
        assert.equal((await use()).status, 200, "its word is there again");
      }
    } finally {
      await requireFactorOf(app);
    }
  });

  test("an account linked to a provider keeps its password and sessions until its own second factor is verified", async () => {
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

  test("an account that becomes protected before its second factor is verified is not linked to the provider", async () => {
    const local = await aPerson(app);
    const { key } = await withApp(app, local);
    await set({ links_by_email: true });
    aStranger({ email: local.email });
    const step = await heldBack(await signIn());
    await app.database.pool.query("update users set admin_until = now() + interval '1 day' where id = $1", [local.id]);
    const done = await secondStep(app, step, { kind: "totp", code: codeAt(app, key) });
    refusedWith(done, 403, "sign-in.account-exists");
  });
});

describe("INVARIANT: at least one administrator can sign in", () => {
  const mapped = { role_mappings: [{ group: "admins", role: "admin" as const }] };

  /** A user who is an administrator through a group at the provider. */
  async function administratorThere() {
    await set(mapped);
    const { email } = aStranger({ groups: ["admins"] });
    const reply = await signIn();
    assert.equal((await whoIs(reply)).role, "admin");
    return { email, token: reply.body.sign_in.token! };
  }

  /** Runs `work` while no administrators except `besides` have a local password. */
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

  test("the last provider of administrators cannot be disabled, deleted or remapped, and the command line can create another administrator", async () => {
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
      // If the provider is down now, no administrator can sign in, so the command line must help.
      await assert.rejects(createResetLink(app.kernel, there.email), { code: "password.elsewhere" });
      const email = "from-the-machine@example.com";
      const password = "a long enough password";
      await createUser(app.kernel, { email, password, role: "admin" });
      assert.equal((await app.call(login, { body: { email, password } })).status, 200);
      await set({ ...mapped, is_enabled: false });
      await set(mapped);
    });
  });

  test("two concurrent calls cannot remove the last two ways to sign in", async () => {
    const there = await administratorThere();
    const local = await firstAdmin(app);
    await withoutPasswords([local.id], async () => {
      const [demoted, switchedOff] = await Promise.all([
        app.call(changeUserRole, { params: { id: local.id }, body: { role: "user" }, as: there.token }),
        tryToSet({ ...mapped, is_enabled: false }),
      ]);
      assert.notDeepEqual([demoted.status, switchedOff.status], [200, 200], "no administrator is left");
      await app.database.pool.query("update users set role = 'admin' where id = $1", [local.id]);
    });
  });
});
