// Concurrency tests: many users on two processes with one database, and all times from the database's clock.
import { openDatabase } from "#kernel/db/database.ts";
import { openLog } from "#kernel/log.ts";
import { removeSafeMember } from "@strongroom/contract";
import type { AccessRequest } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { aRequestableAccount, endAfter, requestsOf, shiftTime } from "./testing/requestable-account.ts";
import type { RequestableSetup } from "./testing/requestable-account.ts";

let first: TestApp;
let second: TestApp;
before(async () => {
  first = await testApp();
  const database = openDatabase({ connection: first.database.connection, log: openLog("fatal"), poolSize: 10 });
  const { connection } = database;
  const own = { database, connection, drop: () => database.close() };
  second = await testApp({ database: own, dataFolder: first.dataFolder });
});
after(async () => {
  const { database } = await second.stopOnly();
  await database.drop();
  await first.close();
});
afterEach(() => shiftTime(first, "0 minutes"));

const rowsOf = async <R extends object>(text: string, values: unknown[] = []) =>
  (await first.database.pool.query<R>(text, values)).rows;

/**
 * Invariants that every request must satisfy after concurrent calls. Each query returns the requests that violate its invariant.
 */
const INVARIANTS: Record<string, string> = {
  "at most one round is open": `
    select request_id from access_request_rounds where state = 'pending' group by 1 having count(*) > 1`,
  "only what is pending or granted has an open round": `
    select id from access_requests join access_request_rounds round on request_id = id
    where round.state = 'pending' and (access_requests.state in ('denied', 'ended')
      or (access_requests.state = 'pending') <> (round.round = 0))`,
  "a grant lasts as long as the minutes that were approved": `
    select id from access_requests
    join lateral (select sum(minutes) filter (where state = 'approved') as minutes
                  from access_request_rounds where request_id = id) approved on true
    where starts_at is not null and ends_at - starts_at <> minutes * interval '1 minute'`,
  "every approved round has the approvals that it needed, of different people": `
    select id from access_requests join access_request_rounds round on request_id = id
    where round.state = 'approved' and exists (
      select from (values (1, level_1), (2, level_2)) need (level, needed)
      where needed > (select count(distinct made.user_id) from access_request_decisions made
        where made.request_id = id and made.round = round.round and made.level = need.level
          and made.decision = 'approved'))`,
  "nobody decided on their own": `
    select id from access_requests join access_request_decisions made on made.request_id = id
    where made.user_id = access_requests.user_id`,
  "nobody decided on a round after it was decided": `
    select made.request_id from access_request_decisions made join access_request_rounds round using (request_id, round)
    where made.decided_at > round.decided_at`,
  "a round has one denial at most, and then is denied or withdrawn": `
    select made.request_id from access_request_decisions made join access_request_rounds round using (request_id, round)
    where made.decision = 'denied' group by made.request_id, made.round, round.state
    having count(*) > 1 or round.state <> 'denied'`,
  "what has ended says when and how, and nothing else does": `
    select id from access_requests where (state = 'ended') <> (ended_at is not null and ended_how is not null)`,
};

async function requireConsistent(): Promise<void> {
  for (const [name, query] of Object.entries(INVARIANTS)) assert.deepEqual(await rowsOf(query), [], name);
}

const recorded = async (id: string) => {
  const rows = await rowsOf<{ event: string; count: number }>(
    `select event, count(*)::integer as count from audit_entries
     where target_id = $1 and result <> 'failure' group by event`,
    [id],
  );
  return Object.fromEntries(rows.map(({ event, count }) => [event.replace("access-request.", ""), count]));
};

const tally = (replies: readonly { status: number }[]) =>
  Object.fromEntries([...Map.groupBy(replies, ({ status }) => status)].map(([status, all]) => [status, all.length]));

