// Compares the preview of a sign-in policy with the effect of saving the policy.
import {
  createToken,
  currentSession,
  listCredentials,
  previewSignInPolicy,
  readSignInPolicy,
  updateSignInPolicy,
} from "@strongroom/contract";
import type { PolicyPreview, Role, SignInPolicy } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { withApp } from "#features/factors/testing/with-factors.ts";
import { createUser } from "#features/sign-in/index.ts";
import {
  MINUTE,
  PASSWORD,
  codeOf,
  entriesOf,
  newEmail,
  signedIn,
  fixedClock,
} from "#features/sign-in/testing/attempts.ts";
import { firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { usualPolicy } from "#testing/sign-in-policy.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

const OFFICE = "10.20.0.0/16";
const AT_WORK = "10.20.3.4";
const AT_HOME = "203.0.113.7";

const clock = fixedClock();
let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp({ clock });
  // Scheduled jobs must not end sessions according to the test's fixed clock.
  await app.kernel.jobs.stop();
  admin = await firstAdmin(app);
});
after(() => app.close());
// Limits each test to the users it creates.
beforeEach(async () => {
  await app.database.pool.query("delete from sign_in_sessions");
  await app.database.pool.query("delete from sign_in_networks");
  await app.database.pool.query("delete from tokens");
  await app.database.pool.query("update users set status = 'disabled' where id <> $1", [admin.id]);
  admin = { ...admin, token: await signedInFrom(admin) };
});
afterEach(async () => {
  await app.database.pool.query("update sign_in_policy set mfa_required_roles = '{}', allowed_networks = '{}'");
  admin = { ...admin, token: await signedInFrom(admin) };
  await save({});
});

const given = (wanted: Partial<SignInPolicy>, from: string) =>
  ({ body: { ...usualPolicy, ...wanted }, as: admin.token, from }) as const;
const save = (wanted: Partial<SignInPolicy>, from = "127.0.0.1") => app.call(updateSignInPolicy, given(wanted, from));

