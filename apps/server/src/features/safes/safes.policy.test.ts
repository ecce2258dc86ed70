// Compares the pure permission rule, its SQL version, lists, single reads and writes with an independent
// implementation, on randomly generated data.
import {
  SAFE_PERMISSIONS,
  addSafeMember,
  deleteSafe,
  explainSafeAccess,
  listSafeMembers,
  listSafes,
  readSafe,
  removeSafeMember,
  safeStatistics,
  updateSafe,
} from "@strongroom/contract";
import type { Role, SafePermission } from "@strongroom/contract";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { aPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { aWorld, chanceOf, expected, heldBy, seedOfRun, settle } from "#testing/worlds.ts";
import type { Chance, Inhabitant, World, WorldSafe } from "#testing/worlds.ts";
import { bitsOf, namesOf, permissionsIn, effectivePermissionsOf } from "./safes.policy.ts";

const WORLDS = 5;
const ROLES: Role[] = ["user", "user", "user", "manager", "manager", "admin"];
const DAY = 86_400_000;

let app: TestApp;
const people: Inhabitant[] = [];
before(async () => {
  app = await testApp();
  for (const role of ROLES) people.push({ ...(await aPerson(app, role)), role });
});
after(() => app.close());

function purely(world: World, safe: WorldSafe, person: Inhabitant): SafePermission[] {
  const now = new Date();
  const theirs = safe.memberships.filter(({ user, group }) => user === person.id || group?.people.has(person.id));
  const shares = (kind: string) =>
    world.groups.some((group) => group.kind === kind && group.people.has(person.id) && group.people.has(safe.owner));
  const ends = { ever: null, tomorrow: new Date(now.getTime() + DAY), yesterday: new Date(now.getTime() - DAY) };
  const permissions = permissionsIn(
    {
      role: person.role,
      memberships: theirs.map((each) => ({ permissions: bitsOf([...each.permissions]), expiresAt: ends[each.until] })),
      safe: { status: safe.status, accessLevel: safe.level },
      sharesWithOwner: { team: shares("team"), department: shares("department") },
    },
    now,
  );
  return namesOf(permissions);
}

async function agreesOnReads(chance: Chance, world: World, person: Inhabitant): Promise<void> {
  const as = person.token;
  const seen = world.safes.filter((safe) => expected(world, safe, person).length > 0);
  const { rows } = await app.database.db.executeQuery<{ safe_id: string; permissions: number }>(
    effectivePermissionsOf({ id: person.id, role: person.role }).compile(app.database.db),
  );
  const listed = (await app.call(listSafes, { query: { limit: 100 }, as })).body.safes;
  const inSql = new Map(rows.map((row) => [row.safe_id, namesOf(row.permissions)]));
  const inList = new Map(listed.map((each) => [each.id as string, each.my_permissions]));
  const wanted = new Map(seen.map((safe) => [safe.id, expected(world, safe, person)]));
  const inOrder = (map: Map<string, unknown>) => [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(inOrder(inSql), inOrder(wanted), "SQL");
  assert.deepEqual(inOrder(inList), inOrder(wanted), "list");
  for (const safe of world.safes) {
    assert.deepEqual(purely(world, safe, person), wanted.get(safe.id) ?? [], "pure");
    const read = await app.call(readSafe, { params: { id: safe.id }, as });
    assert.deepEqual(read.status === 200 ? read.body.my_permissions : [], wanted.get(safe.id) ?? [], "read");
  }
  const permission = chance.oneOf(SAFE_PERMISSIONS);
  const narrowed = (await app.call(listSafes, { query: { permission, limit: 100 }, as })).body.safes.map(
    ({ id }) => id,
  );
  assert.deepEqual(
    narrowed.map(String).toSorted(),
    seen
      .filter(({ id }) => wanted.get(id)!.includes(permission))
      .map(({ id }) => id)
      .toSorted(),
    `those with ${permission}`,
  );
  const { total, active } = (await app.call(safeStatistics, { as })).body;
  const isActive = ({ status }: WorldSafe) => status === "active";
  assert.deepEqual([total, active], [seen.length, seen.filter(isActive).length], "statistics");
}

/** Whether this user can give all these permissions for the chosen time. */
function mayGive(safe: WorldSafe, person: Inhabitant, given: SafePermission[], isForEver: boolean): boolean {
  if (person.role === "admin") return true;
  const lasting = heldBy(safe, person).filter(({ until }) => until === "ever" || !isForEver);
  return (
    lasting.length > 0 &&
    given.every((each) => each === "list" || lasting.some(({ permissions }) => permissions.has(each)))
  );
}

/**
 * Checks that each call returns the status that the independent implementation predicts, and leaves the data unchanged.
 */
async function agreesOnWrites(chance: Chance, world: World, safe: WorldSafe, person: Inhabitant): Promise<void> {
  const may = expected(world, safe, person);
  const { token: as } = person;
  const params = { id: safe.id as never };
  const status = (isAllowed: boolean, good: number) => (may.length === 0 ? 404 : isAllowed ? good : 403);

  const edited = await app.call(updateSafe, { params, body: { name: safe.name, description: null }, as });
  assert.equal(edited.status, status(may.includes("manage_safe"), 200), edited.text);

  const seesMembers = person.role === "admin" || heldBy(safe, person).length > 0;
  const members = await app.call(listSafeMembers, { params, as });
  assert.equal(members.status, status(seesMembers, 200), members.text);

  const explained = await app.call(explainSafeAccess, { params, as });
  const explains = may.includes("manage_members") || may.includes("view_audit");
  assert.equal(explained.status, status(explains, 200), explained.text);

  const given = chance.someOf(SAFE_PERMISSIONS, 0.15);
  const permissions = given.length === 0 ? (["list"] as SafePermission[]) : given;
  const isForEver = chance.isLikely(0.5);
  const expires_at = isForEver ? null : new Date(Date.now() + DAY / 2).toISOString();
  const stranger = await aStranger();
  const body = { user_id: stranger as never, role: "custom" as const, permissions, expires_at };
  const added = await app.call(addSafeMember, { params, body, as });
  const gives = may.includes("manage_members") && mayGive(safe, person, permissions, isForEver);
  assert.equal(added.status, status(gives, 201), added.text);

  const row = await app.database.pool.query<{ id: string }>(
    `insert into safe_members values ($1, $2, $3, null, 'user', 7, null, now(), null)
     on conflict (user_id, safe_id) where user_id is not null do update set role = 'user' returning id`,
    [randomUUID(), safe.id, stranger],
  );
  const gone = { id: safe.id as never, member_id: row.rows[0]!.id as never };
  const removed = await app.call(removeSafeMember, { params: gone, as });
  assert.equal(removed.status, status(may.includes("manage_members"), 200), removed.text);
  await app.database.pool.query("delete from safe_members where user_id = $1", [stranger]);
}

/** A user who never signs in. */
async function aStranger(): Promise<string> {
  const id = randomUUID();
  await app.database.pool.query(
    "insert into users (id, email, name, role, password_hash, created_at) values ($1::uuid, $1::text, 'A stranger', 'user', '', now())",
    [id],
  );
  return id;
}

test(
  "OPEN-19: the pure rule, SQL, lists, single reads and every write agree on who may do what",
  { timeout: 240_000 },
  async () => {
    const seed = seedOfRun();
    const chance = chanceOf(seed);
    let questions = 0;
    for (let number = 0; number < WORLDS; number += 1) {
      const world = aWorld(chance, people, { groups: 4, safes: 6 });
      await settle(app, world);
      for (const person of people) {
        const about = `SEED=${seed}, world ${number}, ${person.role} ${people.indexOf(person)}`;
        await agreesOnReads(chance, world, person).catch((error: unknown) => {
          throw new Error(about, { cause: error });
        });
        for (const safe of chance.someOf(world.safes, 0.4)) {
          await agreesOnWrites(chance, world, safe, person).catch((error: unknown) => {
            throw new Error(`${about}, safe ${JSON.stringify(safe)}`, { cause: error });
          });
          questions += 5;
        }
        questions += world.safes.length * 3;
      }
      // Deletions change the world, so they come last in each world. Each user makes one.
      for (const person of people) {
        const safe = chance.oneOf(world.safes);
        const isAllowed = expected(world, safe, person).includes("manage_safe");
        const isSeen = expected(world, safe, person).length > 0;
        const reply = await app.call(deleteSafe, { params: { id: safe.id }, as: person.token });
        assert.equal(
          reply.status,
          isAllowed ? 200 : isSeen ? 403 : 404,
          `SEED=${seed}, world ${number}: ${reply.text}`,
        );
        if (isAllowed) world.safes.splice(world.safes.indexOf(safe), 1);
        if (world.safes.length === 0) break;
        await agreesOnReads(chance, world, person).catch((error: unknown) => {
          throw new Error(`SEED=${seed}, world ${number}, after a deletion`, { cause: error });
        });
      }
    }
    assert.ok(questions > 300, `${questions} questions`);
  },
);
