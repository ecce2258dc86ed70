// Random worlds for property tests: users, groups and safes, and a simple independent model of permissions, written from the
// requirements and sharing no code with the product's policy.
import { ACCESS_LEVELS, GROUP_KINDS, SAFE_PERMISSIONS, SAFE_STATUSES } from "@strongroom/contract";
import type { AccessLevel, GroupKind, Role, SafePermission, SafeStatus, UserId } from "@strongroom/contract";
import { randomInt, randomUUID } from "node:crypto";
import type { TestPerson } from "./people.ts";
import type { TestApp } from "./test-app.ts";

export interface Inhabitant extends TestPerson {
  role: Role;
}

export interface WorldGroup {
  id: string;
  kind: GroupKind;
  mayBreakGlass: boolean;
  people: Set<UserId>;
}

export interface Membership {
  id: string;
  user: UserId | null;
  group: WorldGroup | null;
  permissions: ReadonlySet<SafePermission>;
  until: "ever" | "tomorrow" | "yesterday";
}

export interface WorldSafe {
  id: string;
  name: string;
  status: SafeStatus;
  level: AccessLevel;
  owner: UserId;
  memberships: Membership[];
}

export interface World {
  groups: WorldGroup[];
  safes: WorldSafe[];
}

/** Random numbers, deterministic for a seed (mulberry32). */
export function chanceOf(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    isLikely: (probability: number) => next() < probability,
    below: (limit: number) => Math.floor(next() * limit),
    oneOf: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!,
    someOf: <T>(items: readonly T[], probability: number): T[] => items.filter(() => next() < probability),
  };
}
export type Chance = ReturnType<typeof chanceOf>;

/** `SEED` of the environment repeats a run. */
export const seedOfRun = (): number => Number(process.env["SEED"] ?? randomInt(2 ** 31));

const UNTIL = ["ever", "ever", "tomorrow", "yesterday"] as const;
const TIMES = { ever: null, tomorrow: 24, yesterday: -24 } as const;

export function aWorld(chance: Chance, people: readonly Inhabitant[], sizes: { groups: number; safes: number }): World {
  const ids = people.map(({ id }) => id);
  const groups = Array.from({ length: sizes.groups }, () => ({
    id: randomUUID(),
    kind: chance.oneOf(GROUP_KINDS),
    mayBreakGlass: chance.isLikely(0.3),
    people: new Set(chance.someOf(ids, 0.35)),
  }));
  const safes = Array.from({ length: sizes.safes }, (_, number) => {
    const owner = chance.oneOf(ids);
    const members = [...chance.someOf(ids, 0.3), ...chance.someOf(groups, 0.4)].filter((each) => each !== owner);
    const membershipOf = (member: UserId | WorldGroup): Membership => ({
      id: randomUUID(),
      user: typeof member === "string" ? member : null,
      group: typeof member === "string" ? null : member,
      permissions: new Set(chance.someOf(SAFE_PERMISSIONS, chance.oneOf([0, 0.2, 0.5, 1]))),
      until: chance.oneOf(UNTIL),
    });
    const own = { id: randomUUID(), user: owner, group: null, permissions: new Set(SAFE_PERMISSIONS), until: "ever" };
    return {
      id: randomUUID(),
      name: `Safe ${number}`,
      status: chance.isLikely(0.6) ? ("active" as const) : chance.oneOf(SAFE_STATUSES),
      level: chance.oneOf(ACCESS_LEVELS),
      owner,
      memberships: [own as Membership, ...members.map(membershipOf)],
    };
  });
  return { groups, safes };
}

/** Replaces the world in the database. */
export async function settle(app: TestApp, world: World): Promise<void> {
  const run = (text: string, values: unknown[] = []) => app.database.pool.query(text, values);
  await run("delete from safe_members");
  await run("update safes set deleted_at = now() where deleted_at is null");
  await run("delete from groups");
  for (const { id, kind, mayBreakGlass, people } of world.groups) {
    await run("insert into groups values ($1, $2, null, $3, $4, now())", [id, `Group ${id}`, kind, mayBreakGlass]);
    await run("insert into group_members select $1, unnest($2::uuid[]), now()", [id, [...people]]);
  }
  for (const { id, name, status, level, owner, memberships } of world.safes) {
    await run(
      "insert into safes (id, name, safe_type, access_level, status, owner_id, created_at, updated_at) values ($1, $2, 'standard', $3, $4, $5, now(), now())",
      [id, name, level, status, owner],
    );
    for (const each of memberships) {
      const bits = SAFE_PERMISSIONS.reduce((sum, name, bit) => sum + (each.permissions.has(name) ? 2 ** bit : 0), 0);
      await run(
        `insert into safe_members values ($1, $2, $3, $4, 'custom', $5::integer | 1,
          now() + make_interval(hours => $6::integer), now(), null)`,
        [each.id, id, each.user, each.group?.id ?? null, bits, TIMES[each.until]],
      );
    }
  }
}

const OF_ADMINISTRATORS: SafePermission[] = [
  "list",
  "manage_safe",
  "manage_members",
  "view_audit",
  "approve_level_1",
  "approve_level_2",
];
const WHILE_NOT_ACTIVE: SafePermission[] = ["list", "delete", "manage_safe", "manage_members", "view_audit"];

/** This user's memberships of this safe that have not ended. */
export const heldBy = (safe: WorldSafe, person: Pick<Inhabitant, "id">): Membership[] =>
  safe.memberships.filter(
    ({ user, group, until }) => until !== "yesterday" && (user === person.id || group?.people.has(person.id) === true),
  );

/** The model: this user's permissions in this safe. Without any, the safe does not exist for them. */
export function expected(world: World, safe: WorldSafe, person: Inhabitant): SafePermission[] {
  const may = new Set<SafePermission>();
  for (const { permissions } of heldBy(safe, person))
    for (const each of ["list", ...permissions] as const) may.add(each);
  if (person.role === "admin") for (const each of OF_ADMINISTRATORS) may.add(each);
  const isSharedWith = world.groups.some(
    ({ kind, people }) => kind === safe.level && people.has(person.id) && people.has(safe.owner),
  );
  if (safe.level === "public" || isSharedWith) may.add("list");
  return SAFE_PERMISSIONS.filter(
    (each) => may.has(each) && (safe.status === "active" || WHILE_NOT_ACTIVE.includes(each)),
  );
}
