// HTTP tests of access request notifications, for approvers and requesters.
import { listNotifications } from "@strongroom/contract";
import type { Notification } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { aRequestableAccount, requestsOf } from "./testing/requestable-account.ts";

let app: TestApp;
let requests: ReturnType<typeof requestsOf>;
before(async () => {
  app = await testApp();
  requests = requestsOf(app);
  await firstAdmin(app);
});
after(() => app.close());

/** The user's notifications, newest first, once all are delivered. */
async function noticesTo(person: TestPerson): Promise<Notification[]> {
  await eventually(async () => ((await app.database.pool.query("select from notices")).rowCount === 0 ? true : null));
  return (await app.call(listNotifications, { as: person.token })).body.notifications;
}

const said = (told: readonly Notification[]) =>
  told.map(({ title, message, actionRequired, read }) => [title, message, actionRequired, read]);

describe("notifications of access requests", () => {
  test("each approver is asked once, and the question is resolved when another approver decides", async () => {
    const { account, asker, approvers } = await aRequestableAccount(app, { approvers: 2 });
    const [first, second] = approvers as [TestPerson, TestPerson];
    const asked = (await requests.ask(asker, account, { reason: "The secret reason", durationMinutes: 30 })).body;
    const told = await noticesTo(second);
    const question = [
      `${asked.username} requests access to ${account.name}`,
      "For 30 minutes. Level 1: 0 of 1 approval.",
      true,
      false,
    ];
    assert.deepEqual(said(told), [question]);
    const [{ type, severity, link, metadata }] = told as [Notification];
    assert.deepEqual(
      { type, severity, link, metadata },
      {
        type: "jit_alert",
        severity: "high",
        link: `/jit-access/${asked.id}`,
        metadata: { request_id: asked.id, account_id: account.id, account_name: account.name },
      },
    );
    assert.deepEqual(said(await noticesTo(asker)), []);
    assert.ok(!JSON.stringify(told).includes("secret reason"));

    await requests.approve(first, asked);
    const by = (await requests.read(asker, asked)).body.approved_by;
    for (const person of [first, second]) {
      assert.deepEqual(said(await noticesTo(person)), [[question[0], `Approved by ${by}.`, false, true]]);
    }
    assert.deepEqual(said(await noticesTo(asker)), [
      [`Access granted to ${account.name}`, `Decided by ${by}.`, false, false],
    ]);
  });

  test("stay open after the first of two required approvals, and the second level is then asked", async () => {
    const { account, asker, approvers } = await aRequestableAccount(app, {
      approvers: 3,
      approvals_level_1: 2,
      approvals_level_2: 1,
    });
    const [first, second, third] = approvers as [TestPerson, TestPerson, TestPerson];
    const asked = (await requests.ask(asker, account)).body;
    await requests.approve(first, asked);
    assert.deepEqual(
      (await noticesTo(first)).map(({ actionRequired }) => actionRequired),
      [false],
    );
    assert.deepEqual(
      (await noticesTo(third)).map(({ actionRequired }) => actionRequired),
      [true],
    );
    await requests.approve(second, asked);
    const admin = await firstAdmin(app);
    const open = (await noticesTo(admin)).filter(({ metadata }) => metadata["request_id"] === asked.id);
    assert.deepEqual(
      open.map(({ message, actionRequired }) => [message.includes("Level 2: 0 of 1"), actionRequired]),
      [
        [true, true],
        [false, false],
      ],
    );
    await requests.deny(admin, asked);
    assert.ok((await noticesTo(admin)).every(({ actionRequired }) => !actionRequired));
    assert.match((await noticesTo(asker))[0]!.title, /^Access denied to /);
  });

  test("show that a request was withdrawn or still has to be mapped to an account", async () => {
    const { account, asker, approvers } = await aRequestableAccount(app);
    const asked = (await requests.ask(asker, account)).body;
    await requests.revoke(asker, asked);
    assert.deepEqual(
      (await noticesTo(approvers[0]!)).map(({ actionRequired }) => actionRequired),
      [false],
    );
    const free = (await requests.ask(asker, null, { resource: "The old mainframe" })).body;
    const [question] = await noticesTo(await firstAdmin(app));
    assert.deepEqual([question?.metadata["request_id"], question?.actionRequired], [free.id, true]);
    assert.match(question!.message, /Choose the account first/);
  });

  test("inform the requester when another user ends their access", async () => {
    const { account, asker, approvers } = await aRequestableAccount(app);
    const asked = (await requests.ask(asker, account)).body;
    await requests.approve(approvers[0]!, asked);
    await requests.revoke(approvers[0]!, asked);
    assert.deepEqual(
      (await noticesTo(asker)).map(({ title }) => title),
      [`Access ended for ${account.name}`],
    );
  });

  test("keep emergency access open in the list until it is reviewed", async () => {
    const { account, asker, approvers } = await aRequestableAccount(app);
    await aGroup(app, [asker], { may_break_glass: true });
    const opened = (await requests.open(asker, account)).body;
    const [alarm] = await noticesTo(approvers[0]!);
    assert.deepEqual([alarm?.severity, alarm?.actionRequired], ["critical", true]);
    await requests.review(approvers[0]!, opened);
    assert.deepEqual(
      (await noticesTo(approvers[0]!)).map(({ actionRequired }) => actionRequired),
      [false],
    );
    assert.deepEqual(await noticesTo(await aPerson(app)), []);
  });
});
