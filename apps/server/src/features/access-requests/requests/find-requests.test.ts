// HTTP tests of the request list: visibility, tabs, counts, statistics, free-text requests and requestable accounts.
import {
  accessRequestStatistics,
  addSafeMember,
  createAccessRequest,
  findRequestable,
  listAccessRequests,
} from "@strongroom/contract";
import type { AccessRequest, RequestSort } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { aRequestableAccount, endAfter, requestsOf } from "../testing/requestable-account.ts";

let app: TestApp;
let admin: TestPerson;
let requests: ReturnType<typeof requestsOf>;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
  requests = requestsOf(app);
});
after(() => app.close());

const codeOf = (reply: { body: unknown }): string | undefined => (reply.body as { code?: string }).code;
const list = async (who: TestPerson, query: object = {}) => {
  const reply = await app.call(listAccessRequests, { query, as: who.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const ids = (found: { requests: readonly AccessRequest[] }) => found.requests.map(({ id }) => id);
const figures = async (who: TestPerson) => (await app.call(accessRequestStatistics, { as: who.token })).body;

describe("requestable accounts", () => {
  test("are the active accounts that the user can see, with the requirements of their platforms", async () => {
    const lending = await aRequestableAccount(app, {
      approvers: 2,
      approvals_level_1: 2,
      approvals_level_2: 1,
      reason_required: true,
      ticket_required: true,
      default_duration_minutes: 30,
      max_duration_minutes: 240,
    });
    const { account, asker } = lending;
    const find = async (who: TestPerson, query: object) =>
      (await app.call(findRequestable, { query, as: who.token })).body.resources;
    const [found] = await find(asker, { account_id: account.id });
    assert.deepEqual(found, {
      account_id: account.id,
      name: account.name,
      hostname_ip: account.hostname_ip,
      username: account.username,
      safe_name: lending.safe.name,
      system_type: account.system_type,
      connection_method: account.connection_method,
      approvals: [
        { level: 1, needed: 2, eligible: 4 },
        { level: 2, needed: 1, eligible: 4 },
      ],
      reason_required: true,
      ticket_required: true,
      default_duration_minutes: 30,
      max_duration_minutes: 240,
      may_break_glass: false,
    });
    assert.deepEqual(await find(asker, { search: account.name.toUpperCase() }), [found]);
    assert.deepEqual(await find(asker, { search: "%" }), []);
    assert.deepEqual(await find(await aPerson(app), { account_id: account.id }), []);
    const other = await aPerson(app);
    const body = { user_id: other.id, role: "user" as const };
    await app.call(addSafeMember, { params: { id: lending.safe.id }, body, as: lending.owner.token });
    assert.equal((await find(other, {})).length, 1);
    // A user who can see every safe gets the first accounts by name. Accounts that cannot be requested are never listed.
    const names = (await find(admin, {})).map(({ name }) => name);
    assert.ok(names.length > 0 && names.length <= 20, `${names.length}`);
    assert.deepEqual(
      names,
      names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    );
    assert.equal((await find(admin, { search: account.name })).length, 1);
    await app.database.pool.query("update accounts set status = 'disabled' where id = $1", [account.id]);
    for (const query of [{}, { search: account.name }]) assert.deepEqual(await find(other, query), []);
    assert.deepEqual(await find(admin, { search: account.name }), []);
  });
});

describe("the list of requests", () => {
  test("JIT-24 to JIT-26, OPEN-100: has pending, active and other requests, each with a count", async () => {
    const { asker, safe, owner, account, approvers } = await aRequestableAccount(app);
    const approver = approvers[0]!;
    const more = [];
    for (let number = 0; number < 6; number++) {
      more.push(await anAccount(app, owner, safe, { platform_id: account.platform_id }));
    }
    const all = [];
    for (const each of more) all.push((await requests.ask(asker, each, { durationMinutes: 30 })).body);
    const [pending, denied, active, soon, expired, revoked] = all as [
      AccessRequest,
      AccessRequest,
      AccessRequest,
      AccessRequest,
      AccessRequest,
      AccessRequest,
    ];
    await requests.deny(approver, denied);
    for (const each of [active, soon, expired, revoked]) await requests.approve(approver, each);
    const later = await requests.ask(asker, account, { starts_at: new Date(Date.now() + 3_600_000).toISOString() });
    await requests.approve(approver, later.body);
    await endAfter(app, soon, 60_000);
    await endAfter(app, expired, -1);
    await requests.revoke(asker, revoked);

    const tabs: Record<string, string[]> = {
      pending: [pending.id],
      active: [later.body.id, soon.id, active.id],
      history: [revoked.id, expired.id, denied.id],
    };
    for (const person of [asker, approver, admin]) {
      for (const [status, expected] of Object.entries(tabs)) {
        const found = await list(person, { status });
        assert.deepEqual(ids(found), expected, status);
        assert.deepEqual(found.counts, { pending: 1, active: 3, history: 3 });
      }
      assert.equal((await list(person, { status: "all" })).requests.length, 7);
    }
    const statuses = (await list(asker)).requests.map(({ status }) => status);
    assert.deepEqual(statuses, ["approved", "revoked", "expired", "expiring_soon", "active", "denied", "pending"]);
    // JIT-18, OPEN-20, OPEN-147.
    const expectedFigures = { total: 7, active: 2, expiring_soon: 1, expired: 1 };
    assert.deepEqual(await figures(asker), expectedFigures);
    assert.deepEqual(await figures(admin), expectedFigures);
    assert.deepEqual(await figures(await aPerson(app, "manager")), expectedFigures);
    assert.deepEqual(await figures(await aPerson(app)), { total: 0, active: 0, expiring_soon: 0, expired: 0 });
  });

  test("shows the user's own requests and those of safes where they approve or view the audit, whatever their role", async () => {
    const lending = await aRequestableAccount(app);
    const auditor = await aPerson(app);
    await aMember(app, lending.owner, lending.safe, auditor, "auditor");
    const user = await aPerson(app);
    await aMember(app, lending.owner, lending.safe, user, "user");
    const asked = (await requests.ask(lending.asker, lending.account)).body;
    for (const person of [lending.asker, lending.approvers[0]!, lending.owner, auditor]) {
      assert.deepEqual(ids(await list(person)), [asked.id]);
    }
    for (const person of [user, await aPerson(app, "manager"), await aPerson(app)]) {
      const found = await list(person);
      assert.deepEqual([found.requests, found.counts], [[], { pending: 0, active: 0, history: 0 }]);
      assert.equal((await requests.read(person, asked)).status, 404);
    }
    assert.ok(ids(await list(admin)).includes(asked.id));
  });

  test("is sorted by resource, requester, time or end of the access in both directions, over several pages", async () => {
    const people = [await aPerson(app), await aPerson(app)];
    const word = `sorted-${people[0]!.id.slice(-8)}`;
    for (const [index, name] of ["Zoe", "adam"].entries())
      await app.database.pool.query("update users set name = $1 where id = $2", [name, people[index]!.id]);
    for (const [index, resource] of ["b", "A", "c", "D"].entries()) {
      const { body } = await requests.ask(people[index % 2]!, null, { resource: `${resource} ${word}` });
      // Only the third one has an end; the others come before it.
      if (resource === "c")
        await app.database.pool.query("update access_requests set ends_at = now() + interval '1 hour' where id = $1", [
          body.id,
        ]);
    }
    const expected = { resource: "AbcD", requester: "ADbc", requested: "bAcD" };
    const sortedBy = async (sort: RequestSort) => {
      let found = "";
      let cursor: string | undefined;
      do {
        const page = await list(admin, { sort, limit: 3, search: word, cursor });
        found += page.requests.map(({ resource }) => resource[0]).join("");
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return found;
    };
    for (const field of ["resource", "requester", "requested"] as const) {
      assert.equal(await sortedBy(field), expected[field], field);
      assert.equal(await sortedBy(`-${field}`), [...expected[field]].toReversed().join(""), `-${field}`);
    }
    assert.equal((await sortedBy("period")).at(-1), "c");
    assert.equal((await sortedBy("-period")).at(0), "c");
    const unknown = await app.call(listAccessRequests, { query: { sort: "reason" as never }, as: admin.token });
    assert.equal(unknown.status, 400);
  });

  test("is paged, newest first, and can be searched by resource, requester, reason and ticket", async () => {
    const person = await aPerson(app);
    const made: AccessRequest[] = [];
    for (const [resource, cause] of [
      ["Router in Linz", "fire"],
      ["Switch in Graz", "water"],
      ["100% of everything", "wind"],
    ] as const) {
      const fields = { resource, ticket: `T-${made.length}`, reason: `Because of ${cause}` };
      made.push((await requests.ask(person, null, fields)).body);
    }
    const newest = made.toReversed().map(({ id }) => id);
    const first = await list(person, { limit: 2 });
    const rest = await list(person, { limit: 2, cursor: first.next_cursor! });
    assert.deepEqual([...ids(first), ...ids(rest)], newest);
    assert.equal(rest.next_cursor, null);
    assert.deepEqual(ids(await list(person, { search: "LINZ" })), [made[0]!.id]);
    assert.deepEqual(ids(await list(person, { search: "because of water" })), [made[1]!.id]);
    assert.deepEqual(ids(await list(person, { search: "T-2" })), [made[2]!.id]);
    assert.deepEqual(ids(await list(person, { search: "0%" })), [made[2]!.id]);
    assert.deepEqual(ids(await list(person, { search: person.email })), newest);
    const bad = await app.call(listAccessRequests, { query: { cursor: "nonsense" }, as: person.token });
    assert.equal(bad.status, 400);
    const unknown = await app.call(listAccessRequests, { query: { status: "nonsense" as never }, as: person.token });
    assert.equal(unknown.status, 400);
  });

  test("can be searched by email address only by the requester and by users who may list users", async () => {
    const { account, asker, approvers } = await aRequestableAccount(app);
    const { body: asked } = await requests.ask(asker, account);
    const found = async (viewer: TestPerson, search: string) => ids(await list(viewer, { search }));
    for (const viewer of [asker, admin]) assert.deepEqual(await found(viewer, asker.email), [asked.id]);
    const [approver] = approvers;
    assert.deepEqual(await found(approver!, asker.email.split("@")[0]!), [asked.id]);
    assert.deepEqual(await found(approver!, asker.email), []);
  });
});

describe("JIT-19: a free-text request", () => {
  test("is visible to its requester and administrators, and waits until one of them maps it to an account", async () => {
    const { account, owner, approvers } = await aRequestableAccount(app);
    const person = await aPerson(app);
    const asked = await requests.ask(person, null, { resource: "The billing server", system: "Linux in Graz" });
    assert.deepEqual(
      [asked.body.account_id, asked.body.resource, asked.body.system],
      [null, "The billing server", "Linux in Graz"],
    );
    assert.equal(asked.body.approval!.eligible, 1);
    for (const other of [owner, approvers[0]!]) assert.equal((await requests.read(other, asked.body)).status, 404);
    assert.deepEqual((await requests.read(admin, asked.body)).body.can, ["deny", "map"]);
    assert.equal(codeOf(await requests.approve(admin, asked.body)), "access-request.not-mapped");
    const own = await requests.map(person, asked.body, account);
    assert.deepEqual([own.status, codeOf(own)], [403, "access-request.not-approver"]);
    const mapped = await requests.map(admin, asked.body, account);
    assert.equal(mapped.status, 200, mapped.text);
    assert.deepEqual([mapped.body.account_id, mapped.body.resource], [account.id, account.name]);
    assert.equal(codeOf(await requests.map(admin, asked.body, account)), "access-request.mapped");
    const approved = await requests.approve(approvers[0]!, asked.body);
    assert.equal(approved.body.status, "active", approved.text);
    // The requester is not a member of the safe; an administrator gave them access.
    assert.equal((await requests.retrieve(person, account)).body.password, account.password);
    await requests.revoke(admin, asked.body);
    assert.equal((await requests.retrieve(person, account)).status, 404);
  });

  test("is limited to the platform's maximum duration and needs at least one approval, whatever the platform requires", async () => {
    const { account } = await aRequestableAccount(app, {
      approvals_level_1: 0,
      max_duration_minutes: 90,
      default_duration_minutes: 60,
    });
    const person = await aPerson(app);
    const asked = await requests.ask(person, null, { durationMinutes: 480 });
    const mapped = await requests.map(admin, asked.body, account);
    assert.deepEqual([mapped.body.status, mapped.body.duration_minutes], ["pending", 90]);
    assert.equal(mapped.body.approval!.needed, 1);
    const second = await requests.ask(person, null);
    assert.equal(codeOf(await requests.map(admin, second.body, account)), "access-request.already-open");
    assert.equal((await requests.map(admin, second.body, { id: person.id as never })).status, 404);
  });

  test("is mapped by a second administrator if an administrator made it, and can be denied without an account", async () => {
    const other = await aPerson(app, "admin");
    const { account } = await aRequestableAccount(app);
    const asked = (await requests.ask(other, null)).body;
    assert.equal(codeOf(await requests.map(other, asked, account)), "access-request.own");
    assert.equal(codeOf(await requests.deny(other, asked)), "access-request.own");
    assert.equal((await requests.deny(admin, asked)).body.status, "denied");
    const safe = await aSafe(app, admin, { status: "archived" });
    assert.equal(codeOf(await requests.map(admin, asked, { id: safe.id as never })), "access-request.wrong-state");
  });
});

describe("limits on free-text requests", () => {
  const ask = (who: TestPerson, resource: string, system?: string) => {
    const body = { resource, reason: "It is down", durationMinutes: 60, ...(system === undefined ? {} : { system }) };
    return app.call(createAccessRequest, { body, as: who.token });
  };

  test("a free-text request is refused as a duplicate while the same request is pending, whatever its case and spacing", async () => {
    const asker = await aPerson(app);
    assert.equal((await ask(asker, "The mail server", "Linux")).status, 201);
    const again = await ask(asker, " the  MAIL server", "linux ");
    assert.deepEqual([again.status, codeOf(again)], [409, "access-request.already-open"]);
    assert.equal((await ask(asker, "The mail server", "Windows")).status, 201);
    assert.equal((await ask(await aPerson(app), "The mail server", "Linux")).status, 201, "of another person");
  });

  test("a user with ten pending requests cannot create more until one is decided, not even with parallel calls", async () => {
    const asker = await aPerson(app);
    const replies = await Promise.all(Array.from({ length: 14 }, (_, index) => ask(asker, `Server ${index}`)));
    const made = replies.filter(({ status }) => status === 201);
    const refused = replies.filter(({ status }) => status !== 201);
    assert.equal(made.length, 10);
    for (const reply of refused) {
      assert.deepEqual([reply.status, codeOf(reply)], [429, "access-request.too-many"]);
      assert.equal(reply.headers["retry-after"], "3600");
    }
    assert.equal((await requests.deny(admin, made[0]!.body)).status, 200);
    assert.equal((await ask(asker, "One more server")).status, 201);
  });

  test("a user cannot create more than fifty requests within a day, whatever their outcome", async () => {
    const asker = await aPerson(app);
    await app.database.pool.query(
      `insert into access_requests (id, user_id, resource, reason, duration_minutes, risk_level, is_break_glass, state, created_at)
       select gen_random_uuid(), $1, 'Server ' || n, 'x', 60, 'medium', false, 'denied', now() - interval '1 hour'
       from generate_series(1, 50) n`,
      [asker.id],
    );
    const reply = await ask(asker, "Another server");
    assert.deepEqual([reply.status, codeOf(reply)], [429, "access-request.too-many"]);
    const seconds = Number(reply.headers["retry-after"]);
    assert.ok(seconds > 22 * 3600 && seconds <= 23 * 3600, `${seconds}`);
  });
});

test("the list can be limited to the caller's own requests, one requester or one account, within what the caller sees", async () => {
  const { account, asker, approvers, owner, safe } = await aRequestableAccount(app);
  const [approver] = approvers as [TestPerson];
  const other = await aPerson(app);
  await aMember(app, owner, safe, other, ["list"]);
  const second = await anAccount(app, owner, safe, { platform_id: account.platform_id });
  const made = async (who: TestPerson, on: Pick<typeof account, "id">) => (await requests.ask(who, on)).body;
  const [one, two, three] = [await made(asker, account), await made(other, account), await made(asker, second)];
  const [own] = [await made(approver, second)];
  assert.deepEqual(ids(await list(approver)), [own.id, three.id, two.id, one.id]);
  assert.deepEqual(ids(await list(approver, { mine: "true" })), [own.id]);
  assert.deepEqual(ids(await list(approver, { user_id: asker.id })), [three.id, one.id]);
  assert.deepEqual(ids(await list(approver, { account_id: account.id })), [two.id, one.id]);
  assert.deepEqual(ids(await list(approver, { user_id: asker.id, account_id: account.id })), [one.id]);
  assert.deepEqual(ids(await list(other, { user_id: asker.id })), [], "another user's requests stay hidden");
});
