// Who has what, and what would change: in random worlds this feature's answers are those that the calls really give.
import {
  SAFE_PERMISSIONS,
  addGroupMember,
  addSafeMember,
  listAccessPeople,
  listAccessSafes,
  listAccounts,
  listPersonAccounts,
  listPersonSafes,
  listSafes,
  previewAccessChange,
  readAccessPerson,
  removeGroupMember,
  removeSafeMember,
} from "@strongroom/contract";
import type {
  AccessChange,
  AccessPreview,
  InputOf,
  Platform,
  Role,
  SafePermission,
  UserId,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup, aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { platformsOf, settleAccounts } from "#testing/world-accounts.ts";
import { aWorld, chanceOf, expected, seedOfRun } from "#testing/worlds.ts";
import type { Chance, Inhabitant, World, WorldSafe } from "#testing/worlds.ts";

const WORLDS = 2;
const ROLES: Role[] = ["user", "user", "manager", "admin"];

let app: TestApp;
let admin: TestPerson;
let platforms: Platform[];
const people: Inhabitant[] = [];
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
  for (const role of ROLES) people.push({ ...(await aPerson(app, role)), role });
  platforms = await platformsOf(app);
});
after(() => app.close());

const count = async (text: string): Promise<number> =>
  Number((await app.database.pool.query<{ count: string }>(text)).rows[0]!.count);
const everything = async (): Promise<unknown> =>
  (
    await app.database.pool.query(`
      select md5(string_agg(line, '|' order by line)) as digest from (
        select t::text as line from safe_members t union all select t::text from group_members t
        union all select t::text from groups t union all select t::text from platforms t
        union all select t::text from access_requests t union all select t::text from account_check_outs t
        union all select t::text from accounts t union all select id::text || role || status from users
        union all select id::text from sign_in_sessions union all select id::text from notices
        union all select id::text from events
      ) lines`)
  ).rows[0];

/** What the person's own lists say, in the safes that `looksInto`. */
async function ownView(person: Inhabitant, looksInto: (safeId: string) => boolean) {
  const listed = (await app.call(listAccounts, { query: { limit: 500 }, as: person.token })).body.data;
  const accounts = listed.filter(({ safe_id }) => looksInto(safe_id));
  const safes = (await app.call(listSafes, { query: { limit: 500 }, as: person.token })).body.safes;
  const may = (permission: SafePermission) => accounts.filter((each) => each.my_permissions.includes(permission));
  return {
    accounts,
    safes: safes.filter(({ id }) => looksInto(id)),
    figures: {
      accounts_usable: may("use").length,
      accounts_retrievable: may("retrieve").length,
      grants: accounts.filter(({ my_grant }) => my_grant !== null).length,
    },
  };
}

const looksOf = (world: World, viewer: Inhabitant) => (safeId: string) => {
  const safe = world.safes.find(({ id }) => id === safeId);
  const may = safe === undefined ? [] : expected(world, safe, viewer);
  return may.includes("manage_members") || may.includes("view_audit");
};

async function agrees(world: World, viewer: Inhabitant): Promise<void> {
  const as = viewer.token;
  const looksInto = looksOf(world, viewer);
  const reply = await app.call(listAccessPeople, { query: { limit: 100 }, as });
  assert.equal(reply.status, viewer.role === "user" ? 403 : 200, reply.text);
  if (reply.status === 403) return;
  for (const person of people) {
    const own = await ownView(person, looksInto);
    const row = reply.body.people.find(({ user_id }) => user_id === person.id);
    const [safes, params] = [own.safes.length, { id: person.id }];
    if (row === undefined) {
      assert.deepEqual([viewer.role, own.figures.grants], ["manager", 0]);
      assert.equal((await app.call(readAccessPerson, { params, as })).status, 404);
      continue;
    }
    const { accounts_usable, accounts_retrievable, grants } = row;
    assert.deepEqual({ accounts_usable, accounts_retrievable, grants }, own.figures);
    assert.equal(row.safes, safes);
    const listed = (await app.call(listPersonSafes, { params, query: { limit: 100 }, as })).body.safes;
    const seen = listed.filter(({ permissions }) => permissions.length > 0);
    const inOrder = <T extends string>(pairs: (readonly [T, unknown])[]) =>
      pairs.toSorted(([a], [b]) => (a < b ? -1 : 1));
    assert.deepEqual(
      inOrder(seen.map(({ safe_id, permissions }) => [safe_id, permissions])),
      inOrder(own.safes.map(({ id, my_permissions }) => [id, my_permissions])),
    );
    for (const safe of listed) {
      const inSafe = own.accounts.filter(({ safe_id }) => safe_id === safe.safe_id);
      assert.equal(safe.accounts, inSafe.length);
      const union = new Set(safe.paths.flatMap(({ permissions }) => permissions));
      assert.deepEqual(
        SAFE_PERMISSIONS.filter((each) => union.has(each)),
        safe.permissions,
        "what the paths add up to",
      );
      const query = { safe_id: safe.safe_id };
      const inAnswer = (await app.call(listPersonAccounts, { params, query, as })).body.accounts;
      assert.deepEqual(
        inAnswer.map((each) => [each.account_id, each.permissions, each.needs_approval]),
        inSafe.map((each) => [each.id, each.my_permissions, each.needs_approval]),
      );
    }
  }
}

