// Access to accounts in random worlds: what lists show, what single reads answer, what retrieval gives and what every write
// allows agree with a second opinion; and taking approvers away never opens anything.
import {
  accountStatistics,
  createAccessRequest,
  deleteAccount,
  listAccountVersions,
  listAccounts,
  moveAccount,
  readAccessRequest,
  readAccount,
  readAccountDetails,
  readAccountHistory,
  retrieveAccount,
  updateAccount,
} from "@strongroom/contract";
import type { Account, Platform, Role, SafePermission } from "@strongroom/contract";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { aPlatform, anAccount } from "./accounts.ts";
import { aPerson } from "./people.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";
import { aWorld, chanceOf, expected, seedOfRun, settle } from "./worlds.ts";
import type { Chance, Inhabitant, World, WorldSafe } from "./worlds.ts";

const WORLDS = 3;
const ROLES: Role[] = ["user", "user", "manager", "manager", "admin"];
const SAFES = 5;

let app: TestApp;
let platforms: Platform[];
const people: Inhabitant[] = [];
before(async () => {
  app = await testApp();
  for (const role of ROLES) people.push({ ...(await aPerson(app, role)), role });
  platforms = [
    await aPlatform(app),
    await aPlatform(app, { approvals_level_1: 1 }),
    await aPlatform(app, { approvals_level_1: 1, approvals_level_2: 1 }),
  ];
});
after(() => app.close());

interface Lent {
  to: string;
  isMapped: boolean;
  when: "over" | "now" | "later";
  state: "granted" | "ended" | "denied";
}

interface WorldAccount {
  shown: Account & { password: string };
  safe: WorldSafe;
  platform: Platform;
  isActive: boolean;
  lent: Lent[];
}

const HOURS = { over: [-2, -1], now: [-1, 1], later: [1, 2] } as const;

