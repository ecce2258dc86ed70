// Accounts of random worlds: inserts them with their grants, and an independent model of the access to them.
import type { Account, Platform, SafePermission } from "@strongroom/contract";
import { randomUUID } from "node:crypto";
import { aPlatform, anAccount } from "./accounts.ts";
import type { TestApp } from "./test-app.ts";
import { expected, settle } from "./worlds.ts";
import type { Chance, Inhabitant, World, WorldSafe } from "./worlds.ts";

export interface Lent {
  to: string;
  isMapped: boolean;
  when: "over" | "now" | "later";
  state: "granted" | "ended" | "denied";
}

export interface WorldAccount {
  shown: Account & { password: string };
  safe: WorldSafe;
  platform: Platform;
  isActive: boolean;
  lent: Lent[];
}

const HOURS = { over: [-2, -1], now: [-1, 1], later: [1, 2] } as const;

/** Platforms without approval, with one level, and with two levels. */
export const platformsOf = async (app: TestApp): Promise<Platform[]> => [
  await aPlatform(app),
  await aPlatform(app, { approvals_level_1: 1 }),
  await aPlatform(app, { approvals_level_1: 1, approvals_level_2: 1 }),
];

export interface Ground {
  app: TestApp;
  people: readonly Inhabitant[];
  platforms: readonly Platform[];
}

/** Replaces the world in the database by one with an account in each safe. */
export async function settleAccounts(
  { app, people, platforms }: Ground,
  chance: Chance,
  world: World,
): Promise<WorldAccount[]> {
  const run = (text: string, values: unknown[] = []) => app.database.pool.query(text, values);
  await run("update access_requests set state = 'ended', ended_at = now() where state in ('pending', 'granted')");
  await run("update credentials set deleted_at = now() where deleted_at is null");
  await settle(app, { ...world, safes: world.safes.map((safe) => ({ ...safe, status: "active" as const })) });
  const accounts: WorldAccount[] = [];
  for (const safe of world.safes) {
    const owner = people.find(({ id }) => id === safe.owner)!;
    const platform = chance.oneOf(platforms);
    const shown = await anAccount(app, owner, { id: safe.id as never }, { platform_id: platform.id });
    const lentTo = (person: Inhabitant): Lent => ({
      to: person.id,
      isMapped: chance.isLikely(0.3),
      when: chance.oneOf(["over", "now", "now", "later"]),
      state: chance.isLikely(0.7) ? "granted" : chance.oneOf(["ended", "denied"]),
    });
    const lent = chance.someOf(people, 0.3).map(lentTo);
    accounts.push({ shown, safe, platform, isActive: chance.isLikely(0.8), lent });
    await run("update safes set status = $2 where id = $1", [safe.id, safe.status]);
  }
  for (const { shown, isActive, lent } of accounts) {
    if (!isActive) await run("update accounts set status = 'disabled' where id = $1", [shown.id]);
    for (const { to, isMapped, when, state } of lent) {
      await run(
        `insert into access_requests (id, user_id, account_id, is_mapped, resource, reason, duration_minutes, state,
           starts_at, ends_at, ended_at, created_at)
         values ($1, $2, $3, $4, 'It', 'Because', 60, $5, now() + make_interval(hours => $6::int),
           now() + make_interval(hours => $7::int), $8, now())`,
        [randomUUID(), to, shown.id, isMapped, state, ...HOURS[when], state === "ended" ? new Date() : null],
      );
    }
  }
  return accounts;
}

export interface Opinion {
  isSeen: boolean;
  /** Permissions in the account list. */
  permissions: SafePermission[];
  /** In the account's safe. */
  inSafe: SafePermission[];
  mayRetrieve: boolean;
  /** The refusal code of a retrieval of a visible account. */
  refusal: 403 | 409;
  needsApproval: boolean;
}

/** The model's access to an account. */
export function opinionOn(world: World, { safe, platform, isActive, lent }: WorldAccount, person: Inhabitant): Opinion {
  const inSafe = expected(world, safe, person);
  const isLent = lent.some(
    ({ to, isMapped, when, state }) =>
      to === person.id && state === "granted" && when === "now" && (isMapped || inSafe.length > 0),
  );
  const isOpen = isActive && safe.status === "active";
  const asks = platform.approvals_level_1 > 0 && !inSafe.includes("access_without_confirmation");
  const may = (wanted: "use" | "retrieve") => isOpen && (isLent || (inSafe.includes(wanted) && !asks));
  const others = inSafe.filter((each) => each !== "use" && each !== "retrieve" && each !== "list");
  return {
    isSeen: isLent || inSafe.length > 0,
    permissions: [
      ...(isLent || inSafe.length > 0 ? (["list"] as const) : []),
      ...(["use", "retrieve"] as const).filter(may),
      ...others,
    ],
    inSafe,
    mayRetrieve: may("retrieve"),
    refusal: isActive ? 403 : 409,
    needsApproval: isOpen && inSafe.length > 0 && !(may("use") && may("retrieve")),
  };
}