/** Ends what background work would end or announce, so that nothing but the preview could change anything. */
async function settleLoans(): Promise<void> {
  const shown = new Set<string>();
  for (const person of people) {
    const { accounts } = await ownView(person, () => true);
    for (const { my_grant } of accounts) if (my_grant !== null) shown.add(my_grant.request_id);
  }
  await app.database.pool.query(
    `update access_requests set is_start_announced = true, state = case when id = any($1::uuid[]) then state else 'ended' end,
       ended_at = case when id = any($1::uuid[]) then ended_at else now() end where state = 'granted'`,
    [[...shown]],
  );
}

/** Counts, for each person and permission, what a change took and gave on accounts: by their own lists. */
async function permissionsByPerson() {
  const found = new Map<UserId, Map<string, string[]>>();
  for (const person of people) {
    const { accounts } = await ownView(person, () => true);
    found.set(person.id, new Map(accounts.map((each) => [each.id, each.my_permissions])));
  }
  return found;
}

type Views = Awaited<ReturnType<typeof permissionsByPerson>>;

function realDifference(was: Views, is: Views) {
  const lines: string[] = [];
  for (const { id } of people) {
    const accounts = new Set([...was.get(id)!.keys(), ...is.get(id)!.keys()]);
    for (const permission of SAFE_PERMISSIONS) {
      const has = (view: Views, account: string) => view.get(id)!.get(account)?.includes(permission) === true;
      const gained = [...accounts].filter((each) => !has(was, each) && has(is, each)).length;
      const lost = [...accounts].filter((each) => has(was, each) && !has(is, each)).length;
      if (gained + lost > 0) lines.push(`${id} ${permission} +${gained} -${lost}`);
    }
  }
  return lines.toSorted();
}

const foretold = ({ people: told }: AccessPreview): string[] =>
  told
    .filter(({ user_id }) => people.some(({ id }) => id === user_id))
    .flatMap(({ user_id, changes }) =>
      changes
        .filter((each) => each.accounts_gained + each.accounts_lost > 0)
        .map((each) => `${user_id} ${each.permission} +${each.accounts_gained} -${each.accounts_lost}`),
    )
    .toSorted();

/** A change that can be made, and the call that makes it. */
function aChange(
  chance: Chance,
  world: World,
): {
  change: InputOf<typeof previewAccessChange>["body"];
  make: () => Promise<{ status: number; text: string }>;
} | null {
  const as = admin.token;
  const safe: WorldSafe = chance.oneOf(world.safes);
  const person = chance.oneOf(people);
  const group = chance.oneOf(world.groups);
  const kind = chance.oneOf(["add", "remove", "join", "leave", "role"] as const);
  const removable = safe.memberships.filter(({ user }) => user !== safe.owner);
  const wrap = (change: unknown) => ({ change: change as AccessChange });
  if (kind === "add" && !safe.memberships.some(({ user }) => user === person.id)) {
    const member = { user_id: person.id, role: "custom" as const, permissions: chance.someOf(SAFE_PERMISSIONS, 0.4) };
    if (member.permissions.length === 0) return null;
    const params = { id: safe.id as never };
    return {
      change: wrap({ kind: "member-added", safe_id: safe.id, member }),
      make: () => app.call(addSafeMember, { params, body: member, as }),
    };
  }
  if (kind === "remove" && removable.length > 0) {
    const member = chance.oneOf(removable);
    const params = { id: safe.id as never, member_id: member.id as never };
    return {
      change: wrap({ kind: "member-removed", safe_id: safe.id, member_id: member.id }),
      make: () => app.call(removeSafeMember, { params, as }),
    };
  }
  if (kind === "join" && !group.people.has(person.id)) {
    const params = { id: group.id as never };
    return {
      change: wrap({ kind: "group-member-added", group_id: group.id, user_id: person.id }),
      make: () => app.call(addGroupMember, { params, body: { user_id: person.id }, as }),
    };
  }
  if (kind === "leave" && group.people.has(person.id)) {
    const params = { id: group.id as never, user_id: person.id };
    return {
      change: wrap({ kind: "group-member-removed", group_id: group.id, user_id: person.id }),
      make: () => app.call(removeGroupMember, { params, as }),
    };
  }
  return null;
}

