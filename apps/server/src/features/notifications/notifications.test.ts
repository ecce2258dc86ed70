// HTTP tests of notifications: recipients, merging, and marking as read or deleting.
import {
  NotificationPreferences,
  clearNotifications,
  dismissNotification,
  listNotifications,
  readAllNotifications,
  readNotification,
  updateNotificationPreferences,
} from "@strongroom/contract";
import type { Notification } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import type { z } from "zod";
import { smtpSink } from "#features/mail/testing/smtp-sink.ts";
import type { SmtpSink } from "#features/mail/testing/smtp-sink.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";
import { takeNotices } from "./notices.store.ts";
import { notifyOf, settleOf } from "./notify.ts";
import type { Notice } from "./notify.ts";

let app: TestApp;
let smtp: SmtpSink;
before(async () => {
  smtp = await smtpSink();
  app = await testApp({ config: { smtpUrl: smtp.url } });
});
after(async () => {
  await app.close();
  await smtp.close();
});

const prefer = (person: TestPerson, preferences: z.input<typeof NotificationPreferences>) =>
  app.call(updateNotificationPreferences, { body: NotificationPreferences.parse(preferences), as: person.token });

const listed = async (person: TestPerson) => (await app.call(listNotifications, { as: person.token })).body;

/** Sends notices in a transaction, as features do. */
async function tell(people: readonly TestPerson[], notices: readonly Partial<Notice>[]): Promise<void> {
  await app.database.transaction(async (tx) => {
    for (const notice of notices) {
      await notifyOf(app.kernel)(tx, {
        to: { users: people.map(({ id }) => id) },
        type: "validation_failure",
        title: "web1 fails",
        message: "The password was refused.",
        severity: "high",
        actionRequired: true,
        metadata: {},
        ...notice,
      });
    }
  });
  await eventually(async () => ((await app.database.pool.query("select from notices")).rowCount === 0 ? true : null));
}

const failing = (name: string, safe = "Web"): Partial<Notice> => ({
  title: `${name} fails`,
  fold: { key: `safe:${safe}`, title: `{n} accounts of "${safe}" fail`, subject: { key: name, name } },
});

describe("NOTIF-05, NOTIF-07, NOTIF-08: a user's notifications", () => {
  test("can be seen, marked as read and deleted only by that user", async () => {
    const [person, other] = [await aPerson(app), await aPerson(app)];
    const live = await liveEvents(app, person);
    await tell([person], [{ metadata: { account_id: "x" }, link: "/accounts/x" }, { title: "web2 fails" }]);
    await live.next(({ type }) => type === "notification.changed");
    live.close();
    const { notifications, unread } = await listed(person);
    assert.deepEqual(
      [unread, ...notifications.map(({ title, read, actionRequired }) => [title, read, actionRequired])],
      [2, ["web2 fails", false, true], ["web1 fails", false, true]],
    );
    assert.deepEqual(await listed(other), { notifications: [], unread: 0 });

    const params = { id: (notifications[1] as Notification).id };
    for (const call of [readNotification, dismissNotification]) {
      assert.equal((await app.call(call, { params, as: other.token })).status, 404);
    }
    assert.equal((await app.call(readNotification, { params, as: person.token })).body.read, true);
    assert.equal((await listed(person)).unread, 1);
    await app.call(readAllNotifications, { as: person.token });
    assert.equal((await listed(person)).unread, 0);
    await app.call(dismissNotification, { params, as: person.token });
    assert.equal((await listed(person)).notifications.length, 1);
    await app.call(clearNotifications, { as: person.token });
    assert.equal((await listed(person)).notifications.length, 0);
  });

  test("are limited to the newest fifty (NOTIF-11)", async () => {
    const person = await aPerson(app);
    await tell(
      [person],
      Array.from({ length: 60 }, (_, number) => ({ title: `web${number} fails` })),
    );
    const { notifications, unread } = await listed(person);
    assert.equal(notifications.length, 50);
    assert.equal(unread, 50);
    assert.ok(notifications.some(({ title }) => title === "web59 fails"));
  });
});

