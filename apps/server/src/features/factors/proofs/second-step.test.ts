// Tests of the second step of signing in, and of attempts to bypass it.
import {
  addFirstFactor,
  beginFirstFactor,
  createToken,
  currentSession,
  listCredentials,
  listFactors,
  listNotifications,
  logout,
  setUserStatus,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  HOUR,
  MINUTE,
  SECOND,
  codeOf,
  entriesOf,
  signedIn,
  fixedClock,
  statusesOf,
  tryToSignIn,
  untilSomeoneWaits,
} from "#features/sign-in/testing/attempts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import {
  codeAt,
  firstStep,
  requireFactorOf,
  secondStep,
  withApp,
  withPasskey,
  ORIGIN,
} from "../testing/with-factors.ts";

const clock = fixedClock();
let app: TestApp;
before(async () => {
  app = await testApp({ clock, config: { publicUrl: ORIGIN } });
});
after(() => app.close());

const totp = (code: string) => ({ kind: "totp", code }) as const;

describe("OPEN-10: a required second factor is a separate step", () => {
  test("a correct password alone opens no session; together with the app's code it does", async () => {
    const person = await aPerson(app);
    const { key } = await withApp(app, person);
    const step = await firstStep(app, person);
    assert.deepEqual(step.kinds, ["totp", "recovery"]);
    assert.equal(
      (await app.call(currentSession, { as: step.pending })).status,
      401,
      "a pending second step gives no access",
    );
    const reply = await secondStep(app, step, totp(codeAt(app, key)));
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await app.call(currentSession, { as: reply.body.token })).body.user.email, person.email);
    const own = async (event: string) =>
      (await entriesOf(app, event)).filter(({ target }) => target?.["id"] === person.id);
    assert.equal((await own("session.second-step-required")).length, 1);
    const done = (await own("session.started")).map(({ details }) => details?.["second_step"]);
    assert.ok(done.includes("totp"), JSON.stringify(done));
  });

  test("users without a factor sign in directly unless a policy requires one", async () => {
    assert.ok(await signedIn(app, (await aPerson(app)).email));
  });

  test("the reply to a wrong password does not reveal whether the user has second factors", async () => {
    const [plain, guarded] = [await aPerson(app), await aPerson(app)];
    await withApp(app, guarded);
    const replies = await Promise.all([plain, guarded].map(({ email }) => tryToSignIn(app, email, { password: "no" })));
    assert.deepEqual(replies.map(codeOf), ["sign-in.refused", "sign-in.refused"]);
  });
});

describe("a code works once", () => {
  test("an authenticator app's code does not work for a second sign-in, even a concurrent one", async () => {
    const person = await aPerson(app);
    const { key } = await withApp(app, person);
    const steps = [await firstStep(app, person), await firstStep(app, person), await firstStep(app, person)];
    const code = totp(codeAt(app, key));
    const both = await Promise.all([secondStep(app, steps[0]!, code), secondStep(app, steps[1]!, code)]);
    assert.deepEqual(statusesOf(both), [200, 401]);
    assert.equal((await secondStep(app, steps[2]!, code)).status, 401);
    assert.equal((await secondStep(app, steps[2]!, totp(codeAt(app, key, -1)))).status, 401, "nor an earlier one");
  });

  test("a recovery code works once, in any format, and is then deleted", async () => {
    const person = await aPerson(app);
    const { codes } = await withApp(app, person);
    assert.equal(codes.length, 10);
    const proof = { kind: "recovery", code: codes[0]!.toUpperCase().replaceAll("-", " ") } as const;
    const first = await secondStep(app, await firstStep(app, person), proof);
    assert.equal(first.status, 200, first.text);
    assert.equal((await secondStep(app, await firstStep(app, person), proof)).status, 401);
    const left = await app.call(listFactors, { as: first.body.token });
    assert.equal(left.body.recovery_codes_left, 9);
  });

  test("the token of a pending sign-in opens no second session", async () => {
    const person = await aPerson(app);
    const { key, codes } = await withApp(app, person);
    const step = await firstStep(app, person);
    assert.equal((await secondStep(app, step, totp(codeAt(app, key)))).status, 200);
    const again = await secondStep(app, step, { kind: "recovery", code: codes[1]! });
    assert.equal(codeOf(again), "second-step.over");
  });
});

