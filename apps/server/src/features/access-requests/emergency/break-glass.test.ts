// HTTP tests of emergency access: granted immediately, announced to all approvers, reviewed by another user.
import { breakGlass, setUserStatus } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { smtpSink } from "#features/mail/testing/smtp-sink.ts";
import type { SmtpSink } from "#features/mail/testing/smtp-sink.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { aRequestableAccount, entriesOf, requestsOf } from "../testing/requestable-account.ts";

let app: TestApp;
let admin: TestPerson;
let sink: SmtpSink;
let requests: ReturnType<typeof requestsOf>;
before(async () => {
  sink = await smtpSink();
  app = await testApp({ config: { smtpUrl: sink.url } });
  admin = await firstAdmin(app);
  requests = requestsOf(app);
});
after(async () => {
  await app.close();
  await sink.close();
});

const codeOf = (reply: { body: unknown }): string | undefined => (reply.body as { code?: string }).code;

describe("emergency access", () => {
  test("is granted immediately to members of permitted groups, for at most the platform's default duration", async () => {
    const lending = await aRequestableAccount(app, { approvals_level_1: 2, default_duration_minutes: 45 });
    const refused = await requests.open(lending.asker, lending.account);
    assert.deepEqual([refused.status, codeOf(refused)], [403, "access-request.no-break-glass"]);
    await aGroup(app, [lending.asker]);
    assert.equal((await requests.open(lending.asker, lending.account)).status, 403);
    await aGroup(app, [lending.asker], { may_break_glass: true });
    const asked = await requests.ask(lending.asker, lending.account);
    assert.equal(asked.body.status, "pending");
    const opened = await requests.open(lending.asker, lending.account, 600);
    assert.equal(opened.status, 201, opened.text);
    const { status, riskLevel, is_break_glass, needs_review, duration_minutes, decisions } = opened.body;
    assert.deepEqual(
      { status, riskLevel, is_break_glass, needs_review, duration_minutes, decisions },
      {
        status: "active",
        riskLevel: "critical",
        is_break_glass: true,
        needs_review: true,
        duration_minutes: 45,
        decisions: [],
      },
    );
    assert.equal((await requests.retrieve(lending.asker, lending.account)).body.password, lending.account.password);
    assert.equal(codeOf(await requests.open(lending.asker, lending.account)), "access-request.already-open");
    const [entry] = await entriesOf(app, opened.body.id);
    assert.deepEqual([entry?.event, entry?.result], ["access-request.broken-glass", "warning"]);
  });

  test("requires a written reason and an account that the user can see", async () => {
    const lending = await aRequestableAccount(app);
    const stranger = await aPerson(app);
    await aGroup(app, [stranger, lending.asker], { may_break_glass: true });
    assert.equal((await requests.open(stranger, lending.account)).status, 404);
    const body = { account_id: lending.account.id, reason: "urgent" };
    const short = await app.call(breakGlass, { body, as: lending.asker.token });
    assert.deepEqual([short.status, /Explain in a sentence/.test(short.text)], [400, true]);
  });

  test("notifies every approver and administrator immediately, live and by mail, but no other user", async () => {
    const lending = await aRequestableAccount(app, { approvers: 3 });
    const second = await aPerson(app, "admin");
    const [disabled, ...approvers] = lending.approvers as [TestPerson, TestPerson, TestPerson];
    const stranger = await aPerson(app, "manager");
    await app.call(setUserStatus, { params: { id: disabled.id }, body: { status: "disabled" }, as: admin.token });
    await aGroup(app, [lending.asker], { may_break_glass: true });
    const mails: { to: string[]; text: string }[] = [];
    const listen = (): void => void sink.next().then((mail) => (mails.push(mail), listen()));
    listen();
    const alarms: { audience: unknown; data: Record<string, unknown> }[] = [];
    const subscription = await app.kernel.events.subscribe(
      { filter: ({ data }) => data["change"] === "broken-glass" },
      (event) => void alarms.push(event),
    );
    const opened = await requests.open(lending.asker, lending.account);
    const alarm = await eventually(
      async () => alarms.find(({ data }) => data["request_id"] === opened.body.id) ?? null,
    );
    const { users, roles } = alarm.audience as { users: string[]; roles: string[] };
    assert.deepEqual(roles, ["admin"]);
    for (const person of [...approvers, lending.owner, lending.asker]) assert.ok(users.includes(person.id));
    for (const person of [disabled, stranger]) assert.ok(!users.includes(person.id));
    const told = [...approvers, lending.owner, admin, second].map(({ email }) => email);
    // Emails from earlier tests may still arrive.
    const own = () => mails.filter(({ text }) => text.includes(lending.account.name));
    await eventually(async () => (own().length >= told.length ? true : null));
    assert.deepEqual(
      own()
        .flatMap(({ to }) => to)
        .toSorted(),
      told.toSorted(),
    );
    for (const { to, text } of own()) {
      const seesAddress = [admin.email, second.email].includes(to[0]!);
      assert.equal(text.includes(lending.asker.email), seesAddress, text);
      assert.ok(seesAddress || text.includes("…@example.com"), text);
      assert.ok(text.includes("/jit-access"));
      assert.ok(!text.includes(opened.body.business_justification) && !text.includes(lending.account.password));
    }
    subscription.close();
  });

  test("is reviewed once, by an approver or an administrator, and never by the requester", async () => {
    const lending = await aRequestableAccount(app, { approvers: 2 });
    const [ada, ben] = lending.approvers as [TestPerson, TestPerson];
    await aGroup(app, [ada], { may_break_glass: true });
    const opened = (await requests.open(ada, lending.account)).body;
    assert.ok(!opened.can.includes("review"));
    const own = await requests.review(ada, opened);
    assert.deepEqual([own.status, codeOf(own)], [403, "access-request.own"]);
    assert.equal((await requests.revoke(ada, opened)).body.needs_review, true);
    assert.equal((await requests.review(lending.asker, opened)).status, 404);
    const replies = await Promise.all([ben, admin].map((person) => requests.review(person, opened, "not_justified")));
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    const { body } = replies.find(({ status }) => status === 200)!;
    assert.deepEqual([body.needs_review, body.review?.verdict], [false, "not_justified"]);
    const reviews = (await entriesOf(app, opened.id)).filter(({ event }) => event === "access-request.reviewed");
    assert.deepEqual(reviews.map(({ result }) => result).toSorted(), ["failure", "failure", "failure", "warning"]);
    const asked = (await requests.ask(lending.asker, lending.account)).body;
    assert.equal(codeOf(await requests.review(ben, asked)), "access-request.wrong-state");
  });

  test("is extended only with approval, whether or not the platform requires one for extensions", async () => {
    const lending = await aRequestableAccount(app, { approvals_level_1: 0, approve_extensions: false });
    await aGroup(app, [lending.asker], { may_break_glass: true });
    const opened = (await requests.open(lending.asker, lending.account)).body;
    const asked = await requests.extend(lending.asker, opened, 30);
    assert.deepEqual([asked.body.pending_extension_minutes, asked.body.approval?.needed], [30, 1]);
    assert.equal(asked.body.expires_at, opened.expires_at);
  });
});