describe("NOTIF-06, NOTIF-09, NOTIF-10, OPEN-141: the notifications that a user sees", () => {
  test("match the user's preferences, even if the preferences become stricter afterwards", async () => {
    const [usual, strict] = [await aPerson(app), await aPerson(app)];
    await prefer(strict, { minimumSeverity: "critical", enableJitAlerts: false, enableSuccessNotifications: true });
    await tell(
      [usual, strict],
      [
        { title: "low", severity: "low" },
        { title: "medium", severity: "medium" },
        { title: "critical", severity: "critical", type: "critical_failure" },
        { title: "lent", severity: "critical", type: "jit_alert" },
        { title: "works", severity: "low", type: "validation_success" },
        { title: "rotated", severity: "low", type: "rotation_completed" },
      ],
    );
    const titles = async (person: TestPerson) =>
      (await listed(person)).notifications.map(({ title }) => title).toSorted();
    assert.deepEqual(await titles(usual), ["critical", "lent", "medium", "rotated"]);
    assert.deepEqual(await titles(strict), ["critical", "rotated", "works"]);
    await prefer(usual, { minimumSeverity: "high", enableCriticalFailures: false });
    assert.deepEqual(await titles(usual), ["lent", "rotated"]);
  });
});

describe("verification failures in a large safe", () => {
  test("notify each member once, and later failures update that notification until it is read", async () => {
    const people = await Promise.all(Array.from({ length: 3 }, () => aPerson(app)));
    const [reader] = people as [TestPerson];
    const many = Array.from({ length: 40 }, (_, number) => failing(`web${number + 1}`));
    await tell(people, [...many, ...many.slice(0, 5)]);
    await tell(people, [failing("db1"), { ...failing("db1"), severity: "critical" }]);
    for (const person of people) {
      const [only, ...others] = (await listed(person)).notifications;
      assert.deepEqual(others, []);
      const { title, message, severity, metadata } = only as Notification;
      assert.deepEqual(
        [title, message, severity, metadata],
        ['41 accounts of "Web" fail', "web1, web2, web3 and 38 more", "critical", { count: 41 }],
      );
    }
    await app.call(readAllNotifications, { as: reader.token });
    await tell(people, [failing("db2")]);
    const after = (await listed(reader)).notifications.map(({ title }) => title);
    assert.deepEqual(after, ["db2 fails", '41 accounts of "Web" fail']);
  });

  test("a repeated notice replaces its unread notification", async () => {
    const person = await aPerson(app);
    for (const message of ["once", "twice"]) await tell([person], [{ message, dedupeKey: "rotation:1" }]);
    assert.deepEqual(
      (await listed(person)).notifications.map(({ message }) => message),
      ["twice"],
    );
  });
});

test("OPEN-142: a user who wants emails gets one per new notification, and other users get none", async () => {
  const [mailed, silent] = [await aPerson(app), await aPerson(app)];
  await prefer(mailed, { emailNotifications: true });
  const coming = smtp.next();
  const before = smtp.count;
  await tell([mailed, silent], [failing("web1", "Mailed")]);
  await tell([mailed, silent], [failing("web2", "Mailed")]);
  const mail = await coming;
  assert.deepEqual(mail.to, [mailed.email]);
  assert.match(mail.text, /2 accounts of "Mailed" fail\.[^]*web1, web2/);
  assert.match(mail.text, /\n\nOpen in Strongroom: http/);
  assert.match(mail.text, /because you turned on email notifications\. To turn them off: \S+\/settings#notifications/);
  assert.equal(smtp.count, before + 1);
});

test("notices of the same millisecond are delivered in the order in which they were written, regardless of the query plan", async () => {
  const person = await aPerson(app);
  const keys = Array.from({ length: 40 }, (_, number) => `same-moment:${number}`);
  const taken = await app.database.transaction(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    await sql`set local enable_hashjoin = off`.execute(tx);
    const kernel = {
      ...app.kernel,
      clock: { now: () => new Date(1_700_000_000_000) },
      events: { publish: async () => {} },
    };
    const { clock, events } = kernel as never as Parameters<typeof notifyOf>[0];
    const to = { users: [person.id] };
    for (const dedupeKey of keys) {
      await settleOf({ clock, events })(tx, { to, type: "jit_alert", dedupeKey, message: "Level 1 has approved." });
      const question = {
        type: "jit_alert",
        title: "asks",
        message: "",
        severity: "high",
        actionRequired: true,
      } as const;
      await notifyOf({ clock, events })(tx, { to, ...question, metadata: {}, dedupeKey });
    }
    return takeNotices(tx, 1000);
  });
  assert.deepEqual(
    taken.map(({ dedupe_key, settles }) => [dedupe_key, settles]),
    keys.flatMap((key) => [
      [key, true],
      [key, false],
    ]),
  );
});
