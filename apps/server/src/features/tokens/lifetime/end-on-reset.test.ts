// Tests that API tokens are revoked, and their holder is notified, when a password changes or is reset, or when all
// sessions end.
import {
  changePassword,
  completePasswordReset,
  createMachine,
  createMachineToken,
  createToken,
  endOtherSessions,
  endUserSessions,
  issueResetLink,
  listAccounts,
  listNotifications,
  listOwnTokens,
  requestPasswordReset,
  resetFactors,
  updateNotificationPreferences,
} from "@strongroom/contract";
import type { ScopeChoice } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { smtpSink } from "#features/mail/testing/smtp-sink.ts";
import type { ReceivedMail, SmtpSink } from "#features/mail/testing/smtp-sink.ts";
import { entriesOf } from "#features/sign-in/testing/attempts.ts";
import { aPerson, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

const ANOTHER = "an entirely different passphrase";
let app: TestApp;
let smtp: SmtpSink;
let admin: TestPerson;
before(async () => {
  smtp = await smtpSink();
  app = await testApp({ config: { smtpUrl: smtp.url } });
  admin = await firstAdmin(app);
});
after(async () => {
  await app.close();
  await smtp.close();
});

async function aToken(as: string, name = "A token", scopes: ScopeChoice[] = ["retrieve", "token.use"]) {
  // Tokens created with this one must expire before it does.
  const expires_in_days = as.startsWith("srt_") ? 10 : 20;
  const made = await app.call(createToken, { body: { name, scopes, expires_in_days }, as });
  assert.equal(made.status, 201, made.text);
  return { text: made.body.token, id: made.body.details.id };
}

const works = async (token: { text: string }): Promise<boolean> => {
  const { status } = await app.call(listAccounts, { as: token.text });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
};

const byId = ({ id }: TestPerson) => ({ params: { id }, as: admin.token });

async function useLink(link: string): Promise<void> {
  const token = new URLSearchParams(new URL(link).hash.slice(1)).get("token")!;
  const reply = await app.call(completePasswordReset, { body: { token, password: ANOTHER } });
  assert.equal(reply.status, 200, reply.text);
}

/** Resolves with the next email with this subject to this user, ignoring late emails from earlier tests. */
async function mailWith(to: TestPerson, subject: string, act: () => Promise<void>): Promise<ReceivedMail> {
  const arriving = smtp.first((mail) => mail.to[0] === to.email && mail.raw.includes(`Subject: ${subject}`));
  await act();
  return arriving;
}

test("an administrative reset revokes a user's API tokens and the tokens that those created", async () => {
  const person = await aPerson(app);
  const parent = await aToken(person.token);
  const child = await aToken(parent.text, "A child", ["retrieve"]);
  const { body } = await app.call(issueResetLink, byId(person));
  assert.ok(await works(parent), "the link alone ends nothing");
  await useLink(body.link);
  assert.deepEqual([await works(parent), await works(child)], [false, false]);
  const entries = await entriesOf(app, "token.revoked");
  const reasons = entries.filter(({ target }) => [parent.id, child.id].includes(String(target?.["id"]) as never));
  const reason = "The password of the token's holder was reset.";
  assert.deepEqual(
    reasons.map((entry) => entry.reason),
    [reason, reason],
  );
});

test("a reset by email revokes a user's API tokens", async () => {
  const person = await aPerson(app);
  const token = await aToken(person.token);
  const mail = await mailWith(person, "Set a new Strongroom password", async () => {
    await app.call(requestPasswordReset, { body: { email: person.email } });
  });
  await useLink(/http\S+/.exec(mail.text)![0]);
  assert.equal(await works(token), false);
});

test("resetting a user's factors or ending all their sessions revokes their API tokens", async () => {
  for (const endpoint of [resetFactors, endUserSessions]) {
    const person = await aPerson(app);
    const token = await aToken(person.token);
    const reply = await app.call(endpoint, byId(person));
    assert.equal(reply.status, 200, reply.text);
    assert.equal(await works(token), false, endpoint.path);
    assert.equal((await app.call(listOwnTokens, { as: person.token })).status, 401);
  }
});

test("ending all other sessions revokes the user's API tokens, but not those of a machine identity they are responsible for", async () => {
  const person = await aPerson(app);
  const token = await aToken(person.token);
  const machine = await app.call(createMachine, {
    body: { name: "Build server", responsible_user_id: person.id },
    as: admin.token,
  });
  const ofMachine = await app.call(createMachineToken, {
    params: { id: machine.body.id },
    body: { name: "pipeline", scopes: ["retrieve"], expires_in_days: 5 },
    as: admin.token,
  });
  const reply = await app.call(endOtherSessions, { as: person.token });
  assert.deepEqual([reply.status, reply.body], [200, { message: "0 sessions and 1 API token ended." }]);
  assert.equal(await works(token), false);
  assert.ok(await works({ text: ofMachine.body.token }));
  assert.equal((await app.call(listOwnTokens, { as: person.token })).status, 200, "this session stays");
});

test("a password change revokes every API token that the user does not keep, and the tokens that the revoked ones created", async () => {
  const person = await aPerson(app);
  const kept = await aToken(person.token, "kept");
  const ended = await aToken(person.token, "ended");
  const child = await aToken(ended.text, "child of the ended one", ["retrieve"]);
  const reply = await app.call(changePassword, {
    body: { current_password: person.password, new_password: ANOTHER, keep_tokens: [kept.id, child.id] },
    as: person.token,
  });
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.body.message, /2 API tokens ended/);
  assert.deepEqual([await works(kept), await works(ended), await works(child)], [true, false, false]);
  const all = await app.call(changePassword, {
    body: { current_password: ANOTHER, new_password: person.password },
    as: person.token,
  });
  assert.equal(all.status, 200, all.text);
  assert.equal(await works(kept), false, "all end when none is listed");
});