describe("in random worlds", () => {
  test(
    "OPEN-19: what this screen says of anybody is what their own calls allow, as far as the caller looks",
    { timeout: 60_000 },
    async () => {
      const seed = seedOfRun();
      const chance = chanceOf(seed);
      for (let number = 0; number < WORLDS; number += 1) {
        const world = aWorld(chance, people, { groups: 3, safes: 5 });
        await settleAccounts({ app, people, platforms }, chance, world);
        for (const viewer of people) {
          await agrees(world, viewer).catch((error: unknown) => {
            throw new Error(`SEED=${seed}, world ${number}, ${viewer.role} looks`, { cause: error });
          });
        }
      }
    },
  );

  test(
    "a preview foretells exactly what the change then does, and leaves nothing but its own entry in the trail",
    { timeout: 60_000 },
    async () => {
      const seed = seedOfRun();
      const chance = chanceOf(seed);
      const world = aWorld(chance, people, { groups: 3, safes: 5 });
      await settleAccounts({ app, people, platforms }, chance, world);
      let changes = 0;
      for (let attempt = 0; attempt < 60 && changes < 5; attempt += 1) {
        const next = aChange(chance, world);
        if (next === null) continue;
        await settleLoans();
        const [was, entries, digest] = [
          await permissionsByPerson(),
          await count("select count(*) from audit_entries where event <> 'access-control.previewed'"),
          await everything(),
        ];
        const told = await app.call(previewAccessChange, { body: next.change!, as: admin.token });
        const about = `SEED=${seed}: ${JSON.stringify(next.change)}`;
        if (told.status !== 200) {
          // What the change itself refuses the preview refuses too.
          assert.equal((await next.make()).status, told.status, `${about} ${told.text}`);
          continue;
        }
        assert.deepEqual(await everything(), digest, about);
        assert.equal(
          await count("select count(*) from audit_entries where event <> 'access-control.previewed'"),
          entries,
        );
        const made = await next.make();
        assert.ok(made.status < 300, `${about}: ${made.text}`);
        assert.deepEqual(foretold(told.body), realDifference(was, await permissionsByPerson()), about);
        changes += 1;
      }
      assert.ok(changes >= 4, `SEED=${seed}: ${changes} changes`);
    },
  );
});

