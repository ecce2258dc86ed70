// Tests of forgotten passwords, with a real SMTP server and without one.
import {
  completePasswordReset,
  currentSession,
  issueResetLink,
  listPendingResets,
  requestPasswordReset,
  setUserStatus,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { smtpSink } from "#features/mail/testing/smtp-sink.ts";
import type { SmtpSink } from "#features/mail/testing/smtp-sink.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { resetMailWait } from "../sign-in.policy.ts";
import {
  DAY,
  MINUTE,
  codeOf,
  entriesOf,
  hashesOf,
  newEmail,
  signedIn,
  fixedClock,
  statusesOf,
  tryToSignIn,
} from "../testing/attempts.ts";

const NEW_PASSWORD = "a brand new password";
const clock = fixedClock();

const ask = (app: TestApp, email: string) => app.call(requestPasswordReset, { body: { email } });

const complete = (app: TestApp, token: string, password = NEW_PASSWORD) =>
  app.call(completePasswordReset, { body: { token, password } });

const tokenIn = (text: string): string => /\/reset-password#token=([\w-]+)/.exec(text)?.[1] ?? "";

/** Resolves when no reset job is waiting or running. */
async function untilDone(app: TestApp): Promise<void> {
  const open = "select from jobs.job where name = 'sign-in.reset' and state < 'completed'";
  while ((await app.database.pool.query(open)).rows.length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("API-05, OPEN-09: with a mail server", { timeout: 120_000 }, () => {
  let sink: SmtpSink;
  let app: TestApp;
  let person: TestPerson;
  before(async () => {
    sink = await smtpSink();
    app = await testApp({
      clock,
      config: { smtpUrl: sink.url, mailFrom: "Vault <vault@example.com>", publicUrl: "https://vault.example.com" },
    });
    person = await aPerson(app);
  });
  after(async () => {
    await app.close();
    await sink.close();
  });

  async function mailedToken(email: string): Promise<string> {
    // Simulates a day without a reset mail.
    await app.database.pool.query("update sign_in_resets set mails_sent = 0");
    clock.advance(3 * MINUTE);
    const mail = sink.next();
    await ask(app, email);
    const token = tokenIn((await mail).text);
    await untilDone(app);
    return token;
  }

  test("the link arrives by mail, sets a new password once, and ends every session", async () => {
    const arriving = sink.next();
    const reply = await ask(app, person.email);
    assert.equal(reply.status, 200);
    assert.equal(reply.body.message, "If there is an account with this email, a reset link is on its way.");
    const mail = await arriving;
    assert.deepEqual(mail.to, [person.email]);
    assert.equal(mail.from, "vault@example.com");
    assert.match(mail.raw, /^Subject: Set a new Strongroom password\r?$/m);
    assert.match(mail.raw, /^Content-Type: text\/plain/m);
    assert.match(mail.text, /https:\/\/vault\.example\.com\/reset-password#token=[\w-]{43}\n/);
    const token = tokenIn(mail.text);

    const done = await complete(app, token);
    assert.equal(done.status, 200, done.text);
    assert.equal((await app.call(currentSession, { as: person.token })).status, 401);
    assert.equal((await tryToSignIn(app, person.email, { password: person.password })).status, 401);
    await signedIn(app, person.email, { password: NEW_PASSWORD });
    assert.equal(codeOf(await complete(app, token)), "password-reset.link-invalid");
  });

  test("an unknown address causes the same reply and the same work, but no mail", async () => {
    await untilDone(app);
    clock.advance(3 * MINUTE);
    const hashes = await hashesOf(app);
    const mails = sink.count;
    const arriving = sink.next();
    const known = await ask(app, person.email);
    for (const email of [newEmail(), "no address"]) {
      const reply = await ask(app, email);
      assert.equal(reply.text, known.text);
      assert.equal(reply.status, known.status);
      assert.deepEqual(Object.keys(reply.headers), Object.keys(known.headers));
    }
    await arriving;
    await untilDone(app);
    assert.equal(sink.count, mails + 1);
    assert.equal(await hashesOf(app), hashes);
    const { rows } = await app.database.pool.query(
      "select count(*)::int as jobs from jobs.job where name = 'sign-in.reset'",
    );
    assert.ok(rows[0].jobs >= 3, "each request is a job, whoever it names");
  });

  test("a link works for 30 minutes, and a newer one replaces it", async () => {
    const late = await mailedToken(person.email);
    clock.advance(30 * MINUTE);
    assert.equal(codeOf(await complete(app, late)), "password-reset.link-invalid");
    const older = await mailedToken(person.email);
    const newer = await mailedToken(person.email);
    assert.equal(codeOf(await complete(app, older)), "password-reset.link-invalid");
    assert.equal((await complete(app, newer)).status, 200);
  });

  test("exactly one of two concurrent uses of a link sets the password", async () => {
    const token = await mailedToken(person.email);
    const replies = await Promise.all([
      complete(app, token, "the first password"),
      complete(app, token, "the second one"),
    ]);
    assert.deepEqual(statusesOf(replies), [200, 400]);
    const winner = replies[0].status === 200 ? "the first password" : "the second one";
    await signedIn(app, person.email, { password: winner });
  });

  test("a made-up link is refused without computing a hash", async () => {
    const hashes = await hashesOf(app);
    assert.equal(codeOf(await complete(app, "x".repeat(43))), "password-reset.link-invalid");
    assert.equal(await hashesOf(app), hashes);
  });

  test("a user gets at most one reset mail in two minutes, then in four, then in eight, however many requests arrive", async () => {
    await mailedToken(person.email);
    clock.advance(2 * MINUTE);
    const mails = sink.count;
    const arriving = sink.next();
    for (let each = 0; each < 5; each++) {
      await ask(app, person.email);
      await untilDone(app);
    }
    await arriving;
    assert.equal(sink.count, mails + 1);
    clock.advance(4 * MINUTE - 1);
    await ask(app, person.email);
    await untilDone(app);
    assert.equal(sink.count, mails + 1);
    clock.advance(1);
    const next = sink.next();
    await ask(app, person.email);
    await next;
    await untilDone(app);
    assert.deepEqual(
      [1, 2, 3, 4, 20].map(resetMailWait),
      [2, 4, 8, 16, 60].map((minutes) => minutes * MINUTE),
    );
  });

  test("a disabled account gets no mail, and a link it already has does not work", async () => {
    const other = await aPerson(app);
    const token = await mailedToken(other.email);
    const admin = await signedIn(app, (await firstAdmin(app)).email);
    await app.call(setUserStatus, { params: { id: other.id }, body: { status: "disabled" }, as: admin });
    assert.equal(codeOf(await complete(app, token)), "password-reset.link-invalid");
    const mails = sink.count;
    clock.advance(3 * MINUTE);
    await ask(app, other.email);
    await untilDone(app);
    assert.equal(sink.count, mails);
  });

  test("a mail that the server rejects at first is sent again", async () => {
    clock.advance(3 * MINUTE);
    sink.refuseNext();
    const arriving = sink.next();
    await ask(app, person.email);
    assert.equal((await complete(app, tokenIn((await arriving).text))).status, 200);
  });

  test("requests and new passwords are audited, and the token, link and password are stored nowhere", async () => {
    const token = await mailedToken(person.email);
    await complete(app, token, "written down nowhere");
    const asked = (await entriesOf(app, "password-reset.requested")).at(-1);
    assert.equal(asked?.target?.["id"], person.id);
    assert.deepEqual(asked.actor, { system: "visitor" });
    assert.equal((await entriesOf(app, "password-reset.completed")).at(-1)?.actor["id"], person.id);
    const stored = await app.database.pool.query<{ text: string }>(`
      select convert_from(canonical, 'UTF8') as text from audit_entries
      union all select data::text from jobs.job where data is not null
      union all select encode(token_hash, 'escape') from sign_in_resets where token_hash is not null`);
    const all = [...app.logLines, ...stored.rows.map((row) => row.text)].join("\n");
    for (const secret of [token, "#token=", "written down nowhere"]) assert.ok(!all.includes(secret), secret);
  });
});

describe("OPEN-09: without a mail server", () => {
  let app: TestApp;
  let person: TestPerson;
  before(async () => {
    app = await testApp({ clock, config: { publicUrl: "https://vault.example.com" } });
    person = await aPerson(app);
  });
  after(() => app.close());
  const asAdmin = async () => signedIn(app, (await firstAdmin(app)).email);
  const pending = async () => (await app.call(listPendingResets, { as: await asAdmin() })).body.data;

  test("the request waits for an administrator, who hands over a link that works once and for 30 minutes", async () => {
    const reply = await ask(app, person.email);
    assert.equal(
      reply.body.message,
      "If there is an account with this email, an administrator can now give you a reset link.",
    );
    assert.equal((await ask(app, newEmail())).text, reply.text);
    await untilDone(app);
    const now = clock.now();
    assert.deepEqual(await pending(), [
      {
        user_id: person.id,
        email: person.email,
        name: person.email.split("@")[0],
        requested_at: now.toISOString(),
        expires_at: new Date(now.getTime() + DAY).toISOString(),
      },
    ]);
    const issued = await app.call(issueResetLink, { params: { id: person.id }, as: await asAdmin() });
    assert.equal(issued.status, 200, issued.text);
    assert.equal(issued.body.expires_at, new Date(now.getTime() + 30 * MINUTE).toISOString());
    assert.match(issued.body.link, /^https:\/\/vault\.example\.com\/reset-password#token=[\w-]{43}$/);
    assert.deepEqual(await pending(), []);
    clock.advance(30 * MINUTE - 1);
    assert.equal((await complete(app, tokenIn(issued.body.link))).status, 200);
    assert.equal(codeOf(await complete(app, tokenIn(issued.body.link))), "password-reset.link-invalid");
    await signedIn(app, person.email, { password: NEW_PASSWORD });
    assert.ok(!JSON.stringify(await entriesOf(app, "password-reset.link-issued")).includes("token"));
  });

  test("an unanswered request expires after a day", async () => {
    await ask(app, person.email);
    await untilDone(app);
    assert.equal((await pending()).length, 1);
    clock.advance(DAY);
    assert.deepEqual(await pending(), []);
  });

  test("only administrators can list requests and create links", async () => {
    for (const call of [
      app.call(listPendingResets, { as: await signedIn(app, person.email, { password: NEW_PASSWORD }) }),
      app.call(issueResetLink, {
        params: { id: person.id },
        as: await signedIn(app, person.email, { password: NEW_PASSWORD }),
      }),
    ]) {
      assert.equal((await call).status, 403);
    }
  });
});
