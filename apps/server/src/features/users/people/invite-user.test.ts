// Tests of inviting users, showing which users are slowed down, and unlocking them.
import {
  completePasswordReset,
  inviteAgain,
  inviteUser,
  listUsers,
  login,
  setUserStatus,
  changeUserRole,
  unlockUser,
} from "@strongroom/contract";
import type { ReplyOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { smtpSink } from "#features/mail/testing/smtp-sink.ts";
import { aPerson, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let admin: TestPerson;
let sink: Awaited<ReturnType<typeof smtpSink>>;
before(async () => {
  sink = await smtpSink();
  app = await testApp({ config: { smtpUrl: sink.url } });
  admin = await firstAdmin(app);
});
after(async () => {
  await app.close();
  await sink.close();
});

const PASSWORD = "chosen by themselves";
const codeOf = (reply: { body: unknown }) => (reply.body as { code?: string }).code;
const invite = (email: string, more: { role?: "user" | "admin"; by?: "mail" | "link" } = {}, as = admin.token) =>
  app.call(inviteUser, { body: { email, ...more }, as });
const tokenIn = (text: string): string => /#token=([\w-]+)/.exec(text)?.[1] ?? "";
const complete = (token: string) => app.call(completePasswordReset, { body: { token, password: PASSWORD } });
const tryAs = (email: string, password: string, from = "127.0.0.1") =>
  app.call(login, { body: { email, password }, from });
const shown = async (email: string) =>
  (await app.call(listUsers, { query: { search: email }, as: admin.token })).body.data[0]!;

describe("an invitation", () => {
  test("admits one user once with the assigned role when handed over as a link", async () => {
    const email = "ana@example.com";
    const reply = await invite("Ana@Example.com", { role: "admin" });
    assert.equal(reply.status, 201, reply.text);
    const { user, link, expires_at: expiresAt } = reply.body;
    assert.deepEqual([user.email, user.role, user.last_signed_in_at], [email, "admin", null]);
    assert.ok(user.invited_at !== null);
    assert.ok(Date.parse(expiresAt) - Date.now() > 6.9 * 86_400_000);
    for (const guess of ["", "a password", user.id]) assert.notEqual((await tryAs(email, guess)).status, 200);

    assert.equal((await complete(tokenIn(link!))).status, 200);
    assert.equal((await complete(tokenIn(link!))).status, 400, "the link works once");
    assert.equal((await tryAs(email, PASSWORD)).status, 200);
    assert.equal((await shown(email)).invited_at, null);
    const { rows } = await app.database.pool.query(
      "select convert_from(canonical, 'UTF8') as text from audit_entries where event = 'user.invited'",
    );
    assert.ok(rows.length > 0 && rows.every(({ text }) => !text.includes(tokenIn(link!))), "the link is in no record");
  });

  test("is mailed when a mail server is configured, and its link is not shown to the inviter", async () => {
    const arriving = sink.first(({ to }) => to[0] === "ben@example.com");
    const reply = await invite("ben@example.com", { by: "mail" });
    assert.equal(reply.body.link, null);
    assert.equal((await complete(tokenIn((await arriving).text))).status, 200);
    assert.equal((await tryAs("ben@example.com", PASSWORD)).status, 200);
  });

  test("can be renewed while it is open, which invalidates the earlier link", async () => {
    const { body: first } = await invite("eve@example.com");
    const again = (id: ReplyOf<typeof inviteUser>["user"]["id"]) =>
      app.call(inviteAgain, { params: { id }, body: {}, as: admin.token });
    const second = await again(first.user.id);
    assert.equal(second.status, 200, second.text);
    assert.equal((await complete(tokenIn(first.link!))).status, 400);
    assert.equal((await complete(tokenIn(second.body.link!))).status, 200);
    const third = await again(first.user.id);
    assert.deepEqual([third.status, codeOf(third)], [409, "user.not-invited"]);
  });

  test("is refused for an existing address, and only administrators can invite", async () => {
    assert.equal(codeOf(await invite(admin.email)), "account.exists");
    const manager = await aPerson(app, "manager");
    assert.equal((await invite("nobody@example.com", {}, manager.token)).status, 403);
  });

  test("does not make its user count as a remaining administrator until it is accepted", async () => {
    const own = await testApp();
    try {
      const only = await firstAdmin(own);
      await own.call(inviteUser, { body: { email: "later@example.com", role: "admin" }, as: only.token });
      const second = await own.call(inviteUser, {
        body: { email: "second@example.com", role: "admin" },
        as: only.token,
      });
      assert.equal(
        (await own.call(completePasswordReset, { body: { token: tokenIn(second.body.link!), password: PASSWORD } }))
          .status,
        200,
      );
      const other = await signIn(own, "second@example.com", PASSWORD);
      // Two administrators demote or disable each other concurrently: one of them must remain.
      const replies = await Promise.all([
        own.call(changeUserRole, { params: { id: only.id }, body: { role: "user" }, as: other }),
        own.call(setUserStatus, { params: { id: second.body.user.id }, body: { status: "disabled" }, as: only.token }),
      ]);
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      assert.ok(
        replies.some((reply) => codeOf(reply) === "user.last-admin" || [401, 403].includes(reply.status)),
        replies.map(({ text }) => text).join(),
      );
    } finally {
      await own.close();
    }
  });
});

describe("the list of users", () => {
  test("filters by role and status, with open invitations as a separate status", async () => {
    const { body } = await invite("zoe@example.com");
    const off = await aPerson(app);
    await app.call(setUserStatus, { params: { id: off.id }, body: { status: "disabled" }, as: admin.token });
    const found = async (query: NonNullable<Parameters<typeof app.call<typeof listUsers>>[1]>["query"]) =>
      (await app.call(listUsers, { query, as: admin.token })).body.data.map(({ id }) => id);
    assert.ok((await found({ status: "invited" })).includes(body.user.id));
    assert.ok(!(await found({ status: "active" })).includes(body.user.id));
    assert.deepEqual(await found({ status: "disabled" }), [off.id]);
    assert.ok((await found({ role: "admin" })).includes(admin.id));
    assert.ok(!(await found({ role: "admin", status: "active" })).includes(off.id));
  });
});

test("a user whose sign-in is slowed down by wrong passwords is shown as such, and an administrator can unlock them", async () => {
  const person = await aPerson(app);
  const otherUser = await aPerson(app);
  for (const from of ["198.51.100.1", "127.0.0.1"]) {
    for (let each = 0; each < 6; each++) await tryAs(person.email, "a wrong guess", from);
    assert.equal((await tryAs(person.email, person.password, from)).status, 429, from);
  }
  assert.ok((await shown(person.email)).slowed_down_until !== null);
  assert.equal((await shown(otherUser.email)).slowed_down_until, null);

  const reply = await app.call(unlockUser, { params: { id: person.id }, as: admin.token });
  assert.deepEqual([reply.status, reply.body.slowed_down_until], [200, null]);
  for (const from of ["198.51.100.1", "127.0.0.1"]) {
    assert.equal((await tryAs(person.email, person.password, from)).status, 200, from);
  }
  const manager = await aPerson(app, "manager");
  assert.equal((await app.call(unlockUser, { params: { id: person.id }, as: manager.token })).status, 403);
});
