// The user directory: permission to search it, and which email addresses leave the server.
import {
  createAccessRequest,
  createToken,
  findKnownPrincipals,
  findPrincipals,
  listAccessRequests,
  listSafeMembers,
  listSafes,
  readSafe,
} from "@strongroom/contract";
import type { Scope } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup, aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const search = (as: string, text: string) => app.call(findPrincipals, { query: { search: text }, as });
const lookUp = (as: string, text: string) => app.call(findKnownPrincipals, { query: { search: text }, as });
const nameOf = ({ email }: TestPerson) => email.split("@")[0]!;

async function tokenOf(person: TestPerson, scopes: Scope[], safe_ids?: never[]): Promise<string> {
  const body = { name: "A token", scopes, expires_in_days: 1, ...(safe_ids === undefined ? {} : { safe_ids }) };
  const made = await app.call(createToken, { body, as: person.token });
  assert.equal(made.status, 201, made.text);
  return made.body.token;
}

describe("searching the directory", () => {
  test("is refused to a user who created a safe, and allowed to managers and administrators", async () => {
    const [user, manager, wanted] = [await aPerson(app), await aPerson(app, "manager"), await aPerson(app)];
    await aSafe(app, user);
    assert.equal((await search(user.token, nameOf(wanted))).status, 403);
    for (const person of [manager, await firstAdmin(app)]) {
      const { body } = await search(person.token, nameOf(wanted));
      assert.deepEqual(
        body.principals.map(({ user_id, hint }) => [user_id, hint]),
        [[wanted.id, wanted.email]],
      );
    }
  });

  test("requires at least two letters", async () => {
    const manager = await aPerson(app, "manager");
    for (const text of ["", "a", " a "]) assert.equal((await search(manager.token, text)).status, 400);
  });

  test("requires the scope `directory.search` from an API token, and shows no address without the scope for users", async () => {
    const [manager, wanted] = [await aPerson(app, "manager"), await aPerson(app)];
    const safe = await aSafe(app, manager);
    assert.equal((await search(await tokenOf(manager, ["safe.manage", "safe.share"]), nameOf(wanted))).status, 403);
    const limited = await tokenOf(manager, ["directory.search", "safe.share"], [safe.id as never]);
    assert.equal((await search(limited, nameOf(wanted))).status, 403);
    assert.equal((await lookUp(limited, wanted.email)).status, 403);
    const allowed = await tokenOf(manager, ["directory.search"]);
    const found = await search(allowed, nameOf(wanted));
    assert.deepEqual(
      found.body.principals.map(({ user_id, hint }) => [user_id, hint]),
      [[wanted.id, null]],
    );
    assert.deepEqual((await search(allowed, "@example.com")).body.principals, []);
  });

  test("is rate-limited per user across all their API tokens", async () => {
    const busy = await testApp({ config: { rateLimit: 1000 } });
    try {
      const admin = await firstAdmin(busy);
      const statuses = [];
      for (let asked = 0; asked < 31; asked += 1) {
        const reply = await busy.call(findPrincipals, { query: { search: "nobody" }, as: admin.token });
        statuses.push(reply.status);
      }
      assert.deepEqual([statuses.indexOf(429), statuses.at(-1)], [30, 429]);
    } finally {
      await busy.close();
    }
  });
});

describe("looking up a known user", () => {
  test("finds a user by their full address, and the caller's own groups by name", async () => {
    const [user, wanted] = [await aPerson(app), await aPerson(app)];
    assert.equal(
      (await lookUp(user.token, wanted.email)).status,
      403,
      "a user who manages no members cannot look up users",
    );
    await aSafe(app, user);
    const [own, other] = [await aGroup(app, [user]), await aGroup(app, [wanted])];
    const found = await lookUp(user.token, wanted.email.toUpperCase());
    assert.deepEqual(
      found.body.principals.map(({ user_id, hint }) => [user_id, hint]),
      [[wanted.id, null]],
    );
    for (const part of [wanted.email.slice(0, -1), nameOf(wanted), "%", "@example.com", other.name]) {
      const { body } = await lookUp(user.token, part.padEnd(2, "%"));
      assert.deepEqual(
        body.principals.filter(({ user_id, group_id }) => user_id !== null || group_id === other.id),
        [],
        part,
      );
    }
    const groups = await lookUp(user.token, own.name);
    assert.ok(groups.body.principals.some(({ group_id }) => group_id === own.id));
  });
});

describe("INVARIANT: other users' addresses are shown only to users who may list users", () => {
  test("members of a safe see the other members with masked addresses, and their own in full", async () => {
    const [owner, member, manager] = [await aPerson(app), await aPerson(app), await aPerson(app, "manager")];
    const safe = await aSafe(app, owner);
    for (const person of [member, manager]) await aMember(app, owner, safe, person, "user");
    const emailsFor = async (as: string) => {
      const { body } = await app.call(listSafeMembers, { params: { id: safe.id }, as });
      return new Map(body.members.map(({ user_id, email }) => [user_id, email]));
    };
    const seen = await emailsFor(member.token);
    assert.equal(seen.get(member.id), member.email);
    assert.match(seen.get(owner.id)!, /^p….@example\.com$|^p…@example\.com$/);
    assert.equal((await emailsFor(manager.token)).get(owner.id), owner.email);
    const withoutUsers = await tokenOf(manager, ["safe.read"]);
    assert.notEqual((await emailsFor(withoutUsers)).get(owner.id), owner.email);
    const read = (as: string) => app.call(readSafe, { params: { id: safe.id }, as });
    assert.equal((await read(member.token)).body.owner_email.includes(nameOf(owner)), false);
    const bySearch = await app.call(listSafes, { query: { search: owner.email }, as: member.token });
    assert.deepEqual(bySearch.body.safes, [], "an address that is not shown is not searched either");
  });

  test("approvers see the requester, and no list returns another user's address", async () => {
    const [owner, approver, requester] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner, { access_level: "public" });
    await aMember(app, owner, safe, approver, "owner");
    const account = await anAccount(app, owner, safe);
    const body = { resource: account.name, account_id: account.id, reason: "To test" };
    assert.equal((await app.call(createAccessRequest, { body, as: requester.token })).status, 201);
    const { requests } = (await app.call(listAccessRequests, { as: approver.token })).body;
    assert.equal(requests[0]?.user_id, requester.id);
    assert.match(requests[0].user_email, /…@example\.com$/);
    const lists = endpoints.filter(({ name, endpoint }) => {
      return endpoint.method === "GET" && endpoint.needs !== "public" && name !== "streamEvents";
    });
    for (const { name, endpoint } of lists) {
      const ids = Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, key]) => [key, safe.id]));
      const reply = await app.call(endpoint, { params: ids, as: approver.token });
      for (const other of [owner, requester]) assert.ok(!reply.text.includes(other.email), `${name}: ${reply.text}`);
    }
  });
});