describe("a pending sign-in", () => {
  test("expires after five minutes", async () => {
    const person = await aPerson(app);
    const { codes } = await withApp(app, person);
    const step = await firstStep(app, person);
    clock.advance(5 * MINUTE);
    assert.equal(codeOf(await secondStep(app, step, { kind: "recovery", code: codes[0]! })), "second-step.over");
  });

  test("ends when the user is disabled in the meantime", async () => {
    const admin = await firstAdmin(app);
    const person = await aPerson(app);
    const { codes } = await withApp(app, person);
    const step = await firstStep(app, person);
    const set = (status: "active" | "disabled") =>
      app.call(setUserStatus, { params: { id: person.id }, body: { status }, as: admin.token });
    await set("disabled");
    await set("active");
    assert.equal(codeOf(await secondStep(app, step, { kind: "recovery", code: codes[0]! })), "second-step.over");
  });

  test("accepts only the factors of its own user", async () => {
    const [one, other] = [await aPerson(app), await aPerson(app)];
    await withApp(app, one);
    const { key, codes } = await withApp(app, other);
    const step = await firstStep(app, one);
    assert.equal((await secondStep(app, step, totp(codeAt(app, key)))).status, 401);
    assert.equal((await secondStep(app, step, { kind: "recovery", code: codes[0]! })).status, 401);
  });
});

describe("guessing the second factor", () => {
  test("five wrong codes end the sign-in, so that a correct code no longer works, and warn the user that their password is known", async () => {
    const person = await aPerson(app);
    const { key } = await withApp(app, person);
    const step = await firstStep(app, person, "203.0.113.5");
    const wrong = codeAt(app, key, 100);
    for (let tries = 0; tries < 5; tries += 1) {
      assert.equal(codeOf(await secondStep(app, step, totp(wrong), "203.0.113.5")), "second-step.refused");
    }
    clock.advance(3 * SECOND);
    const right = await secondStep(app, step, totp(codeAt(app, key)), "203.0.113.5");
    assert.equal(codeOf(right), "second-step.over", right.text);
    await eventually(async () => {
      const { body } = await app.call(listNotifications, { as: person.token });
      return body.notifications.find(({ title }) => title.includes("failed the second step")) ?? null;
    });
    const failed = (await entriesOf(app, "session.started")).filter(
      ({ result, target }) => result === "failure" && target?.["id"] === person.id,
    );
    assert.ok(failed.length >= 6, "each try is on record");
  });
});

describe("a role that requires a second factor", () => {
  test("signs out users without a second factor, suspends their API tokens, and accepts both again after they add a factor", async () => {
    const [without, guarded, other] = [
      await aPerson(app, "manager"),
      await aPerson(app, "manager"),
      await aPerson(app),
    ];
    await withApp(app, guarded);
    const tokenOf = async ({ token: as }: TestPerson) => {
      const body = { name: "A token", scopes: ["read-only" as const], expires_in_days: 1 };
      return (await app.call(createToken, { body, as })).body.token;
    };
    const programs = [await tokenOf(without), await tokenOf(guarded), await tokenOf(other)];
    const use = (as: string) => app.call(listCredentials, { as });
    await requireFactorOf(app, "manager");
    const sessions = await Promise.all([without, guarded, other].map(({ token }) => use(token)));
    assert.deepEqual(sessions.map(codeOf), ["session.ended", undefined, undefined]);
    assert.deepEqual((await Promise.all(programs.map(use))).map(codeOf), ["token.factor-needed", undefined, undefined]);
    const ended = (await entriesOf(app, "policy.changed")).map(({ details }) =>
      Number(details?.["sessions_ended"] ?? 0),
    );
    assert.ok(Math.max(...ended) >= 1, "it is on record how many");

    const { pending } = await firstStep(app, without);
    const started = await app.call(beginFirstFactor, { body: { pending, kind: "totp" } });
    const answer = { kind: "totp", name: "A phone", code: codeAt(app, started.body.totp!.key) } as const;
    const added = await app.call(addFirstFactor, { body: { pending, answer } });
    assert.deepEqual([added.status, (await use(added.body.token)).status], [200, 200], added.text);
    assert.equal((await use(programs[0]!)).status, 200);
    await requireFactorOf(app);
  });

  test("stops a sign-in that is in progress when the policy changes", async () => {
    const person = await aPerson(app, "manager");
    const rule = await app.database.pool.connect();
    try {
      await rule.query("begin");
      await rule.query("update sign_in_policy set mfa_required_roles = array['manager']");
      const answer = tryToSignIn(app, person.email);
      await untilSomeoneWaits(app);
      await rule.query("commit");
      const reply = await answer;
      assert.equal(reply.body.token, undefined, reply.text);
    } finally {
      rule.release();
    }
    await requireFactorOf(app);
  });

  test("lets its users set up their first factor during sign-in and returns recovery codes", async () => {
    const person = await aPerson(app, "manager");
    await requireFactorOf(app, "manager");
    const step = await firstStep(app, person);
    assert.deepEqual(step.kinds, []);
    const { pending } = step;
    const started = await app.call(beginFirstFactor, { body: { pending, kind: "totp" } });
    assert.equal(started.status, 200, started.text);
    const answer = (code: string) => ({ kind: "totp", name: "A phone", code }) as const;
    const { key } = started.body.totp!;
    const wrong = await app.call(addFirstFactor, { body: { pending, answer: answer(codeAt(app, key, 50)) } });
    assert.equal(wrong.status, 400, wrong.text);
    const added = await app.call(addFirstFactor, { body: { pending, answer: answer(codeAt(app, key)) } });
    assert.equal(added.status, 200, added.text);
    assert.equal(added.body.recovery_codes.length, 10);
    const { body } = await app.call(listFactors, { as: added.body.token });
    assert.deepEqual([body.data.length, body.is_required], [1, true]);
    const recorded = (await entriesOf(app, "factor.added")).map(({ actor }) => actor["id"]);
    assert.ok(recorded.includes(person.id));
    await requireFactorOf(app);
  });

  test("INVARIANT: with a first proof alone, only a user without a second factor can set one up", async () => {
    const person = await aPerson(app, "manager");
    await withPasskey(app, person);
    await requireFactorOf(app, "manager");
    const { pending } = await firstStep(app, person);
    const started = await app.call(beginFirstFactor, { body: { pending, kind: "totp" } });
    assert.equal(codeOf(started), "factor.exists", started.text);
    const answer = { kind: "totp", name: "Mine", code: "123456" } as const;
    const added = await app.call(addFirstFactor, { body: { pending, answer } });
    assert.equal(codeOf(added), "factor.exists", added.text);
    await requireFactorOf(app);
  });
});

