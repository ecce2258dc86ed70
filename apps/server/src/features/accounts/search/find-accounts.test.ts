// Tests listing accounts: every visible match and nothing else, in order, with each search strategy.
import { ACCOUNT_VALIDATION_STATUSES, AccountSort, listAccounts } from "@strongroom/contract";
import type { Account, AccountSortField, InputOf, Safe } from "@strongroom/contract";
import { sql } from "kysely";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { searchKeys } from "#features/secrets/index.ts";
import { orderOf } from "./account-order.ts";
import * as found from "./found-accounts.store.ts";
import type { Conditions } from "./found-accounts.store.ts";

let app: TestApp;
let owner: TestPerson;
let manager: TestPerson;
let member: TestPerson;
let grantee: TestPerson;
const safes: Safe[] = [];
const platforms: string[] = [];
let lent: string;

/** More accounts than the thousand that a search reads first. */
const COUNT = 1_600;

before(async () => {
  app = await testApp();
  owner = await aPerson(app);
  [manager, member, grantee] = [await aPerson(app, "manager"), await aPerson(app), await aPerson(app)];
  for (const name of ["Billing", "Payroll", "Website", "Archive"]) safes.push(await aSafe(app, owner, { name }));
  await aMember(app, owner, safes[0]!, manager, "manager");
  await aMember(app, owner, safes[1]!, manager, ["list"]);
  await aMember(app, owner, safes[3]!, member, "user");
  platforms.push((await aPlatform(app)).id, (await aPlatform(app, { rotate_every_days: 30 })).id);
  await fill();
  const { rows } = await app.database.pool.query("select id from credentials where name = 'web-0004'");
  lent = rows[0].id;
  await app.database.pool.query(
    `insert into access_requests (id, user_id, account_id, is_mapped, resource, reason, duration_minutes, state,
       starts_at, ends_at, created_at)
     values (gen_random_uuid(), $1, $2, true, 'web', 'r', 60, 'granted', now() - interval '1 minute',
       now() + interval '1 hour', now())`,
    [grantee.id, lent],
  );
});
after(() => app.close());

/** Inserts directly into the tables, without secrets, because lists never read them. */
async function fill(): Promise<void> {
  for (let at = 0; at < COUNT; at += 200) {
    const rows = Array.from({ length: 200 }, (_, index) => rowOf(at + index));
    await app.database.pool.query(
      `with given as (select * from jsonb_to_recordset($1::jsonb) as t (id uuid, safe_id uuid, name text, username text,
         host text, verification_status text, verify_after timestamptz, created_at timestamptz, search_text text,
         keys text, platform_id uuid, system_type text, status text, rotated_at timestamptz, wanted_at timestamptz,
         attempted_at timestamptz, tags text)),
       stored as (insert into credentials (id, safe_id, name, type, username, host, environment, ssl_enabled,
         additional_params, secret_version, verification_status, verify_after, last_verification_attempt, created_at,
         updated_at, search_text, search_keys)
         select id, safe_id, name, 'application', username, host, 'production', false, '{}', 1, verification_status,
           verify_after, attempted_at, created_at, created_at, search_text, keys::integer[] from given)
       insert into accounts (id, platform_id, system_type, connection_method, status, rotated_at, rotation_wanted_at,
         rotation_wanted_because, tags, created_by)
       select id, platform_id, system_type, 'HTTPS', status, rotated_at, wanted_at,
         case when wanted_at is not null then 'asked' end, tags::text[], $2 from given`,
      [JSON.stringify(rows), owner.id],
    );
  }
}

const DAY = 86_400_000;

function rowOf(number: number) {
  const name = `${number % 2 === 0 ? "web" : "db"}-${String(number).padStart(4, "0")}`;
  const safe = safes[number < 40 ? 3 : number % 3]!;
  const username = number === 1234 ? "Ünïque_%" : `svc${number % 11}`;
  const verification_status = (["pending", "verified", "rejected"] as const)[number % 3]!;
  const host = `host${number % 7}.example.com`;
  const folded = (text: string) => text.normalize("NFKC").toLowerCase();
  const search_text = [name, username, host].map(folded).join("\n");
  const findable = { user_id: null, search_text, type: "application" };
  return {
    ...findable,
    name,
    username,
    host,
    id: crypto.randomUUID(),
    safe_id: safe.id,
    verification_status,
    verify_after: number % 2 === 0 ? null : "2030-01-01T00:00:00Z",
    created_at: new Date(Date.UTC(2026, 0, 1) + Math.floor(number / 2) * 1000),
    keys: `{${searchKeys({ ...findable, environment: "production", verification_status }).join(",")}}`,
    platform_id: platforms[number % 50 === 0 ? 1 : 0],
    system_type: number === 77 ? "AWS" : "Application",
    status: number % 13 === 0 ? "disabled" : "active",
    rotated_at: new Date(Date.now() - (number % 100) * DAY),
    wanted_at: number === 5 ? new Date() : null,
    attempted_at: number % 4 === 0 ? null : new Date(Date.UTC(2026, 0, 2) + (number % 50) * 1000),
    tags: number % 60 === 0 ? "{pci,team blue}" : number % 7 === 0 ? "{legacy}" : "{}",
  };
}

