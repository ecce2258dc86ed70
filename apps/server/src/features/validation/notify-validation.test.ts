// Tests the events and notifications of verifications: who receives them and what they contain.
import { LiveEvent, listNotifications, validateAccount, verifyCredential } from "@strongroom/contract";
import type { Account, ValidationUpdate } from "@strongroom/contract";
import { startHostile } from "@strongroom/connectors/testing";
import type { HostileServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { requestsOf } from "#features/access-requests/testing/requestable-account.ts";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aCredential, databaseAt } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";

let app: TestApp;
let target: HostileServer;
before(async () => {
  app = await testApp();
  target = await startHostile("closes");
});
after(async () => {
  await app.close();
  await target.stop();
});

const place = { ...databaseAt(0), system_type: "postgresql", connection_method: "SQL", hostname: "127.0.0.1" } as const;

async function aFailingAccount(owner: TestPerson, safe: { id: string }, name: string): Promise<Account> {
  const platform = await aPlatform(app, { approvals_level_1: 1, system_type: "postgresql", connection_method: "SQL" });
  const { type: _type, host: _host, ...fields } = place;
  return anAccount(app, owner, safe as never, { ...fields, name, port: target.port, platform_id: platform.id });
}

/** Waits until the automatic first verification has ended. */
const settled = (id: string) =>
  eventually(async () => {
    const { rows } = await app.database.pool.query(
      "select last_verification_attempt as at from credentials where id = $1",
      [id],
    );
    return rows[0].at === null ? null : true;
  });

/** Marks the secret as verified. */
const works = (id: string) =>
  app.database.pool.query(
    "update credentials set verification_status = 'verified', rejected_revision = null where id = $1",
    [id],
  );

const told = async (person: TestPerson) => (await app.call(listNotifications, { as: person.token })).body.notifications;

test("VAL-44 to VAL-46, VAL-65 to VAL-69, OPEN-137: only users who can see an account receive events about its validation", async () => {
  const [owner, reader, requester, outsider] = await Promise.all(Array.from({ length: 4 }, () => aPerson(app)));
  const people = { owner: owner!, reader: reader!, requester: requester!, outsider: outsider! };
  const safe = await aSafe(app, people.owner, { name: "Live" });
  const approver = await aPerson(app);
  await aMember(app, people.owner, safe, people.reader, ["list"]);
  await aMember(app, people.owner, safe, people.requester, ["list"]);
  await aMember(app, people.owner, safe, approver, "approver");
  const account = await aFailingAccount(people.owner, safe, "billing");
  await settled(account.id);
  const requests = requestsOf(app);
  const asked = await requests.ask(people.requester, account);
  await requests.approve(approver, asked.body);
  await works(account.id);

  const live = Object.fromEntries(
    await Promise.all(
      Object.entries(people).map(async ([name, person]) => [name, await liveEvents(app, person)] as const),
    ),
  );
  const params = { id: account.id };
  assert.equal((await app.call(validateAccount, { params, as: people.owner.token })).status, 200);
  const ofValidation = /^(validation_|critical_failure|jit_|statistics_)/;
  const heard = (name: string) => live[name]!.told().filter(({ type }) => ofValidation.test(type));
  const failing = ["critical_failure", "statistics_update", "validation_failed"];
  const lent = [...failing, "jit_verification_status"].toSorted();
  const expected = { reader: failing, owner: [...lent, "validation_started"].toSorted(), requester: lent };
  for (const [name, types] of Object.entries(expected)) {
    // Each user has a separate subscription, so one may receive the events later than another.
    await eventually(async () => (heard(name).length >= types.length ? true : null));
    assert.deepEqual(
      heard(name)
        .map(({ type }) => type)
        .toSorted(),
      types,
    );
  }
  assert.deepEqual(heard("outsider"), []);

  const news = (name: string, type: string) => heard(name).find((each) => each.type === type)?.data as ValidationUpdate;
  const failed = news("reader", "validation_failed");
  assert.deepEqual(
    [failed.account_id, failed.account_name, failed.status, failed.severity, failed.system_type, failed.asked_by],
    [account.id, "billing", "unreachable", "critical", "postgresql", people.owner.id],
  );
  assert.equal(failed.session_id, null, "a user who cannot see the grant is not notified");
  assert.equal(news("requester", "jit_verification_status").session_id, asked.body.id);
  assert.deepEqual(news("owner", "statistics_update").statistics, {
    verified: -1,
    failed: 1,
    rejected: 0,
    unreachable: 1,
    misconfigured: 0,
    pending: 0,
    never_validated: 0,
  });
  for (const { type, data } of [...heard("owner"), ...heard("requester")]) {
    LiveEvent.parse({ id: "1-1", timestamp: new Date().toISOString(), type, data });
  }
  for (const each of Object.values(live)) each.close();
});

test("a failure sends one notification to each user who can act on it or has a grant for the account", async () => {
  const [owner, reader, requester] = await Promise.all(Array.from({ length: 3 }, () => aPerson(app)));
  const people = { owner: owner!, reader: reader!, requester: requester! };
  const approver = await aPerson(app);
  const safe = await aSafe(app, people.owner, { name: "Told" });
  await aMember(app, people.owner, safe, people.reader, ["list"]);
  await aMember(app, people.owner, safe, people.requester, ["list"]);
  await aMember(app, people.owner, safe, approver, "approver");
  const [plain, lent] = [
    await aFailingAccount(people.owner, safe, "plain"),
    await aFailingAccount(people.owner, safe, "lent"),
  ];
  for (const { id } of [plain, lent]) await settled(id);
  const requests = requestsOf(app);
  await requests.approve(approver, (await requests.ask(people.requester, lent)).body);
  await works(lent.id);
  for (let time = 0; time < 2; time++) {
    for (const { id } of [plain, lent]) await app.call(validateAccount, { params: { id }, as: people.owner.token });
  }
  /** Leaves out notifications about the request and its approval. */
  const failureNotices = async (person: TestPerson) =>
    (await told(person)).filter(({ metadata }) => metadata["request_id"] === undefined);
  const [alert] = await eventually(async () => {
    const list = await failureNotices(people.requester);
    return list.length > 0 ? list : null;
  });
  assert.deepEqual([alert?.type, alert?.severity, alert?.link], ["jit_alert", "critical", `/accounts/${lent.id}`]);
  const ownerNotices = await eventually(async () => {
    const list = await failureNotices(people.owner);
    return list.some(({ type }) => type === "critical_failure") ? list : null;
  });
  assert.deepEqual(
    ownerNotices.map(({ type, title }) => [type, title]).toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    [
      ["critical_failure", 'Critical: validation failed for "lent"'],
      ["validation_failure", '2 validations failed in the safe "Told"'],
    ],
  );
  assert.deepEqual(await told(people.reader), []);
});

test("all events of a failing personal credential go only to its owner", async () => {
  const [owner, other] = [await aPerson(app), await aPerson(app)];
  const { id } = await aCredential(app, owner, { ...databaseAt(target.port), name: "Own" });
  const [own, others] = [await liveEvents(app, owner), await liveEvents(app, other)];
  await app.call(verifyCredential, { params: { id }, as: owner.token });
  const { data } = await own.next(({ type }) => type === "validation_failed");
  assert.equal(data["is_account"], false);
  assert.ok(others.told().every((each) => !JSON.stringify(each).includes(id)));
  await eventually(async () => ((await told(owner)).length > 0 ? true : null));
  assert.deepEqual(await told(other), []);
  own.close();
  others.close();
});