describe("concurrent calls by many users on two processes", () => {
  let lending: RequestableSetup;
  before(async () => {
    lending = await aRequestableAccount(first, { approvers: 10, approvals_level_1: 3, approvals_level_2: 2 });
  });

  const on = (number: number) => requestsOf(number % 2 === 0 ? first : second);
  const anotherAccount = (fields: { platform_id?: RequestableSetup["account"]["platform_id"] } = {}) =>
    anAccount(first, lending.owner, lending.safe, { platform_id: lending.account.platform_id, ...fields });

  test("JIT-22: 50 parallel approvals of one request count exactly as often as required, once per user", async () => {
    const { asker, approvers } = lending;
    const asked = (await on(0).ask(asker, await anotherAccount())).body;
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, number) => on(number).approve(approvers[number % 10]!, asked)),
    );
    assert.deepEqual(tally(replies), { 200: 5, 409: 45 });
    assert.equal((await on(0).read(asker, asked)).body.status, "active");
    const decisions = await rowsOf<{ level: number; count: number }>(
      `select level, count(distinct user_id)::integer as count from access_request_decisions
       where request_id = $1 group by level order by level`,
      [asked.id],
    );
    assert.deepEqual(decisions, [
      { level: 1, count: 3 },
      { level: 2, count: 2 },
    ]);
    assert.deepEqual(await recorded(asked.id), { created: 1, approved: 5 });
    await requireConsistent();
  });

  test("JIT-22: parallel approvals and denials are decided either by the approvals or by one denial", async () => {
    const { asker, approvers } = lending;
    for (let round = 0; round < 4; round++) {
      const asked = (await on(round).ask(asker, await anotherAccount())).body;
      await Promise.all(
        approvers.map((person, number) =>
          number % 4 === round ? on(number).deny(person, asked) : on(number).approve(person, asked),
        ),
      );
      const { status } = (await on(round).read(asker, asked)).body;
      assert.ok(status === "active" || status === "denied", status);
      const { denied = 0 } = await recorded(asked.id);
      assert.equal(denied, status === "denied" ? 1 : 0);
    }
    await requireConsistent();
  });

  test("JIT-23: 50 parallel approvals, extensions and revocations of one grant leave one consistent state", async () => {
    const { asker, approvers } = lending;
    for (let round = 0; round < 3; round++) {
      const account = await anotherAccount();
      const asked = (await on(round).ask(asker, account, { durationMinutes: 30 })).body;
      for (const person of approvers.slice(0, 5)) await on(round).approve(person, asked);
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, number) => {
          if (number === 30 || number === 31) return on(number).revoke(approvers[number % 10]!, asked);
          if (number % 5 === 0) return on(number).extend(asker, asked, 30);
          return on(number).approve(approvers[number % 10]!, asked);
        }),
      );
      assert.ok(
        replies.every(({ status }) => [200, 403, 409].includes(status)),
        JSON.stringify(tally(replies)),
      );
      assert.equal(tally([replies[30]!, replies[31]!])[200], 1, "one of two ends it");
      assert.equal((await on(0).read(asker, asked)).body.status, "revoked");
      for (const app of [first, second]) {
        assert.equal((await requestsOf(app).retrieve(asker, account)).status, 403);
      }
      const { revoked, ended = 0 } = await recorded(asked.id);
      assert.deepEqual([revoked, ended], [1, 0]);
    }
    await requireConsistent();
  });

  test("JIT-20: one of 20 parallel extensions waits for approval; extensions without approval stay within the platform's maximum", async () => {
    const { asker, approvers } = lending;
    const asked = (await on(0).ask(asker, await anotherAccount())).body;
    for (const person of approvers.slice(0, 5)) await on(0).approve(person, asked);
    const extend = (request: Pick<AccessRequest, "id">, minutes: number, who = asker) =>
      Promise.all(Array.from({ length: 20 }, (_, number) => on(number).extend(who, request, minutes)));
    assert.deepEqual(tally(await extend(asked, 30)), { 200: 1, 409: 19 });
    const lax = await aRequestableAccount(first, { approve_extensions: false, max_duration_minutes: 120 });
    const lent = (await on(0).ask(lax.asker, lax.account)).body;
    await on(0).approve(lax.approvers[0]!, lent);
    const replies = tally(await extend(lent, 20, lax.asker));
    assert.equal(replies[200], 3, JSON.stringify(replies));
    await requireConsistent();
  });

  test("a grant that expires and is revoked at the same moment ends once", async () => {
    const { asker, approvers } = lending;
    for (let round = 0; round < 5; round++) {
      const asked = (await on(round).ask(asker, await anotherAccount())).body;
      for (const person of approvers.slice(0, 5)) await on(round).approve(person, asked);
      await endAfter(first, asked, 40 * round);
      for (let number = 0; number < 10; number += 2) {
        await Promise.all([0, 1].map((index) => on(index).revoke(approvers[number + index]!, asked)));
      }
      await eventually(async () => ((await on(0).read(asker, asked)).body.ended_at === null ? null : true));
      const { revoked = 0, ended = 0 } = await recorded(asked.id);
      assert.equal(revoked + ended, 1);
    }
    await requireConsistent();
  });

  test("a member who is removed while their request is being approved has no access afterwards", async () => {
    for (let round = 0; round < 5; round++) {
      const { owner, safe, account, approvers } = await aRequestableAccount(first);
      const person = await aPerson(first);
      const member = await aMember(first, owner, safe, person, ["list"]);
      const asked = (await on(round).ask(person, account)).body;
      const [removed] = await Promise.all([
        second.call(removeSafeMember, { params: { id: safe.id, member_id: member.id }, as: owner.token }),
        on(round).approve(approvers[0]!, asked),
      ]);
      assert.equal(removed.status, 200, removed.text);
      assert.equal((await on(round).read(approvers[0]!, asked)).body.status, "revoked");
      assert.equal((await on(round).retrieve(person, account)).status, 404);
    }
    await requireConsistent();
  });
});