type Query = NonNullable<InputOf<typeof listAccounts>["query"]>;

/** Fetches the list page by page and returns all of its accounts. */
async function listed(who: TestPerson, query: Query, limit = 500): Promise<Account[]> {
  const all: Account[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await app.call(listAccounts, { query: { ...query, limit, cursor }, as: who.token });
    assert.equal(page.status, 200, page.text);
    all.push(...page.body.data);
    if (page.body.next_cursor === null) return all;
    assert.equal(page.body.data.length, limit);
    cursor = page.body.next_cursor;
  }
}

const everything = new Map<string, Promise<Account[]>>();

function everythingOf(who: TestPerson): Promise<Account[]> {
  const known = everything.get(who.id) ?? listed(who, {});
  everything.set(who.id, known);
  return known;
}

/** The filter as a predicate on accounts, written independently of the SQL. */
function isMeant(query: Query): (account: Account) => boolean {
  const text = (query.search ?? "").toLowerCase();
  return (account) =>
    [account.name, account.username, account.hostname_ip, account.safe_name].some((each) =>
      each.toLowerCase().includes(text),
    ) &&
    (query.safe_id === undefined || account.safe_id === query.safe_id) &&
    (query.platform_id === undefined || account.platform_id === query.platform_id) &&
    (query.system_type === undefined || account.system_type === query.system_type) &&
    (query.validation_status === undefined || account.last_validation_status === query.validation_status) &&
    (query.host === undefined || account.hostname_ip === query.host.toLowerCase()) &&
    (query.tag === undefined || account.tags.includes(query.tag)) &&
    (query.secret_age === undefined ||
      Date.parse(account.last_rotated_at) <= Date.now() - Number(query.secret_age) * DAY) &&
    (query.status !== "active" || account.status === "active") &&
    (query.status !== "rotation_due" || ["due_soon", "overdue"].includes(account.rotation_status));
}

const order = (a: Account, b: Account) =>
  a.created_at === b.created_at ? (a.id < b.id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1;

test("users see the accounts of their safes and those with a grant, newest first", async () => {
  const admin = await firstAdmin(app);
  const counts = new Map<string, number>();
  for (const [name, who] of Object.entries({ admin, owner, manager, member, grantee })) {
    const all = await listed(who, {});
    assert.deepEqual(all, all.toSorted(order), name);
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
    counts.set(name, all.length);
    const allowed = { manager: [0, 1], member: [3] }[name]?.map((index) => safes[index]!.id);
    if (allowed !== undefined)
      assert.ok(
        all.every(({ safe_id }) => allowed.includes(safe_id)),
        name,
      );
  }
  const inSafe = (index: number) =>
    Array.from({ length: COUNT }, (_, number) => number).filter((number) => (number < 40 ? 3 : number % 3) === index)
      .length;
  assert.deepEqual(Object.fromEntries(counts), {
    admin: COUNT,
    owner: COUNT,
    manager: inSafe(0) + inSafe(1),
    member: 40,
    grantee: 1,
  });
  const [only] = await listed(grantee, {});
  assert.equal(only?.id, lent);
  assert.deepEqual(only?.my_permissions, ["list", "use", "retrieve"]);
});

describe("ACC-07: a filtered list contains every match and no other account", () => {
  const queries: (() => Query)[] = [
    () => ({ search: "web" }),
    () => ({ search: "WEB-0004" }),
    () => ({ search: "b-12" }),
    () => ({ search: "svc7" }),
    () => ({ search: "host3.example" }),
    () => ({ search: "payr" }),
    () => ({ search: "ünïque_%" }),
    () => ({ search: "%" }),
    () => ({ search: "_" }),
    () => ({ search: "0" }),
    () => ({ search: "no such thing" }),
    () => ({ status: "active" }),
    () => ({ status: "rotation_due" }),
    () => ({ status: "rotation_due", search: "billing" }),
    () => ({ system_type: "AWS" }),
    () => ({ platform_id: platforms[1]! }),
    () => ({ safe_id: safes[2]!.id }),
    () => ({ safe_id: safes[3]!.id, search: "web-000" }),
    ...ACCOUNT_VALIDATION_STATUSES.map((validation_status) => () => ({ validation_status })),
    () => ({ validation_status: "valid", search: "db-1", status: "active" }),
    () => ({ tag: "pci" }),
    () => ({ tag: "legacy", search: "db" }),
    () => ({ tag: "no such tag" }),
    () => ({ host: "HOST3.example.com" }),
    () => ({ host: "host3" }),
    () => ({ secret_age: 90 }),
    () => ({ secret_age: 90, tag: "legacy", status: "active" }),
  ];
  for (const [index, queryOf] of queries.entries()) {
    test(`query ${index + 1} returns exactly the expected accounts`, async () => {
      const query = queryOf();
      for (const who of [await firstAdmin(app), manager, member, grantee]) {
        const expected = (await everythingOf(who)).filter(isMeant(query));
        const ids = (accounts: Account[]) => accounts.map(({ id }) => id);
        assert.deepEqual(ids(await listed(who, query)), ids(expected), JSON.stringify(query));
        if (expected.length < 200)
          assert.deepEqual(ids(await listed(who, query, 37)), ids(expected), JSON.stringify(query));
      }
    });
  }
});

const KEYS: Record<AccountSortField, (account: Account) => string> = {
  name: ({ name }) => name.toLowerCase(),
  username: ({ username }) => username.normalize("NFKC").toLowerCase(),
  hostname_ip: ({ hostname_ip }) => hostname_ip,
  last_validated_at: ({ last_validated_at }) => last_validated_at ?? "",
  last_rotated_at: ({ last_rotated_at }) => last_rotated_at,
  created_at: ({ created_at }) => created_at,
};

describe("a list in another order has the same accounts, and its pages neither repeat nor omit one", () => {
  for (const sort of AccountSort.options) {
    test(`sorted by ${sort}`, async () => {
      const field = sort.replace("-", "") as AccountSortField;
      const direction = sort.startsWith("-") ? -1 : 1;
      const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -direction : direction);
      const sorted = (accounts: Account[]) =>
        accounts.toSorted((a, b) => compare(KEYS[field](a), KEYS[field](b)) || compare(a.id, b.id));
      const ids = (accounts: Account[]) => accounts.map(({ id }) => id);
      const queries: Query[] = [{}, { search: "web-00" }, { tag: "legacy" }, { safe_id: safes[1]!.id }];
      for (const who of [await firstAdmin(app), manager, grantee]) {
        for (const query of queries) {
          const expected = sorted((await everythingOf(who)).filter(isMeant(query)));
          const actual = await listed(who, { ...query, sort }, expected.length < 200 ? 37 : 500);
          assert.deepEqual(ids(actual), ids(expected), JSON.stringify(query));
        }
      }
    });
  }
});

