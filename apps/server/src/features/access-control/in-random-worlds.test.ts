// Compares access overviews and previews with what the users' own calls really allow, in randomly generated data.
import {
  ACCESS_LEVELS,
  GROUP_KINDS,
  SAFE_PERMISSIONS,
  SAFE_STATUSES,
  addGroupMember,
  addSafeMember,
  listAccessPeople,
  listAccounts,
  listPersonAccounts,
  listPersonSafes,
  listSafes,
  previewAccessChange,
  readAccessPerson,
  removeGroupMember,
  removeSafeMember,
  updateGroup,
  updatePlatform,
  updateSafe,
} from "@strongroom/contract";
import type {
  AccessChange,
  AccessPreview,
  GroupId,
  InputOf,
  Platform,
  Role,
  SafeId,
  SafePermission,
  UserId,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPolicy } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
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
        union all select t::text from groups t union all select t::text from safes t union all select t::text from platforms t
        union all select t::text from access_requests t union all select t::text from account_check_outs t
        union all select t::text from accounts t union all select id::text || role || status from users
        union all select id::text from sign_in_sessions union all select id::text from notices
        union all select id::text from events
      ) lines`)
  ).rows[0];

/** The contents of the user's own lists, limited to the safes for which `looksInto` returns true. */
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

/**
 * Marks the start of every grant as announced and ends the grants that no user sees, so that background work changes no
 * grants and only the preview could change the database.
 */
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
  // Notices caused by the last change are delivered asynchronously.
  await eventually(async () => ((await count("select count(*) from notices")) === 0 ? true : null));
}

/** The permissions of each user on each account, from their own account lists. */
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

const predicted = ({ people: told }: AccessPreview): string[] =>
  told
    .filter(({ user_id }) => people.some(({ id }) => id === user_id))
    .flatMap(({ user_id, changes }) =>
      changes
        .filter((each) => each.accounts_gained + each.accounts_lost > 0)
        .map((each) => `${user_id} ${each.permission} +${each.accounts_gained} -${each.accounts_lost}`),
    )
    .toSorted();

/** A random change and the call that makes it. */
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
  const kind = chance.oneOf(["add", "remove", "join", "leave", "safe", "kind", "approvals"] as const);
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
  if (kind === "safe") {
    const edit = { access_level: chance.oneOf(ACCESS_LEVELS), status: chance.oneOf(SAFE_STATUSES) };
    const params = { id: safe.id as SafeId };
    return {
      change: wrap({ kind: "safe-changed", safe_id: safe.id, ...edit }),
      make: () => app.call(updateSafe, { params, body: { name: safe.name, description: null, ...edit }, as }),
    };
  }
  if (kind === "kind") {
    const next = chance.oneOf(GROUP_KINDS);
    const body = { name: `Group ${group.id}`, description: null, kind: next, may_break_glass: group.mayBreakGlass };
    const params = { id: group.id as GroupId };
    return {
      change: wrap({ kind: "group-kind-changed", group_id: group.id, group_kind: next }),
      make: () => app.call(updateGroup, { params, body, as }),
    };
  }
  if (kind === "approvals") {
    const { change, make } = otherApprovals(chance.oneOf(platforms), chance.oneOf(LEVELS));
    return { change: wrap(change), make };
  }
  return null;
}

const LEVELS = [
  [0, 0],
  [1, 0],
  [2, 1],
] as const;

function otherApprovals(platform: Platform, [approvals_level_1, approvals_level_2]: (typeof LEVELS)[number]) {
  const approvals = { approvals_level_1, approvals_level_2 };
  const fields = Object.keys(aPolicy).map((field) => [field, platform[field as keyof Platform]]);
  const body = { ...(Object.fromEntries(fields) as typeof aPolicy), ...approvals };
  return {
    change: { kind: "platform-approvals", platform_id: platform.id, ...approvals } as const,
    make: () => app.call(updatePlatform, { params: { id: platform.id }, body, as: admin.token }),
  };
}

describe("in randomly generated data", () => {
  test(
    "OPEN-19: the access overview of each user matches what their own calls allow, within the viewer's scope",
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
    "a preview predicts exactly what the change does, and writes nothing but its own audit entry",
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
          // The preview refuses exactly the changes that the call itself refuses.
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
        assert.deepEqual(predicted(told.body), realDifference(was, await permissionsByPerson()), about);
        changes += 1;
      }
      assert.ok(changes >= 4, `SEED=${seed}: ${changes} changes`);
    },
  );

  test(
    "a preview of changed approvals predicts what users can do afterwards, for each platform",
    { timeout: 60_000 },
    async () => {
      const seed = seedOfRun();
      const chance = chanceOf(seed);
      const world = aWorld(chance, people, { groups: 3, safes: 5 });
      await settleAccounts({ app, people, platforms }, chance, world);
      await settleLoans();
      for (const platform of platforms) {
        for (const levels of [...LEVELS.slice(1), ...LEVELS]) {
          const { change, make } = otherApprovals(platform, levels);
          const was = await permissionsByPerson();
          const { body, text } = await app.call(previewAccessChange, { body: { change }, as: admin.token });
          const about = `SEED=${seed}: ${JSON.stringify(change)} ${text}`;
          assert.equal((await make()).status, 200, about);
          const is = await permissionsByPerson();
          assert.deepEqual(predicted(body), realDifference(was, is), about);
          const touched = people.flatMap(({ id }) =>
            [...is.get(id)!].filter(([account, may]) => may.join() !== was.get(id)!.get(account)?.join()),
          );
          assert.ok(body.accounts >= new Set(touched.map(([account]) => account)).size, about);
          assert.equal(body.people_gaining + body.people_losing, body.people.length, about);
        }
      }
    },
  );
});
