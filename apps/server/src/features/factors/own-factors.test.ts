// Tests how users manage their own second factors, and how an administrator resets them.
import {
  addFactor,
  addFirstFactor,
  beginFactor,
  beginFirstFactor,
  beginPasskeySignIn,
  currentSession,
  listFactors,
  listNotifications,
  removeFactor,
  renewRecoveryCodes,
  resetFactors,
  signInWithPasskey,
} from "@strongroom/contract";
import type { FactorId, UserId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { codeOf, entriesOf, signedIn, statusesOf } from "#features/sign-in/testing/attempts.ts";
import { smtpSink } from "#features/mail/testing/smtp-sink.ts";
import type { SmtpSink } from "#features/mail/testing/smtp-sink.ts";
import { revokeAllOf } from "#features/tokens/index.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { resetFactorsOf } from "./index.ts";
import { anAuthenticator } from "./testing/authenticator.ts";
import type { Conditions } from "./testing/authenticator.ts";
import {
  ORIGIN,
  codeAt,
  firstStep,
  requireFactorOf,
  secondStep,
  withApp,
  withPasskey,
} from "./testing/with-factors.ts";

let app: TestApp;
let smtp: SmtpSink;
before(async () => {
  smtp = await smtpSink();
  // Every reading advances the clock, so that later events have later times, but all stay within one time step of the
  // apps.
  let time = Date.parse("2026-11-21T09:00:01.000Z");
  app = await testApp({
    clock: { now: () => new Date((time += 1)) },
    config: { smtpUrl: smtp.url, publicUrl: ORIGIN },
  });
});
after(async () => {
  await app.close();
  await smtp.close();
});

const remove = (person: TestPerson, id: FactorId) => app.call(removeFactor, { params: { id }, as: person.token });
const listed = async (person: TestPerson) => (await app.call(listFactors, { as: person.token })).body;

describe("a user's own second factors", () => {
  test("have names, and recovery codes are returned only with the first factor", async () => {
    const person = await aPerson(app);
    const { codes } = await withApp(app, person);
    const [blue, red] = [await withPasskey(app, person, "Blue key"), await withPasskey(app, person, "Red key")];
    assert.deepEqual([codes.length, blue.codes, red.codes], [10, null, null]);
    const { data, recovery_codes_left: left } = await listed(person);
    assert.deepEqual(
      data.map(({ name }) => name),
      ["A phone", "Blue key", "Red key"],
    );
    assert.equal(left, 10);
    assert.equal((await listed(await aPerson(app))).data.length, 0, "no other user's factors");
  });

  test("an authenticator app is added only after a correct code", async () => {
    const person = await aPerson(app);
    const started = await app.call(beginFactor, { body: { kind: "totp" }, as: person.token });
    const { key } = started.body.totp!;
    const body = { kind: "totp", name: "A phone", code: codeAt(app, key, 9) } as const;
    assert.equal(codeOf(await app.call(addFactor, { body, as: person.token })), "factor.answer-wrong");
    assert.equal((await listed(person)).data.length, 0);
    assert.ok(await signedIn(app, person.email), "an unfinished factor is not required");
    const other = await aPerson(app);
    const right = { ...body, code: codeAt(app, key) };
    assert.equal(codeOf(await app.call(addFactor, { body: right, as: other.token })), "factor.not-begun");
  });

  test("creating new recovery codes invalidates the old ones", async () => {
    const person = await aPerson(app);
    const { codes } = await withApp(app, person);
    const renewed = await app.call(renewRecoveryCodes, { as: person.token });
    assert.equal(new Set([...codes, ...renewed.body.recovery_codes]).size, 20);
    const use = async (code: string) => secondStep(app, await firstStep(app, person), { kind: "recovery", code });
    assert.equal((await use(codes[0]!)).status, 401);
    assert.equal((await use(renewed.body.recovery_codes[0]!)).status, 200);
    assert.equal(codeOf(await app.call(renewRecoveryCodes, { as: (await aPerson(app)).token })), "factor.none");
  });

  test("the last factor cannot be removed while the role requires one, even by two concurrent removals", async () => {
    const person = await aPerson(app, "manager");
    const ids = [(await withPasskey(app, person)).id, (await withPasskey(app, person)).id];
    await requireFactorOf(app, "manager");
    const replies = await Promise.all(ids.map((id) => remove(person, id)));
    assert.deepEqual(statusesOf(replies), [200, 409]);
    assert.ok(replies.some((reply) => codeOf(reply) === "factor.required"));
    await requireFactorOf(app);
    const [last] = (await listed(person)).data;
    assert.equal((await remove(person, last!.id)).status, 200);
    assert.equal((await listed(person)).recovery_codes_left, 0, "the codes went with it");
    assert.ok(await signedIn(app, person.email));
  });

  test("a factor of another user is reported as not found", async () => {
    const [owner, other] = [await aPerson(app), await aPerson(app)];
    const { id } = await withPasskey(app, owner);
    assert.equal((await remove(other, id)).status, 404);
    assert.equal((await listed(owner)).data.length, 1);
  });
});

describe("a passkey", () => {
  const answered = async (person: TestPerson, device: ReturnType<typeof anAuthenticator>, conditions: Conditions) => {
    const step = await firstStep(app, person);
    return secondStep(app, step, { kind: "passkey", response: device.answer(step.passkey!, conditions) });
  };

  test("signs in as a second factor, once per challenge", async () => {
    const person = await aPerson(app);
    const { device } = await withPasskey(app, person);
    const [step, other] = [await firstStep(app, person), await firstStep(app, person)];
    assert.deepEqual(step.kinds, ["passkey", "recovery"]);
    const response = device.answer(step.passkey!);
    const proof = { kind: "passkey", response } as const;
    assert.equal((await secondStep(app, step, proof)).status, 200);
    assert.equal((await secondStep(app, other, proof)).status, 401, "the same answer again");
  });

  test("is refused for a different site, without user verification, for an unknown challenge, and when its counter did not increase", async () => {
    const person = await aPerson(app);
    const { device } = await withPasskey(app, person);
    const bad: Conditions[] = [
      { origin: "https://vault.example.com.evil.test" },
      { isUnverified: true },
      { challenge: Buffer.from("a question of my own").toString("base64url") },
    ];
    for (const conditions of bad) assert.equal((await answered(person, device, conditions)).status, 401);
    assert.equal((await answered(person, device, { counter: 50 })).status, 200);
    assert.equal((await answered(person, device, { counter: 50 })).status, 401, "a counter that does not increase");
    assert.equal((await answered(person, device, { counter: 7 })).status, 401, "a counter that went back");
    const stranger = await aPerson(app);
    await withPasskey(app, stranger);
    assert.equal((await answered(stranger, device, { counter: 60 })).status, 401, "somebody else's passkey");
  });

  const faults: [string, Conditions][] = [
    ["for a different relying party", { rpId: "evil.example" }],
    ["of a registration instead of a sign-in", { type: "webauthn.create" }],
    ["without the touch of the user", { isAbsent: true }],
    ["from a frame of a different site", { crossOrigin: true }],
    ["signed with a different key", { isForged: true }],
  ];
  for (const [what, conditions] of faults) {
    test(`is refused with an answer ${what}`, async () => {
      const person = await aPerson(app);
      const { device } = await withPasskey(app, person);
      assert.equal((await answered(person, device, conditions)).status, 401);
      assert.equal((await answered(person, device, {})).status, 200);
    });
  }

  test("signs the user in on its own, because it counts as two factors: the device also verifies its user", async () => {
    const person = await aPerson(app, "manager");
    const { device } = await withPasskey(app, person);
    await requireFactorOf(app, "manager");
    const options = (await app.call(beginPasskeySignIn, {})).body;
    assert.equal(options.allowCredentials, undefined, "the reply does not show which users have passkeys");
    const response = device.answer(options);
    const reply = await app.call(signInWithPasskey, { body: { response } });
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await app.call(currentSession, { as: reply.body.token })).body.user.id, person.id);
    assert.equal(codeOf(await app.call(signInWithPasskey, { body: { response } })), "sign-in.refused", "once");
    const unknown = anAuthenticator(ORIGIN).answer((await app.call(beginPasskeySignIn, {})).body);
    assert.equal((await app.call(signInWithPasskey, { body: { response: unknown } })).status, 401);
    const ofAStep = device.answer((await firstStep(app, person)).passkey!);
    const mixed = await app.call(signInWithPasskey, { body: { response: ofAStep } });
    assert.equal(mixed.status, 401, "an answer to another question");
    await requireFactorOf(app);
  });

  test("is refused for a user without a local password, who must sign in through their provider", async () => {
    const person = await aPerson(app);
    const { device } = await withPasskey(app, person);
    await app.database.pool.query("update users set password_hash = '' where id = $1", [person.id]);
    const response = device.answer((await app.call(beginPasskeySignIn, {})).body);
    assert.equal((await app.call(signInWithPasskey, { body: { response } })).status, 401);
  });
});

