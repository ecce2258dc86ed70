// Property test of access to accounts in random worlds: lists, single reads, retrieval and writes agree with an independent
// model, and removing approvers never grants access.
import {
  AccountEdit,
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
import type { Platform, Role, SafePermission } from "@strongroom/contract";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { aPerson } from "./people.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";
import { opinionOn, platformsOf, settleAccounts } from "./world-accounts.ts";
import type { WorldAccount } from "./world-accounts.ts";
import { aWorld, chanceOf, seedOfRun } from "./worlds.ts";
import type { Chance, Inhabitant, World } from "./worlds.ts";

const WORLDS = 3;
const ROLES: Role[] = ["user", "user", "manager", "manager", "admin"];
const SAFES = 5;

let app: TestApp;
let platforms: Platform[];
const people: Inhabitant[] = [];
before(async () => {
  app = await testApp();
  for (const role of ROLES) people.push({ ...(await aPerson(app, role)), role });
  platforms = await platformsOf(app);
});
after(() => app.close());

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

/** Each call with the status that the model predicts; none of these calls changes the world. */
async function agreesOnWrites(world: World, account: WorldAccount, person: Inhabitant): Promise<void> {
  const { isSeen, inSafe } = opinionOn(world, account, person);
  const { shown } = account;
  const params = { id: shown.id };
  const as = person.token;
  const check = (what: string, reply: { status: number; text: string }, permission: SafePermission | null) => {
    const may = permission === null || inSafe.includes(permission);
    assert.equal(reply.status, !isSeen ? 404 : may ? 200 : 403, `${what}: ${reply.text}`);
  };
  const body = AccountEdit.parse({
    name: shown.name,
    hostname: shown.hostname_ip,
    username: shown.username,
    platform_id: shown.platform_id,
    system_type: shown.system_type,
    connection_method: shown.connection_method,
  });
  check("update", await app.call(updateAccount, { params, body, as }), "update_properties");
  check("history", await app.call(readAccountHistory, { params, as }), "view_audit");
  // Checks all users who can see the account, including those with only a grant.
  check("versions", await app.call(listAccountVersions, { params, as }), null);
  const nowhere = { safe_id: randomUUID() as never };
  const moved = await app.call(moveAccount, { params, body: nowhere, as });
  assert.ok(moved.status === 404 || (moved.status === 403 && isSeen), moved.text);
}

/** Without any approver, closed access stays closed and pending requests stay pending. */
async function staysClosed(world: World, accounts: WorldAccount[]): Promise<void> {
  const waiting: { person: Inhabitant; id: never }[] = [];
  for (const person of people) {
    for (const account of accounts) {
      const { needsApproval, inSafe } = opinionOn(world, account, person);
      if (!needsApproval || inSafe.includes("approve_level_1")) continue;
      const body = { resource: account.shown.name, account_id: account.shown.id, reason: "To see it" };
      const asked = await app.call(createAccessRequest, { body, as: person.token });
      // Refused if one is already open.
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
  "OPEN-19: list, single read, retrieval and every write of an account agree, and removing approvers never grants access",
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
      const accounts = await settleAccounts({ app, people, platforms }, chance, world);
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
