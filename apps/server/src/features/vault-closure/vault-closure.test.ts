// HTTP tests of vault closure: an administrator who resets a user's sign-in does not gain access to that user's
// secrets.
import {
  acceptHostKey,
  beginFactor,
  beginPasskeySignIn,
  cancelRecovery,
  cancelRecoveryByLink,
  completePasswordReset,
  createCredential,
  createToken,
  deleteCredential,
  issueResetLink,
  listCredentials,
  listFactors,
  listNotifications,
  readVaultClosure,
  requestPasswordReset,
  resetFactors,
  revealCredential,
  revealCredentialVersion,
  rotateCredential,
  rotateSeveral,
  signInWithPasskey,
  stepUp,
  triggerValidation,
  updateCredential,
  updateSignInPolicy,
  verifyAll,
  verifyCredential,
  verifyMultiple,
} from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { ORIGIN, codeAt, firstStep, secondStep, withApp, withPasskey } from "#features/factors/testing/with-factors.ts";
import { resetFactorsOf } from "#features/factors/index.ts";
import { smtpSink } from "#features/mail/testing/smtp-sink.ts";
import type { SmtpSink } from "#features/mail/testing/smtp-sink.ts";
import { createResetLink } from "#features/sign-in/index.ts";
import { HOUR, MINUTE, entriesOf } from "#features/sign-in/testing/attempts.ts";
import { revokeAllOf } from "#features/tokens/index.ts";
import { aPendingPerson, aPerson, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { usualPolicy } from "#testing/sign-in-policy.ts";
import { testApp } from "#testing/test-app.ts";
import type { Reply, TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

const ANOTHER = "an entirely different passphrase";
let app: TestApp;
let smtp: SmtpSink;
let admin: TestPerson;
let ahead = 0;
before(async () => {
  smtp = await smtpSink();
  const clock = { now: () => new Date(Date.now() + ahead) };
  app = await testApp({ clock, config: { smtpUrl: smtp.url, publicUrl: ORIGIN } });
  admin = await firstAdmin(app);
});
beforeEach(async () => {
  ahead = 0;
  admin.token = await signIn(app, admin.email);
});
after(async () => {
  await app.close();
  await smtp.close();
});

const refusal = ({ status, body }: Reply<unknown>) => [status, (body as { code?: string }).code];
const CLOSED = [403, "vault.closed"];

async function withSecret(given?: TestPerson): Promise<{ person: TestPerson; id: CredentialId }> {
  const person = given ?? (await aPerson(app));
  const body = { name: "My bank", type: "password", value: "hunter2-secret" } as const;
  const made = await app.call(createCredential, { body, as: person.token });
  assert.equal(made.status, 201, made.text);
  return { person, id: made.body.id };
}

const tokenIn = (link: string): string => new URLSearchParams(new URL(link).hash.slice(1)).get("token")!;

async function useLink(link: string): Promise<void> {
  const reply = await app.call(completePasswordReset, { body: { token: tokenIn(link), password: ANOTHER } });
  assert.equal(reply.status, 200, reply.text);
}

/** Resets a user's sign-in the way an administrator would in order to sign in as that user. */
async function resetBy(as: TestPerson, { id }: TestPerson): Promise<void> {
  const made = await app.call(issueResetLink, { params: { id }, as: as.token });
  assert.equal(made.status, 200, made.text);
  await useLink(made.body.link);
}

/** Resets the password in the way of a user who can read the mailbox of the account. */
async function resetByMail({ email }: TestPerson): Promise<void> {
  const link = /https:\S+reset-password#token=\S+/;
  const arriving = smtp.first(({ to, text }) => to[0] === email && link.test(text));
  await app.call(requestPasswordReset, { body: { email } });
  await useLink(link.exec((await arriving).text)![0]);
}

/**
 * Resets the user's password, signs in with it, adds factors and starts to set up more. Returns a function that signs
 * in with the added passkey.
 */
async function plantFactors(person: TestPerson) {
  await resetBy(admin, person);
  const intruder = { ...person, token: await signIn(app, person.email, ANOTHER) };
  const { device } = await withPasskey(app, intruder);
  await withApp(app, intruder);
  for (const kind of ["totp", "passkey"] as const) {
    assert.equal((await app.call(beginFactor, { body: { kind }, as: intruder.token })).status, 200);
  }
  return async () => {
    const asked = (await app.call(beginPasskeySignIn, {})).body;
    return app.call(signInWithPasskey, { body: { response: device.answer(asked) } });
  };
}

const reveal = (id: CredentialId, as: string) => app.call(revealCredential, { params: { id }, body: {}, as });
const closureOf = async (as: string) => (await app.call(readVaultClosure, { as })).body.closure;
async function resetsOf({ id }: TestPerson): Promise<unknown[]> {
  const read = "select opens_at, blocks_vault from vault_closures where user_id = $1";
  return (await app.database.pool.query(read, [id])).rows;
}
const tend = () => app.database.transaction((tx) => app.kernel.jobs.enqueue(tx, "vault-closure.tend", {}));

/** Runs `act` and returns the token of the link that is then mailed to the owner. */
async function cancelTokenFor(person: TestPerson, act: () => Promise<void>): Promise<string> {
  const arriving = smtp.first(({ to, text }) => to[0] === person.email && text.includes("/cancel-recovery#"));
  await act();
  return tokenIn(/https:\S+#token=\S+/.exec((await arriving).text)![0]);
}

describe("after an administrator's reset", () => {
  test("no call opens, verifies, changes, rotates or deletes secrets in the user's vault, not even with a token created later", async () => {
    const { person, id } = await withSecret();
    await resetBy(admin, person);
    const as = await signIn(app, person.email, ANOTHER);
    const made = await app.call(createToken, {
      body: { name: "later", scopes: ["credential.reveal"], expires_in_days: 1 },
      as,
    });
    const params = { id };
    const whole = { name: "My bank", type: "password", environment: "development", host: "evil.example.com" };
    const calls = {
      reveal: await reveal(id, as),
      token: await reveal(id, made.body.token),
      version: await app.call(revealCredentialVersion, { params: { id, version: 1 }, as }),
      verify: await app.call(verifyCredential, { params, as }),
      verifyMultiple: await app.call(verifyMultiple, { body: { credential_ids: [id] }, as }),
      update: await app.call(updateCredential, { params, body: whole as never, as }),
      rotate: await app.call(rotateCredential, { params, as }),
      hostKey: await app.call(acceptHostKey, { params, body: { fingerprint: "SHA256:x" }, as }),
      delete: await app.call(deleteCredential, { params, as }),
    };
    for (const [name, reply] of Object.entries(calls)) {
      if (name === "update" && reply.status === 400) continue;
      assert.deepEqual(refusal(reply), CLOSED, `${name}: ${reply.text}`);
    }
    const all = await app.call(verifyAll, { as });
    assert.deepEqual([all.status, all.body.queued], [202, 0], all.text);
    const picked = await app.call(triggerValidation, { body: { accountIds: [id as never], force: true }, as });
    assert.deepEqual([picked.body.queued, picked.body.failed[0]?.code], [0, "vault.closed"]);
    const several = await app.call(rotateSeveral, { body: { credential_ids: [id] }, as });
    assert.ok(several.status >= 400 || several.text.includes("vault"), several.text);
    assert.equal((await app.call(listCredentials, { as })).body.data.length, 1, "names can be read");
    assert.match((await closureOf(as))!.by, /admin/i);
  });

  test("the vault opens when its owner uses a second factor from before the reset, at sign-in or afterwards", async () => {
    const { person, id } = await withSecret();
    const { key, codes } = await withApp(app, person);
    await resetBy(admin, person);
    const changed = { ...person, password: ANOTHER };
    const entered = await secondStep(app, await firstStep(app, changed), { kind: "totp", code: codeAt(app, key) });
    assert.equal((await reveal(id, entered.body.token!)).status, 200);
    const opened = (await entriesOf(app, "vault.opened")).at(-1);
    assert.deepEqual([opened?.target?.["id"], opened?.details?.["how"]], [person.id, "earlier-factor"]);
    assert.equal(codes.length, 10);
  });

  test("a factor added after the reset does not open the vault, and neither do its recovery codes", async () => {
    const { person, id } = await withSecret();
    await app.call(resetFactors, { params: { id: person.id }, as: admin.token });
    await resetBy(admin, person);
    ahead = MINUTE;
    const first = await signIn(app, person.email, ANOTHER);
    const { key, codes } = await withApp(app, { token: first });
    ahead = 2 * MINUTE;
    const changed = { ...person, password: ANOTHER };
    const entered = await secondStep(app, await firstStep(app, changed), { kind: "totp", code: codeAt(app, key) });
    const as = entered.body.token!;
    assert.deepEqual(refusal(await reveal(id, as)), CLOSED);
    const code = codes[0]!.replaceAll("-", "");
    assert.equal((await app.call(stepUp, { body: { proof: { kind: "recovery", code } }, as })).status, 200);
    assert.deepEqual(refusal(await reveal(id, as)), CLOSED);
    assert.equal((await closureOf(as))?.has_earlier_factor, false);
  });

  test("a second reset deletes the factors and recovery codes added since the first one, and keeps earlier ones", async () => {
    const { person, id } = await withSecret();
    const enter = await plantFactors(person);
    await resetBy(admin, person);
    assert.equal((await enter()).status, 401, "the planted passkey does not sign in");
    const as = await signIn(app, person.email, ANOTHER);
    const factors = (await app.call(listFactors, { as })).body;
    assert.deepEqual([factors.data, factors.recovery_codes_left], [[], 0], "no planted app locks the owner out");
    ahead = 73 * HOUR;
    assert.equal((await enter()).status, 401);
    assert.equal((await reveal(id, await signIn(app, person.email, ANOTHER))).status, 200);

    ahead = 0;
    const other = await withSecret();
    const { key } = await withApp(app, other.person);
    await resetBy(admin, other.person);
    ahead = MINUTE;
    admin.token = await signIn(app, admin.email);
    await resetBy(admin, other.person);
    const changed = { ...other.person, password: ANOTHER };
    const entered = await secondStep(app, await firstStep(app, changed), { kind: "totp", code: codeAt(app, key) });
    assert.equal((await reveal(other.id, entered.body.token!)).status, 200);
  });

  test("the vault opens automatically after the waiting time, and its owner is notified", async () => {
    const { person, id } = await withSecret();
    await resetBy(admin, person);
    ahead = 71 * HOUR;
    assert.deepEqual(refusal(await reveal(id, await signIn(app, person.email, ANOTHER))), CLOSED);
    ahead = 73 * HOUR;
    const as = await signIn(app, person.email, ANOTHER);
    assert.equal((await reveal(id, as)).status, 200);
    await tend();
    await eventually(async () => {
      const { notifications } = (await app.call(listNotifications, { as })).body;
      return notifications.find(({ title }) => title === "Your vault is open again") ?? null;
    });
  });

  test("a policy change does not shorten a running waiting time, and the minimum is 24 hours", async () => {
    const { person, id } = await withSecret();
    await resetBy(admin, person);
    const change = (hours: number) =>
      app.call(updateSignInPolicy, { body: { ...usualPolicy, vault_wait_hours: hours }, as: admin.token });
    assert.equal((await change(0)).status, 400);
    assert.equal((await change(24)).status, 200);
    ahead = 25 * HOUR;
    assert.deepEqual(refusal(await reveal(id, await signIn(app, person.email, ANOTHER))), CLOSED);
    ahead = 0;
    assert.equal((await change(72)).status, 200);
  });

  test("resetting only the factors also closes the vault, and so does a reset from the command line", async () => {
    const { person, id } = await withSecret();
    await app.call(resetFactors, { params: { id: person.id }, as: admin.token });
    assert.deepEqual(refusal(await reveal(id, await signIn(app, person.email))), CLOSED);
    const other = await withSecret();
    await resetFactorsOf(app.kernel, other.person.email, revokeAllOf);
    assert.deepEqual(refusal(await reveal(other.id, await signIn(app, other.person.email))), CLOSED);
    const third = await withSecret();
    await useLink((await createResetLink(app.kernel, third.person.email)).link);
    assert.deepEqual(refusal(await reveal(third.id, await signIn(app, third.person.email, ANOTHER))), CLOSED);
  });

  test("the vault of an owner who requested a reset link by email stays open", async () => {
    const { person, id } = await withSecret();
    await resetByMail(person);
    assert.equal((await reveal(id, await signIn(app, person.email, ANOTHER))).status, 200);
  });
});

describe("a reset of a user whose vault is empty", () => {
  test("leaves the vault usable immediately, and the waiting time ends without a notification", async () => {
    const person = await aPerson(app);
    await resetBy(admin, person);
    const changed = { ...person, token: await signIn(app, person.email, ANOTHER) };
    assert.equal(await closureOf(changed.token), null);
    const { id } = await withSecret(changed);
    assert.equal((await reveal(id, changed.token)).status, 200);
    ahead = 73 * HOUR;
    await tend();
    await eventually(async () => ((await resetsOf(person)).length === 0 ? true : null));
    const opened = (await entriesOf(app, "vault.opened")).filter(({ target }) => target?.["id"] === person.id);
    assert.deepEqual(opened, []);
  });

  test("is followed by a second reset that deletes the factors added in between, so that they open nothing stored later", async () => {
    const person = await aPerson(app);
    const enter = await plantFactors(person);
    await resetBy(admin, person);
    assert.equal((await enter()).status, 401, "the planted passkey does not sign in");
    const owner = { ...person, token: await signIn(app, person.email, ANOTHER) };
    const { id } = await withSecret(owner);
    assert.equal((await reveal(id, owner.token)).status, 200);
    await resetBy(admin, person);
    assert.deepEqual(refusal(await reveal(id, await signIn(app, person.email, ANOTHER))), CLOSED);
  });

  test("can be cancelled by the link in the mail, which deletes the factors added since", async () => {
    const person = await aPerson(app);
    let enter: (() => Promise<Reply<unknown>>) | undefined;
    const token = await cancelTokenFor(person, async () => {
      enter = await plantFactors(person);
    });
    assert.equal((await app.call(cancelRecoveryByLink, { body: { token } })).status, 200);
    assert.equal((await enter?.())?.status, 401, "the planted passkey does not sign in");
    await assert.rejects(signIn(app, person.email, ANOTHER));
    assert.deepEqual(await resetsOf(person), [{ opens_at: null, blocks_vault: true }]);
  });

  test("cannot be cancelled from a session, so that a stolen one does not lock a new user out", async () => {
    const person = await aPerson(app);
    await resetBy(admin, person);
    const as = await signIn(app, person.email, ANOTHER);
    assert.deepEqual(refusal(await app.call(cancelRecovery, { as })), [409, "vault.not-waiting"]);
    assert.ok(await signIn(app, person.email, ANOTHER));
  });

  test("does not let a mailbox alone remove the second factors added since", async () => {
    const person = await aPerson(app);
    await resetBy(admin, person);
    await withApp(app, { token: await signIn(app, person.email, ANOTHER) });
    await resetByMail(person);
    assert.ok(await firstStep(app, { ...person, password: ANOTHER }));
  });
});

describe("the owner", () => {
  test("cancels a reset with the mailed link: all sessions end, the password stops working, and the vault stays closed", async () => {
    const { person, id } = await withSecret();
    const token = await cancelTokenFor(person, () => resetBy(admin, person));
    const intruder = await signIn(app, person.email, ANOTHER);
    const cancelled = await app.call(cancelRecoveryByLink, { body: { token } });
    assert.equal(cancelled.status, 200, cancelled.text);
    assert.equal((await reveal(id, intruder)).status, 401);
    await assert.rejects(signIn(app, person.email, ANOTHER));
    const again = await app.call(cancelRecoveryByLink, { body: { token } });
    assert.deepEqual(refusal(again), [400, "vault.not-waiting"], "a link works once");
    ahead = 1000 * HOUR;
    await tend();
    assert.deepEqual(await resetsOf(person), [{ opens_at: null, blocks_vault: true }]);
    assert.equal((await entriesOf(app, "vault.recovery-cancelled")).at(-2)?.severity, "critical");
  });

  test("cancels a reset, which deletes the factors added since then, including unfinished setups", async () => {
    const { person } = await withSecret();
    let enter: (() => Promise<Reply<unknown>>) | undefined;
    const token = await cancelTokenFor(person, async () => {
      enter = await plantFactors(person);
    });
    assert.equal((await app.call(cancelRecoveryByLink, { body: { token } })).status, 200);
    assert.equal((await enter?.())?.status, 401, "the planted passkey does not sign in");
    for (const table of ["factors", "factor_recovery_codes", "factor_enrolments", "factor_challenges"]) {
      const { rows } = await app.database.pool.query(`select from ${table} where user_id = $1`, [person.id]);
      assert.equal(rows.length, 0, table);
    }
  });

  test("can read and cancel a closure while waiting for activation", async () => {
    const { person } = await withSecret(await aPendingPerson(app));
    await app.call(resetFactors, { params: { id: person.id }, as: admin.token });
    const as = await signIn(app, person.email);
    assert.equal((await closureOf(as))?.cause, "factors-reset");
    const cancelled = await app.call(cancelRecovery, { as });
    assert.equal(cancelled.status, 200, cancelled.text);
  });

  test("can also cancel a reset from an open session", async () => {
    const { person } = await withSecret();
    await app.call(resetFactors, { params: { id: person.id }, as: admin.token });
    const as = await signIn(app, person.email);
    assert.equal((await app.call(cancelRecovery, { as })).status, 200);
    assert.equal((await app.call(readVaultClosure, { as })).status, 401);
    const other = await aPerson(app);
    assert.deepEqual(refusal(await app.call(cancelRecovery, { as: other.token })), [409, "vault.not-waiting"]);
  });

  test("cannot cancel a reset with a guessed link", async () => {
    const guessed = await app.call(cancelRecoveryByLink, { body: { token: "a".repeat(43) } });
    assert.deepEqual(refusal(guessed), [400, "vault.not-waiting"]);
    assert.equal((await app.call(beginFactor, { body: { kind: "totp" } })).status, 401);
  });
});