describe("a new second factor", () => {
  const reports = [
    "A passkey was added to your account",
    "An authenticator app was added to your account",
    "New recovery codes were created",
  ];

  test("is reported to its user in the product and by email, as are new recovery codes", async () => {
    const person = await aPerson(app);
    const mails = reports.map((report) => smtp.first(({ to, raw }) => to[0] === person.email && raw.includes(report)));
    await withApp(app, person);
    await withPasskey(app, person);
    assert.equal((await app.call(renewRecoveryCodes, { as: person.token })).status, 200);
    await Promise.all(mails);
    const { notifications } = (await app.call(listNotifications, { as: person.token })).body;
    assert.deepEqual(notifications.map(({ title }) => title).toSorted(), reports);
  });

  test("is also reported when added at sign-in because the role requires it", async () => {
    const person = await aPerson(app, "manager");
    await requireFactorOf(app, "manager");
    const { pending } = await firstStep(app, person);
    const { key } = (await app.call(beginFirstFactor, { body: { pending, kind: "totp" } })).body.totp!;
    const answer = { kind: "totp", name: "A phone", code: codeAt(app, key, -1) } as const;
    const added = await app.call(addFirstFactor, { body: { pending, answer } });
    assert.equal(added.status, 200, added.text);
    await requireFactorOf(app);
    await eventually(async () => {
      const { notifications } = (await app.call(listNotifications, { as: added.body.token })).body;
      return notifications.find(({ title }) => title === reports[1]) ?? null;
    });
  });
});