describe("ending access on every process", () => {
  /** Creates a hundred active grants for one user who has no other access to the accounts. */
  async function aHundred(): Promise<{ person: TestPerson; made: AccessRequest[] }> {
    const { owner, safe, account, asker, approvers } = await aRequestableAccount(first);
    const requests = requestsOf(first);
    const lend = async () => {
      const lent = await anAccount(first, owner, safe, { platform_id: account.platform_id });
      const asked = await requests.ask(asker, lent);
      return (await requests.approve(approvers[0]!, asked.body)).body;
    };
    const made: AccessRequest[] = [];
    // Creates ten at a time, because creating them one by one takes too long on a slow machine.
    while (made.length < 100) made.push(...(await Promise.all(Array.from({ length: 10 }, lend))));
    assert.ok(made.every(({ status }) => status === "active"));
    return { person: asker, made };
  }

  test("a hundred grants that end one after another are refused by every process, and each end is published and recorded once", async () => {
    const { person, made } = await aHundred();
    const heard = [new Map<string, number>(), new Map<string, number>()];
    const subscriptions = await Promise.all(
      [first, second].map((app, index) =>
        app.kernel.events.subscribe({ filter: ({ data }) => data["change"] === "ended" }, ({ data }) => {
          const id = String(data["request_id"]);
          heard[index]!.set(id, (heard[index]!.get(id) ?? 0) + 1);
        }),
      ),
    );
    for (const [number, each] of made.entries()) await endAfter(first, each, 100 + number * 4);
    for (const each of heard) {
      await eventually(async () => (made.every(({ id }) => each.has(id)) ? true : null));
      assert.ok(made.every(({ id }) => each.get(id) === 1));
    }
    for (const { id, account_id } of made) {
      assert.deepEqual(await recorded(id), { created: 1, approved: 1, ended: 1 });
      for (const app of [first, second]) {
        assert.equal((await requestsOf(app).retrieve(person, { id: account_id! })).status, 403);
      }
    }
    for (const subscription of subscriptions) subscription.close();
    await requireConsistent();
  });
});

describe("when the database clock jumps", () => {
  let lending: RequestableSetup;
  let people: TestPerson[];
  before(async () => {
    lending = await aRequestableAccount(first);
    people = [];
    for (let number = 0; number < 3; number++) {
      const person = await aPerson(first);
      await aMember(first, lending.owner, lending.safe, person, ["list"]);
      people.push(person);
    }
  });

  async function granted(person: TestPerson, durationMinutes = 60): Promise<AccessRequest> {
    const requests = requestsOf(first);
    const asked = await requests.ask(person, lending.account, { durationMinutes });
    const { body } = await requests.approve(lending.approvers[0]!, asked.body);
    assert.equal(body.status, "active");
    return body;
  }
  const mayRetrieve = async (person: TestPerson) => {
    const statuses = await Promise.all(
      [first, second].map(async (app) => (await requestsOf(app).retrieve(person, lending.account)).status),
    );
    assert.equal(new Set(statuses).size, 1, "both processes say the same");
    return statuses[0] === 200;
  };
  const ended = (request: AccessRequest) =>
    eventually(async () => {
      const { body } = await requestsOf(second).read(await firstAdmin(first), request);
      return body.ended_at === null ? null : body;
    });

  test("a jump forward ends expired grants immediately on every process", async () => {
    const person = people[0]!;
    const request = await granted(person);
    await shiftTime(first, "59 minutes");
    assert.equal(await mayRetrieve(person), true);
    await shiftTime(first, "61 minutes");
    assert.equal(await mayRetrieve(person), false);
    assert.equal((await ended(request)).ended_because, "Access expired");
  });

  test("a jump back never reactivates a grant that has ended", async () => {
    const person = people[0]!;
    const request = await granted(person);
    await shiftTime(first, "61 minutes");
    await ended(request);
    for (const interval of ["0 minutes", "-30 minutes", "-10 days"]) {
      await shiftTime(first, interval);
      assert.equal(await mayRetrieve(person), false, interval);
      const { body } = await requestsOf(first).read(person, request);
      assert.deepEqual([body.status, body.time_remaining, body.can], ["expired", null, []]);
      const replies = [
        await requestsOf(first).extend(person, request),
        await requestsOf(first).revoke(person, request),
      ];
      for (const reply of replies) assert.equal(reply.status, 409);
    }
  });

  test("a jump back by ten minutes extends no grant by more than ten minutes, and ends no grant that started earlier", async () => {
    const person = people[1]!;
    const request = await granted(person, 60);
    await shiftTime(first, "30 minutes");
    assert.equal(await mayRetrieve(person), true);
    await shiftTime(first, "20 minutes");
    assert.equal(await mayRetrieve(person), true);
    const { body } = await requestsOf(first).read(person, request);
    assert.equal(body.expires_at, request.expires_at, "the end stays where it was");
    assert.ok(body.time_remaining! <= 40 * 60);
    await shiftTime(first, "61 minutes");
    assert.equal(await mayRetrieve(person), false);
    await ended(request);
  });

  test("a jump back to before a grant's start suspends the grant until its start", async () => {
    const person = people[2]!;
    const request = await granted(person);
    await shiftTime(first, "-5 minutes");
    assert.equal(await mayRetrieve(person), false);
    assert.equal((await requestsOf(first).read(person, request)).body.status, "approved");
    await shiftTime(first, "0 minutes");
    assert.equal(await mayRetrieve(person), true);
    await requestsOf(first).revoke(person, request);
    assert.equal(await mayRetrieve(person), false);
  });
});