test("signing out invalidates a session token that was obtained with a second factor", async () => {
  const person = await aPerson(app);
  const { key } = await withApp(app, person);
  const { body } = await secondStep(app, await firstStep(app, person), totp(codeAt(app, key)));
  await app.call(logout, { as: body.token });
  assert.equal(codeOf(await app.call(currentSession, { as: body.token })), "session.ended");
});

test("no code, key or token of a second step is stored in plain text", async () => {
  const person = await aPerson(app);
  const { key, codes } = await withApp(app, person);
  const step = await firstStep(app, person);
  const code = codeAt(app, key);
  await secondStep(app, step, { kind: "recovery", code: codes[0]! });
  const { rows } = await app.database.pool.query<{ text: string }>(
    `select convert_from(canonical, 'UTF8') as text from audit_entries
     union all select row_to_json(sign_in_pending)::text from sign_in_pending
     union all select row_to_json(factors)::text from factors
     union all select row_to_json(factor_recovery_codes)::text from factor_recovery_codes`,
  );
  const all = [...app.logLines, ...rows.map(({ text }) => text)].join("\n");
  assert.ok(all.includes(person.id));
  const plain = codes.map((each) => each.replaceAll("-", ""));
  for (const secret of [key, step.pending, `"${code}"`, ...codes, ...plain]) assert.ok(!all.includes(secret));
});

test("starting new sign-ins does not reset the count of guesses: about thirty guesses are compared in four hours", async () => {
  const person = await aPerson(app);
  const { key } = await withApp(app, person);
  const wrong = totp(codeAt(app, key, 1000));
  const end = clock.now().getTime() + 4 * HOUR;
  let [looked, turn] = [0, 0];
  while (clock.now().getTime() < end) {
    // The attacker knows the password, uses a new network each time and waits exactly as long as required.
    const from = `203.0.113.${(turn += 1)}`;
    const step = await firstStep(app, person, from);
    let reply = await secondStep(app, step, wrong, from);
    for (; codeOf(reply) === "second-step.refused"; looked += 1) reply = await secondStep(app, step, wrong, from);
    const { retry_after: wait } = reply.body as { retry_after?: number };
    if (wait !== undefined) clock.advance(wait * SECOND);
  }
  assert.ok(looked > 20 && looked < 33, `${looked} guesses`);
  const own = await secondStep(app, await firstStep(app, person), totp(codeAt(app, key)));
  assert.equal(own.status, 200, "and its owner, where they signed in before, is not kept out");
});

// Runs last, because changing the clock ends the sessions of earlier tests.
describe("an authenticator code that was used while the server's clock was ahead", () => {
  test("does not block later codes once the clock is correct, and no used code works again", async () => {
    const person = await aPerson(app);
    const { key } = await withApp(app, person);
    const tryCode = async (code: string) => (await secondStep(app, await firstStep(app, person), totp(code))).status;
    const [before, ahead] = [codeAt(app, key), codeAt(app, key, 120)];
    assert.equal(await tryCode(before), 200);
    clock.advance(HOUR);
    assert.equal(await tryCode(ahead), 200);
    clock.advance(-HOUR);
    assert.equal(await tryCode(before), 401, "used before the clock jumped");
    clock.advance(30 * SECOND);
    assert.equal(await tryCode(codeAt(app, key)), 200, "a correct code after the clock was corrected");
    assert.equal(await tryCode(codeAt(app, key)), 401, "the same code again");
    assert.equal(await tryCode(codeAt(app, key, -1)), 401, "an earlier code");
    clock.advance(HOUR - 30 * SECOND);
    assert.equal(await tryCode(ahead), 401, "the code of the clock that was ahead, when its time comes");
    clock.advance(MINUTE);
    assert.equal(await tryCode(codeAt(app, key)), 200);
  });
});