describe("second factors that a user lost", () => {
  test("can be removed by an administrator, which ends sessions, notifies the user and is audited", async () => {
    const admin = await firstAdmin(app);
    const person = await aPerson(app);
    await withApp(app, person);
    const reset = (id: UserId, as: TestPerson) => app.call(resetFactors, { params: { id }, as: as.token });
    assert.equal((await reset(person.id, await aPerson(app, "manager"))).status, 403);
    assert.equal((await reset(admin.id, admin)).status, 403, "not their own");
    assert.equal((await reset(person.id, admin)).status, 200);
    assert.equal((await app.call(currentSession, { as: person.token })).status, 401);
    const token = await signedIn(app, person.email);
    await eventually(async () => {
      const { body } = await app.call(listNotifications, { as: token });
      return body.notifications.find(({ title }) => title === "Your second factors were removed") ?? null;
    });
    const entry = (await entriesOf(app, "factor.reset")).at(-1);
    assert.deepEqual([entry?.actor["id"], entry?.target?.["id"], entry?.severity], [admin.id, person.id, "high"]);
  });

  test("can be removed on the command line, even for the last administrator, which is audited", async () => {
    const person = await aPerson(app);
    await withPasskey(app, person);
    assert.equal(await resetFactorsOf(app.kernel, person.email.toUpperCase(), revokeAllOf), 1);
    assert.ok(await signedIn(app, person.email));
    assert.equal((await entriesOf(app, "factor.reset")).at(-1)?.actor["system"], "command line");
    await assert.rejects(resetFactorsOf(app.kernel, "nobody@example.com", revokeAllOf), /no user/);
  });
});