describe("who looks, and at what", () => {
  test("a manager sees the people of the safes that they manage or audit, and of the others nothing", async () => {
    const [manager, member, outsider] = [await aPerson(app, "manager"), await aPerson(app), await aPerson(app)];
    const own = await aSafe(app, manager);
    const foreign = await aSafe(app, admin);
    await aMember(app, manager, own, member, "user");
    await aMember(app, admin, foreign, member, ["list", "use"]);
    await aMember(app, admin, foreign, outsider, "user");
    await aMember(app, admin, foreign, manager, "user");
    await anAccount(app, manager, own);
    await anAccount(app, admin, foreign);
    const as = manager.token;
    const { people: seen } = (await app.call(listAccessPeople, { query: { limit: 100 }, as })).body;
    assert.deepEqual(new Set(seen.map(({ user_id }) => user_id)), new Set([manager.id, member.id]));
    assert.deepEqual(
      seen.filter(({ user_id }) => user_id === member.id).map((each) => [each.safes, each.accounts_usable]),
      [[1, 1]],
    );
    const safes = (await app.call(listAccessSafes, { as })).body.safes;
    assert.deepEqual(
      safes.map(({ safe_id, people: count }) => [safe_id, count]),
      [[own.id, 2]],
    );
    const params = { id: member.id };
    const elsewhere = await app.call(listPersonAccounts, { params, query: { safe_id: foreign.id }, as });
    assert.equal(elsewhere.status, 404, elsewhere.text);
    for (const endpoint of [listAccessPeople, listAccessSafes]) {
      assert.equal((await app.call(endpoint, { as: member.token })).status, 403);
    }
  });

  test("people are found by name and role, a page at a time, and through what they have something", async () => {
    const group = await aGroup(app, [], { name: "Night shift", may_break_glass: true });
    const found: TestPerson[] = [];
    for (let number = 0; number < 3; number += 1) found.push(await aPerson(app));
    await app.database.pool.query("update users set name = 'Zoe ' || email where id = any($1)", [
      found.map(({ id }) => id),
    ]);
    const safe = await aSafe(app, admin, { access_level: "public" });
    await aMember(app, admin, safe, group, "user", new Date(Date.now() + 86_400_000).toISOString());
    await app.call(addGroupMember, { params: { id: group.id }, body: { user_id: found[0]!.id }, as: admin.token });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { search: "zoe", role: "user" as const, limit: 2, cursor };
      const page = (await app.call(listAccessPeople, { query, as: admin.token })).body;
      seen.push(...page.people.map(({ user_id }) => user_id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(new Set(seen), new Set(found.map(({ id }) => id)));
    assert.equal(seen.length, 3);
    const params = { id: found[0]!.id };
    const one = (await app.call(readAccessPerson, { params, as: admin.token })).body;
    assert.deepEqual([one.may_break_glass, one.in_groups.map(({ name }) => name)], [true, ["Night shift"]]);
    const query = { search: safe.name };
    const [there] = (await app.call(listPersonSafes, { params, query, as: admin.token })).body.safes;
    assert.deepEqual(
      there!.paths.map(({ kind, through, expires_at }) => [kind, through, expires_at !== null]),
      [
        ["access-level", "public", false],
        ["group", "Night shift", true],
      ],
    );
  });
});

describe("what would change if", () => {
  const tell = (change: AccessChange, as = admin.token) => app.call(previewAccessChange, { body: { change }, as });

  test("an approval that a platform asks for takes use and retrieval from its members until somebody approves", async () => {
    const [member, confirmed] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, admin);
    const platform = await aPlatform(app);
    for (let number = 0; number < 3; number += 1) await anAccount(app, admin, safe, { platform_id: platform.id });
    await anAccount(app, admin, safe);
    await aMember(app, admin, safe, member, "user");
    await aMember(app, admin, safe, confirmed, ["use", "retrieve", "access_without_confirmation"]);
    const approvals = { approvals_level_1: 1, approvals_level_2: 0 };
    const { body } = await tell({ kind: "platform-approvals", platform_id: platform.id, ...approvals });
    // The owner needs no confirmation either.
    assert.deepEqual([body.people_losing, body.people_gaining, body.accounts], [1, 0, 3]);
    assert.deepEqual(
      body.people.map(({ user_id, changes }) => [
        user_id,
        changes.map((each) => [each.permission, each.accounts_lost, each.accounts_askable]),
      ]),
      [
        [
          member.id,
          [
            ["use", 3, 3],
            ["retrieve", 3, 3],
          ],
        ],
      ],
    );
  });

  test("each is asked for what the change itself asks for, and is on record", async () => {
    const [owner, other] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const mine: AccessChange = {
      kind: "member-added",
      safe_id: safe.id,
      member: { user_id: other.id, role: "user", expires_at: null },
    };
    assert.equal((await tell(mine, owner.token)).status, 200);
    assert.equal((await tell(mine, other.token)).status, 404);
    assert.equal((await tell({ kind: "role-changed", user_id: other.id, role: "admin" }, owner.token)).status, 403);
    const made = await tell({ kind: "role-changed", user_id: other.id, role: "admin" });
    assert.equal(made.status, 200, made.text);
    assert.ok(
      made.body.people[0]!.changes.some((each) => each.permission === "manage_members" && each.safes_gained > 0),
    );
    const { rows } = await app.database.pool.query(
      "select result, count(*)::integer from audit_entries where event = 'access-control.previewed' and actor_id = any($1) group by 1 order by 1",
      [[owner.id, other.id]],
    );
    assert.deepEqual(rows, [
      { result: "failure", count: 2 },
      { result: "success", count: 1 },
    ]);
  });

  test("a preview waits for nobody: while somebody changes the safe it is refused within moments", async () => {
    const safe = await aSafe(app, admin);
    const other = await aPerson(app);
    const holder = await app.database.pool.connect();
    try {
      await holder.query("begin");
      await holder.query("select from safes where id = $1 for update", [safe.id]);
      const member = { user_id: other.id, role: "user" as const, expires_at: null };
      const reply = await tell({ kind: "member-added", safe_id: safe.id, member });
      assert.deepEqual(
        [reply.status, (reply.body as { code?: string }).code],
        [409, "access-control.busy"],
        reply.text,
      );
    } finally {
      await holder.query("rollback");
      holder.release();
    }
  });
});