async function preview(wanted: Partial<SignInPolicy>, from = "127.0.0.1"): Promise<PolicyPreview> {
  const reply = await app.call(previewSignInPolicy, given(wanted, from));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Signs the user in after advancing the clock, so that no two sign-ins have the same time and the last one is well defined. */
function signedInFrom({ email }: TestPerson, from = "127.0.0.1"): Promise<string> {
  clock.advance(1);
  return signedIn(app, email, { from });
}

async function someone(role: Role = "user"): Promise<TestPerson> {
  const email = newEmail();
  const id = await createUser(app.kernel, { email, role, password: PASSWORD });
  return { id, email, password: PASSWORD, token: await signedIn(app, email) };
}

async function aToken(person: TestPerson): Promise<string> {
  const body = { name: "A token", scopes: ["read-only" as const], expires_in_days: 1 };
  return (await app.call(createToken, { body, as: person.token })).body.token;
}

/** Marks the user as verified with a second factor by an identity provider. */
async function provedElsewhere({ id }: TestPerson): Promise<void> {
  await app.database.pool.query(
    `with provider as (
       insert into identity_providers (id, kind, name, is_enabled, creates_people, links_by_email, without_group, role_mappings,
         domains, settings, created_at, updated_at)
       values (gen_random_uuid(), 'oidc', 'A provider', true, false, false, 'user', '[]', '{}', '{}', now(), now())
       returning id)
     insert into identity_provider_people (provider_id, subject, user_id, bound_at, has_second_factor)
     select id, 'somebody', $1, now(), true from provider`,
    [id],
  );
}

const NOTHING = {
  without_factor: { people: 0, sessions: 0, tokens: 0, shown: [] },
  outside: { people: 0, sessions: 0, tokens: 0, shown: [] },
  ending: { people: 0, idle: 0, expired: 0, shown: [] },
  proofs_over: 0,
};
const NOTHING_OF_YOU = { address: "127.0.0.1", is_outside: false, lacks_factor: false, is_signed_out: false };

describe("a policy preview", () => {
  test("shows no change for the current or a laxer policy, is audited and saves nothing", async () => {
    await someone();
    for (const wanted of [{}, { timeout_minutes: 60, step_up_minutes: 480 }])
      assert.deepEqual(await preview(wanted), { you: NOTHING_OF_YOU, ...NOTHING });
    await preview({ sign_up: "closed" });
    assert.deepEqual((await app.call(readSignInPolicy, { as: admin.token })).body, usualPolicy);
    const entries = await entriesOf(app, "policy.previewed");
    assert.deepEqual(
      entries.map(({ target }) => target?.["id"]),
      ["sign-in", "sign-in", "sign-in"],
    );
    assert.ok(JSON.stringify(entries).includes('"sign_up":"closed"'));
  });

  test("is available to administrators only, and only for a valid policy", async () => {
    const manager = await someone("manager");
    const asked = await app.call(previewSignInPolicy, { body: usualPolicy, as: manager.token });
    assert.equal(asked.status, 403);
    assert.equal((await app.call(previewSignInPolicy, given({ warning_minutes: 30 }, AT_WORK))).status, 400);
  });
});

describe("requiring a second factor for a role", () => {
  test("lists the users without a second factor, with their sessions and API tokens, and counts what saving would end", async () => {
    const [without, guarded, elsewhere] = [
      await someone("manager"),
      await someone("manager"),
      await someone("manager"),
    ];
    await someone();
    const away = await createUser(app.kernel, { email: newEmail(), role: "manager", password: PASSWORD });
    await withApp(app, guarded);
    await provedElsewhere(elsewhere);
    const tokens = [await aToken(without), await aToken(elsewhere)];
    const { you, without_factor: told } = await preview({ mfa_required_roles: ["manager"] });
    assert.deepEqual(you, NOTHING_OF_YOU);
    assert.deepEqual([told.people, told.sessions, told.tokens], [2, 2, 1]);
    const named = told.shown.map(({ user_id, has_provider_factor, sessions, tokens: held }) => [
      user_id,
      has_provider_factor,
      sessions,
      held,
    ]);
    assert.deepEqual(named, [
      [without.id, false, 1, 1],
      [away, false, 0, 0],
      [elsewhere.id, true, 1, 0],
    ]);

    await save({ mfa_required_roles: ["manager"] });
    const ended = (await entriesOf(app, "policy.changed")).flatMap(({ details }) => details?.["sessions_ended"] ?? []);
    assert.deepEqual(ended, [told.sessions]);
    const use = async (as: string) => codeOf(await app.call(listCredentials, { as }));
    assert.deepEqual(await Promise.all([without, elsewhere, guarded].map(({ token }) => use(token))), [
      "session.ended",
      "session.ended",
      undefined,
    ]);
    assert.deepEqual(await Promise.all(tokens.map(use)), ["token.factor-needed", undefined]);
    assert.deepEqual((await preview({ mfa_required_roles: ["manager"] })).without_factor, NOTHING.without_factor);
  });

  test("warns an administrator without a second factor that saving will sign them out", async () => {
    const { you } = await preview({ mfa_required_roles: ["admin"] });
    assert.deepEqual(you, { ...NOTHING_OF_YOU, lacks_factor: true, is_signed_out: true });
    assert.equal((await save({ mfa_required_roles: ["admin"] })).status, 200);
    assert.equal(codeOf(await app.call(currentSession, { as: admin.token })), "session.ended");
  });
});

describe("allowed networks", () => {
  test("list the users last seen on other networks, with their sessions, tokens and last sign-ins", async () => {
    const [inside, remote, gone] = [await someone(), await someone(), await someone()];
    await app.database.pool.query("delete from sign_in_sessions where user_id <> $1", [admin.id]);
    await app.database.pool.query("delete from sign_in_networks where user_id <> $1", [admin.id]);
    await signedInFrom(inside, AT_WORK);
    const open = await signedInFrom(remote, AT_HOME);
    const token = await aToken({ ...remote, token: open });
    await app.call(listCredentials, { as: token, from: "203.0.113.9" });
    await signedInFrom(gone, "2001:db8:7::5");
    await app.database.pool.query("delete from sign_in_sessions where user_id = $1", [gone.id]);
    admin = { ...admin, token: await signedInFrom(admin, AT_WORK) };
    await app.database.pool.query("delete from sign_in_sessions where ip = '127.0.0.1'");

    const { you, outside } = await preview({ allowed_networks: [OFFICE] }, AT_WORK);
    assert.deepEqual([you.address, you.is_outside], [AT_WORK, false]);
    assert.deepEqual([outside.people, outside.sessions, outside.tokens], [2, 1, 1]);
    assert.deepEqual(
      outside.shown.map(({ user_id, addresses, sessions, tokens }) => [user_id, addresses, sessions, tokens]),
      [
        [remote.id, [AT_HOME, "203.0.113.9"], 1, 1],
        [gone.id, ["2001:db8:7:0::/64"], 0, 0],
      ],
    );
    assert.equal((await preview({ allowed_networks: [OFFICE, "2001:db8:7::5/128"] }, AT_WORK)).outside.people, 1);

    await save({ allowed_networks: [OFFICE] }, AT_WORK);
    assert.equal(codeOf(await app.call(currentSession, { as: open, from: AT_HOME })), "network.not-allowed");
    const again = await preview({ allowed_networks: [OFFICE, "10.30.0.0/16"] }, AT_WORK);
    assert.deepEqual(again.outside, NOTHING.outside, "they are outside already");
  });

  test("warn administrators who would lock themselves out, and saving is refused", async () => {
    const { you } = await preview({ allowed_networks: [OFFICE] });
    assert.deepEqual([you.address, you.is_outside], ["127.0.0.1", true]);
    assert.equal(codeOf(await save({ allowed_networks: [OFFICE] })), "policy.locks-out");
  });
});

describe("tighter limits", () => {
  test("list the users whose sessions would end, and count the proofs that would expire", async () => {
    const [idle, busy] = [await someone(), await someone()];
    clock.advance(12 * MINUTE);
    await app.call(currentSession, { as: busy.token });
    await app.database.pool.query("delete from sign_in_sessions where user_id = $1", [admin.id]);
    admin = { ...admin, token: await signedInFrom(admin) };

    const wanted = { timeout_minutes: 10, step_up_minutes: 10 };
    const told = await preview(wanted);
    assert.deepEqual(
      [told.ending.people, told.ending.idle, told.ending.expired, told.proofs_over],
      [1, 1, 0, 1],
      JSON.stringify(told),
    );
    assert.deepEqual(
      told.ending.shown.map(({ user_id, idle: over }) => [user_id, over]),
      [[idle.id, 1]],
    );
    assert.equal(told.you.is_signed_out, false);
    await save(wanted);
    assert.equal(codeOf(await app.call(currentSession, { as: idle.token })), "session.idle");
    assert.equal((await app.call(currentSession, { as: busy.token })).status, 200);
  });

  test("warn an administrator whose session is older than the new maximum", async () => {
    const person = await someone();
    for (let minutes = 0; minutes < 70; minutes += 10) {
      clock.advance(10 * MINUTE);
      for (const { token } of [person, admin]) await app.call(currentSession, { as: token });
    }
    const told = await preview({ session_hours: 1 });
    assert.equal(told.you.is_signed_out, true);
    assert.ok(told.ending.shown.some(({ user_id, expired }) => user_id === person.id && expired === 1));
    assert.equal(told.ending.idle, 0);
  });
});