async function accountsOf(chance: Chance, world: World): Promise<WorldAccount[]> {
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

interface Opinion {
  isSeen: boolean;
  /** As the account's list shows them. */
  permissions: SafePermission[];
  /** In the account's safe. */
  inSafe: SafePermission[];
  mayRetrieve: boolean;
  /** How a retrieval of what is seen is refused. */
  refusal: 403 | 409;
  needsApproval: boolean;
}

/** The second opinion about an account. */
function opinionOn(world: World, { safe, platform, isActive, lent }: WorldAccount, person: Inhabitant): Opinion {
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

async function agreesOnReads(world: World, accounts: WorldAccount[], person: Inhabitant): Promise<void> {
  const as = person.token;
  const opinions = new Map(accounts.map((account) => [account.shown.id, opinionOn(world, account, person)]));
  const seen = accounts.filter(({ shown }) => opinions.get(shown.id)!.isSeen);
  const listed = (await app.call(listAccounts, { query: { limit: 100 }, as })).body.data;
  const inOrder = (pairs: (readonly [string, unknown])[]) => pairs.toSorted(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(
    inOrder(listed.map(({ id, my_permissions, needs_approval }) => [id, [my_permissions, needs_approval]])),
    inOrder(
      seen.map(({ shown: { id } }) => [id, [opinions.get(id)!.permissions, opinions.get(id)!.needsApproval]] as const),
    ),
    "list",
  );
  assert.equal((await app.call(accountStatistics, { as })).body.total, seen.length, "statistics");
  for (const { shown } of accounts) {
    const { isSeen, permissions, mayRetrieve, refusal } = opinions.get(shown.id)!;
    const params = { id: shown.id };
    const details = await app.call(readAccountDetails, { params, as });
    assert.equal(details.status, isSeen ? 200 : 404, "details");
    if (isSeen) assert.deepEqual(details.body.my_permissions, permissions, "details");
    assert.ok(!details.text.includes(shown.password));
    const read = await app.call(readAccount, { params, as });
    assert.equal(read.status, isSeen ? 200 : 404, "read");
    if (isSeen) assert.equal(read.body.password, mayRetrieve ? shown.password : null, "read");
    const retrieved = await app.call(retrieveAccount, { params, body: {}, as });
    assert.equal(retrieved.status, mayRetrieve ? 200 : isSeen ? refusal : 404, `retrieve: ${retrieved.text}`);
    assert.equal(retrieved.text.includes(shown.password), mayRetrieve, "retrieve");
  }
}

/** Each call with the status that the second opinion foretells; none of them leaves the world changed. */
async function agreesOnWrites(world: World, account: WorldAccount, person: Inhabitant): Promise<void> {
  const { isSeen, inSafe } = opinionOn(world, account, person);
  const { shown } = account;
  const params = { id: shown.id };
  const as = person.token;
  const check = (what: string, reply: { status: number; text: string }, permission: SafePermission | null) => {
    const may = permission === null || inSafe.includes(permission);
    assert.equal(reply.status, !isSeen ? 404 : may ? 200 : 403, `${what}: ${reply.text}`);
  };
  const body = {
    name: shown.name,
    hostname: shown.hostname_ip,
    username: shown.username,
    platform_id: shown.platform_id,
    system_type: shown.system_type,
    connection_method: shown.connection_method,
  };
  check("update", await app.call(updateAccount, { params, body, as }), "update_properties");
  check("history", await app.call(readAccountHistory, { params, as }), "view_audit");
  // For all who see it, also those to whom it is only lent.
  check("versions", await app.call(listAccountVersions, { params, as }), null);
  const nowhere = { safe_id: randomUUID() as never };
  const moved = await app.call(moveAccount, { params, body: nowhere, as });
  assert.ok(moved.status === 404 || (moved.status === 403 && isSeen), moved.text);
}

/** With everybody gone who could approve, what was closed stays closed, and who waits goes on waiting. */
async function staysClosed(world: World, accounts: WorldAccount[]): Promise<void> {
  const waiting: { person: Inhabitant; id: never }[] = [];
  for (const person of people) {
    for (const account of accounts) {
      const { needsApproval, inSafe } = opinionOn(world, account, person);
      if (!needsApproval || inSafe.includes("approve_level_1")) continue;
      const body = { resource: account.shown.name, account_id: account.shown.id, reason: "To see it" };
      const asked = await app.call(createAccessRequest, { body, as: person.token });
      // Refused where one is open already.
      if (asked.status === 409) continue;
      assert.deepEqual([asked.status, asked.body.status], [201, "pending"], asked.text);
      waiting.push({ person, id: asked.body.id as never });
    }
  }
  for (const safe of world.safes) {
    const approves = ({ permissions }: { permissions: ReadonlySet<SafePermission> }) =>
      permissions.has("approve_level_1") || permissions.has("approve_level_2");
    const gone = safe.memberships.filter(approves);
    safe.memberships = safe.memberships.filter((each) => !approves(each));
    const ids = gone.map(({ id }) => id);
    await app.database.pool.query("delete from safe_members where id = any($1::uuid[])", [ids]);
  }
  for (const person of people) await agreesOnReads(world, accounts, person);
  for (const { person, id } of waiting) {
    const read = await app.call(readAccessRequest, { params: { id }, as: person.token });
    assert.equal(read.body.status, "pending", read.text);
  }
}

async function agreesOnDeletion(chance: Chance, world: World, accounts: WorldAccount[]): Promise<void> {
  for (const person of people) {
    const account = chance.oneOf(accounts);
    const { isSeen, inSafe } = opinionOn(world, account, person);
    const reply = await app.call(deleteAccount, { params: { id: account.shown.id }, as: person.token });
    assert.equal(reply.status, !isSeen ? 404 : inSafe.includes("delete") ? 200 : 403, reply.text);
    if (reply.status === 200) accounts.splice(accounts.indexOf(account), 1);
    if (accounts.length === 0) return;
  }
  for (const person of people) await agreesOnReads(world, accounts, person);
}

test(
  "OPEN-19: list, single read, retrieval and every write of an account agree, and no approver's leaving opens anything",
  { timeout: 240_000 },
  async () => {
    const seed = seedOfRun();
    const chance = chanceOf(seed);
    for (let number = 0; number < WORLDS; number += 1) {
      const told = async (what: string, check: () => Promise<void>) => {
        await check().catch((error: unknown) => {
          throw new Error(`SEED=${seed}, world ${number}, ${what}`, { cause: error });
        });
      };
      const world = aWorld(chance, people, { groups: 4, safes: SAFES });
      const accounts = await accountsOf(chance, world);
      for (const person of people) {
        const who = `${person.role} ${people.indexOf(person)}`;
        await told(who, () => agreesOnReads(world, accounts, person));
        const account = chance.oneOf(accounts);
        await told(`${who} on ${account.shown.name}`, () => agreesOnWrites(world, account, person));
      }
      await told("approvers leave", () => staysClosed(world, accounts));
      await told("deletion", () => agreesOnDeletion(chance, world, accounts));
    }
  },
);