test("a password change that would keep another user's token is refused and changes nothing", async () => {
  const [person, other] = [await aPerson(app), await aPerson(app)];
  const [own, foreign] = [await aToken(person.token), await aToken(other.token)];
  const reply = await app.call(changePassword, {
    body: { current_password: person.password, new_password: ANOTHER, keep_tokens: [own.id, foreign.id] },
    as: person.token,
  });
  assert.deepEqual([reply.status, (reply.body as { code?: string }).code], [400, "token.not-kept"]);
  assert.ok(await works(own));
  await signIn(app, person.email);
});

test("the user is notified of a reset link in the product and by email, regardless of their preferences", async () => {
  const person = await aPerson(app);
  const preferences = {
    alertSounds: false,
    emailNotifications: false,
    enableCriticalFailures: false,
    enableJitAlerts: false,
    enableSuccessNotifications: false,
    enableValidationAlerts: false,
    minimumSeverity: "critical",
  } as const;
  const saved = await app.call(updateNotificationPreferences, { body: preferences, as: person.token });
  assert.equal(saved.status, 200, saved.text);
  const mail = await mailWith(person, "A reset link was created for your account", async () => {
    assert.equal((await app.call(issueResetLink, byId(person))).status, 200);
  });
  assert.deepEqual(mail.to, [person.email]);
  assert.doesNotMatch(mail.text, /#token=/);
  const told = await eventually(async () => {
    const { notifications } = (await app.call(listNotifications, { as: person.token })).body;
    return notifications.find(({ title }) => title === "A reset link was created for your account") ?? null;
  });
  assert.equal(told.severity, "critical");
});

test("the user gets an email when an administrator ends their sessions or resets their factors", async () => {
  const person = await aPerson(app);
  const ended = await mailWith(person, "Your sessions and API tokens were ended", async () => {
    await app.call(endUserSessions, byId(person));
  });
  const reset = await mailWith(person, "Your second factors were removed", async () => {
    await app.call(resetFactors, byId(person));
  });
  assert.deepEqual([ended.to, reset.to], [[person.email], [person.email]]);
});