test("a cursor of another order is rejected", async () => {
  const first = await app.call(listAccounts, { query: { sort: "name", limit: 1 }, as: owner.token });
  const cursor = first.body.next_cursor ?? "";
  for (const sort of [undefined, "created_at", "-last_rotated_at"] as const)
    assert.equal((await app.call(listAccounts, { query: { sort, cursor }, as: owner.token })).status, 400);
  const unknown = await app.call(listAccounts, { query: { sort: "password" as "name" }, as: owner.token });
  assert.equal(unknown.status, 400);
});

test("all search strategies return the same page", async () => {
  const none: Conditions = {
    safeId: null,
    text: null,
    platformId: null,
    systemType: null,
    verification: null,
    status: null,
    tag: null,
    host: null,
    secretAge: null,
  };
  const { db } = app.database;
  const noGrants = () => sql`(select null::uuid as account_id where false)`;
  const conditions: Partial<Conditions>[] = [
    { text: "web-00" },
    { status: "rotation_due" },
    { platformId: platforms[1]! },
    { tag: "pci" },
    { host: "host3.example.com" },
  ];
  const orders = [orderOf(), orderOf("name"), orderOf("-last_rotated_at")];
  for (const condition of conditions) {
    for (const actor of [
      { id: manager.id, role: "manager" as const },
      { id: (await firstAdmin(app)).id, role: "admin" as const },
    ]) {
      const order = orders[conditions.indexOf(condition) % orders.length]!;
      const conditioned = { ...none, ...condition };
      const query = { actor, grantsInForce: noGrants, conditions: conditioned, order, limit: 20, after: null };
      const walked = await found.walk(db, query, null);
      assert.ok(walked.length > 0);
      const scanned = await found.scanVisible(db, query, 5_000, true);
      assert.deepEqual(
        scanned?.map(({ id }) => id),
        walked.map(({ id }) => id),
      );
      assert.equal(await found.scanVisible(db, query, 50, true), null);
      for (const candidates of [
        sql`select id from credentials`,
        ...(condition.status === undefined ? [] : [found.byRotation()]),
        ...(condition.platformId === undefined ? [] : [found.byPlatform(platforms[1]!)]),
        ...(condition.host === undefined ? [] : [found.byHost("host3.example.com")]),
        ...(condition.tag === undefined ? [] : [found.byTag("pci")]),
      ])
        assert.deepEqual(await found.lookUp(db, query, candidates), walked);
      assert.deepEqual(await found.lookUpFew(db, query, sql`select id from credentials`, 5_000), walked);
      assert.equal(await found.lookUpFew(db, query, sql`select id from credentials`, 50), null);
    }
  }
});

test("an invalid cursor is rejected", async () => {
  const reply = await app.call(listAccounts, { query: { cursor: "nonsense" }, as: owner.token });
  assert.equal(reply.status, 400);
});

test("a search finds the accounts of a renamed safe by its new name", async () => {
  const person = await aPerson(app);
  const safe = await aSafe(app, person, { name: "Before" });
  const account = await anAccount(app, person, safe);
  await app.database.pool.query("update safes set name = 'Ａfterwards' where id = $1", [safe.id]);
  const ids = async (search: string) => (await listed(person, { search })).map(({ id }) => id);
  assert.deepEqual(await ids("afterw"), [account.id]);
  assert.deepEqual(await ids("before"), []);
});
