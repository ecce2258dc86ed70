// Tests on a real PostgreSQL that access is blocked from the end of a use until the rotation is verified.
import {
  allowAccountAccess,
  checkInAccount,
  listAccountRotations,
  listNotifications,
  readAccount,
  readAccountDetails,
  retrieveAccount,
  updateAccount,
  updatePlatform,
  AccountEdit,
} from "@strongroom/contract";
import type { Account, NewPlatform, Platform } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { endAfter, entriesOf, requestsOf } from "#features/access-requests/testing/requestable-account.ts";
import { aPolicy, anAccount, aPlatform } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { DATABASE, onPostgresql } from "./testing/on-postgresql.ts";
import type { PostgresqlSetup } from "./testing/on-postgresql.ts";

let place: PostgresqlSetup;
let owner: TestPerson;
before(async () => {
  place = await onPostgresql();
  owner = await aPerson(place.app);
});
after(() => place.close());

type Fields = Partial<NewPlatform>;
const AFTER_USE = { approvals_level_1: 1, rotate_after_check_in: true, rotate_automatically: false } as const;

/** Returns an account for which two users have a grant. */
async function aScene(fields: Fields = {}) {
  const { app } = place;
  const there = await place.anAccountThere(owner, { platform: { ...AFTER_USE, ...fields } });
  const { account, safe } = there;
  const requests = requestsOf(app);
  const [first, second, approver] = [await aPerson(app), await aPerson(app), await aPerson(app)];
  await aMember(app, owner, safe, approver, "approver");
  const grants = [];
  for (const person of [first, second]) {
    await aMember(app, owner, safe, person, ["list"]);
    const asked = (await requests.ask(person, account)).body;
    assert.equal((await requests.approve(approver, asked)).status, 200);
    grants.push(asked);
  }
  return { ...there, requests, first, second, approver, grants };
}

const shown = async (id: Account["id"], as = owner) =>
  (await place.app.call(readAccountDetails, { params: { id }, as: as.token })).body;

const rotationsOf = async (id: Account["id"]) =>
  (await place.app.call(listAccountRotations, { params: { id }, as: owner.token })).body.rotations;

const retrieve = (id: Account["id"], who: TestPerson) =>
  place.app.call(retrieveAccount, { params: { id }, body: {}, as: who.token });

const codeOf = (reply: { body: unknown }) => (reply.body as { code?: string }).code;

/** Waits for a rotation that the end of a use starts. The test itself does not queue the schedule. */
async function rotatedByItself(id: Account["id"], count = 1) {
  return eventually(async () => {
    const rotations = await rotationsOf(id);
    return rotations.length === count && rotations[0]!.state === "rotated" ? rotations[0]! : null;
  });
}

/** Blocks changes of this role on the target until the returned function is called. */
async function holdChanges(username: string) {
  const { host, port } = place.target;
  const { username: user, password } = place.target.superuser;
  const client = new pg.Client({ host, port, user, password, database: "postgres" });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("begin");
  await client.query(`alter role "${username}" connection limit -1`);
  return async () => {
    await client.query("rollback");
    await client.end();
  };
}

async function changePlatform(platform: Platform, fields: Fields): Promise<void> {
  const { token: as } = await firstAdmin(place.app);
  const known = Object.keys(aPolicy) as (keyof NewPlatform)[];
  const current = Object.fromEntries(known.map((key) => [key, platform[key as keyof Platform]])) as NewPlatform;
  const body = { ...current, ...fields };
  const reply = await place.app.call(updatePlatform, { params: { id: platform.id }, body, as });
  assert.equal(reply.status, 200, reply.text);
}

const allow = (id: Account["id"], who: TestPerson) =>
  place.app.call(allowAccountAccess, { params: { id }, body: { reason: "Needed tonight" }, as: who.token });

describe("when the platform blocks access", () => {
  test("an expired grant triggers a rotation within 5 s, without the schedule", async () => {
    const { account, requests, first, grants, role } = await aScene();
    const { password } = (await requests.retrieve(first, account)).body;
    const endsAt = Date.now() + 200;
    await endAfter(place.app, grants[0]!, 200);
    const rotation = await rotatedByItself(account.id);
    assert.equal(rotation.because, "grant-ended");
    const delay = Date.parse(rotation.started_at) - endsAt;
    assert.ok(delay < 5_000, `it began ${delay} ms after the end`);
    assert.equal(await place.logsIn(role.username, password), false);
  });

  test("all retrievals fail from the end of a grant until the rotation is verified", async () => {
    const { account, requests, first, second, grants, role } = await aScene();
    const { password } = (await requests.retrieve(first, account)).body;
    const release = await holdChanges(role.username);
    assert.equal((await requests.revoke(first, grants[0]!)).status, 200);
    const refused = await retrieve(account.id, second);
    assert.deepEqual([refused.status, codeOf(refused)], [409, "account.rotating"], refused.text);
    assert.ok(!refused.text.includes(password));
    const { body: read } = await place.app.call(readAccount, { params: { id: account.id }, as: second.token });
    assert.deepEqual([read.password, read.access_block?.state], [null, "rotating"]);
    await release();
    await rotatedByItself(account.id);
    const given = await retrieve(account.id, second);
    assert.equal(given.status, 200, given.text);
    assert.notEqual(given.body.password, password);
    assert.equal(await place.logsIn(role.username, given.body.password), true);
    assert.equal((await shown(account.id)).access_block, null);
  });

  test("an expired grant blocks access before the sweep has recorded its end", async () => {
    const { account, requests, first, second, grants } = await aScene();
    assert.equal((await requests.retrieve(first, account)).status, 200);
    await place.app.kernel.database.transaction(async (tx) => {
      // The sweep cannot end the grant while the row is locked.
      await tx.selectFrom("credentials").select("id").where("id", "=", account.id).forNoKeyUpdate().execute();
      await endAfter(place.app, grants[0]!, -1);
      assert.equal((await shown(account.id, second)).access_block?.state, "rotating");
    });
    await rotatedByItself(account.id);
  });

  test("an expired exclusive check-out triggers a rotation before the next check-out", async () => {
    const { account, role, safe } = await place.anAccountThere(owner, {
      platform: { ...AFTER_USE, approvals_level_1: 0, exclusive_check_out: true },
    });
    const next = await aPerson(place.app);
    await aMember(place.app, owner, safe, next, "user");
    const password = await place.passwordOf(owner, account.id);
    const release = await holdChanges(role.username);
    await place.sql("update account_check_outs set until = access_time() where account_id = $1", account.id);
    const refused = await retrieve(account.id, next);
    assert.deepEqual([refused.status, codeOf(refused)], [409, "account.rotating"], refused.text);
    await release();
    assert.equal((await rotatedByItself(account.id)).because, "check-in");
    const given = await retrieve(account.id, next);
    assert.deepEqual([given.status, given.body.check_out?.is_own], [200, true], given.text);
    assert.notEqual(given.body.password, password);
  });

  test("the block outlives a process that stops during the change, until another process verifies the change", async () => {
    const own = await onPostgresql();
    const shared = place;
    place = own;
    owner = await aPerson(own.app);
    let restarted: TestApp | null = null;
    try {
      const { account, requests, first, second, grants, role } = await aScene();
      const { password } = (await requests.retrieve(first, account)).body;
      const release = await holdChanges(role.username);
      assert.equal((await requests.revoke(first, grants[0]!)).status, 200);
      await eventually(async () => ((await rotationsOf(account.id))[0]?.step === "sent" ? true : null));
      const kept = await own.app.stopOnly();
      await release();
      restarted = await testApp(kept);
      const again = requestsOf(restarted);
      // The lease of the stopped process has not expired.
      const during = await again.retrieve(second, account);
      assert.deepEqual([during.status, codeOf(during)], [409, "account.rotating"], during.text);
      await own.sql("update rotations set lease_until = clock_timestamp() - interval '1 s' where step <> 'ended'");
      const given = await eventually(async () => {
        const reply = await again.retrieve(second, account);
        return reply.status === 200 ? reply.body : null;
      });
      assert.equal(await own.logsIn(role.username, given.password), true);
      assert.equal(await own.logsIn(role.username, password), false);
    } finally {
      place = shared;
      owner = await aPerson(place.app);
      await own.target.stop();
      await restarted?.close();
    }
  });
});

describe("a rotation that stops", () => {
  test("keeps the account blocked with a reason, and a secret manager can allow access until the next use ends", async () => {
    const { account, requests, first, second, approver, grants, role } = await aScene();
    assert.equal((await requests.retrieve(first, account)).status, 200);
    await place.setPassword(role.username, "set-by-hand-2");
    assert.equal((await requests.revoke(first, grants[0]!)).status, 200);
    const stopped = await eventually(async () => {
      const { access_block: block } = await shown(account.id);
      return block?.state === "stopped" ? block : null;
    });
    assert.match(stopped.message, /The target refused/);
    assert.match(stopped.message, /secret manager can retry the rotation, store a new password, or allow access/);
    assert.deepEqual([stopped.can_allow, (await shown(account.id, second)).access_block?.can_allow], [true, false]);
    const { body: told } = await place.app.call(listNotifications, { as: owner.token });
    assert.ok(JSON.stringify(told).includes(account.name), "the owner is notified");

    for (const person of [second, approver]) assert.equal((await allow(account.id, person)).status, 403);
    const allowed = await allow(account.id, owner);
    assert.deepEqual([allowed.status, allowed.body.access_block], [200, null], allowed.text);
    assert.equal(codeOf(await allow(account.id, owner)), "account.not-blocked");
    const entries = await entriesOf(place.app, account.id);
    const recorded = entries.filter(({ event, result }) => event === "account.access-allowed" && result === "success");
    assert.deepEqual(
      recorded.map(({ reason, details }) => [reason, details?.["state"]]),
      [["Needed tonight", "stopped"]],
    );

    assert.equal((await retrieve(account.id, second)).status, 200);
    assert.equal((await requests.revoke(second, grants[1]!)).status, 200);
    assert.equal((await shown(account.id)).access_block?.state, "stopped");
  });

  test("ends its block when a new password is stored", async () => {
    const { account, requests, first, second, grants, role } = await aScene();
    assert.equal((await requests.retrieve(first, account)).status, 200);
    await place.setPassword(role.username, "set-by-hand-3");
    await requests.revoke(first, grants[0]!);
    await eventually(async () => ((await shown(account.id)).access_block?.state === "stopped" ? true : null));
    const { hostname_ip: hostname, name, platform_id } = account;
    const body = AccountEdit.parse({
      ...DATABASE,
      name,
      hostname,
      port: place.target.port,
      username: role.username,
      platform_id,
      password: "set-by-hand-3",
    });
    const stored = await place.app.call(updateAccount, { params: { id: account.id }, body, as: owner.token });
    assert.deepEqual([stored.status, stored.body.access_block], [200, null], stored.text);
    assert.equal((await retrieve(account.id, second)).body.password, "set-by-hand-3");
  });

  test("cannot start on an inactive platform: the account shows the reason and access can be allowed", async () => {
    const { account, requests, first, second, grants, platform } = await aScene();
    assert.equal((await requests.retrieve(first, account)).status, 200);
    await changePlatform(platform, { is_active: false });
    await requests.revoke(first, grants[0]!);
    const { access_block: block } = await shown(account.id);
    assert.deepEqual([block?.state, /not active/.test(block?.message ?? "")], ["stopped", true]);
    assert.equal((await allow(account.id, owner)).status, 200);
    assert.equal((await retrieve(account.id, second)).status, 200);
    // The rotation starts only after the allowed access ends, even if the obstacle is removed earlier.
    await changePlatform(platform, { is_active: true });
    await place.app.kernel.database.transaction((tx) => place.app.kernel.jobs.enqueue(tx, "rotation.start-due", {}));
    assert.deepEqual(await rotationsOf(account.id), []);
    await requests.revoke(second, grants[1]!);
    await rotatedByItself(account.id);
  });

  test("does not block access if no connector can change the password, and secret managers are notified", async () => {
    const { app } = place;
    const safe = await aSafe(app, owner);
    const platform = await aPlatform(app, { rotate_after_check_in: true, exclusive_check_out: true });
    const account = await anAccount(app, owner, safe, { platform_id: platform.id });
    assert.equal((await retrieve(account.id, owner)).status, 200);
    assert.equal((await app.call(checkInAccount, { params: { id: account.id }, as: owner.token })).status, 200);
    await eventually(async () => {
      const { body } = await app.call(listNotifications, { as: owner.token });
      return JSON.stringify(body).includes("could not be changed after its use") ? true : null;
    });
    const after = await shown(account.id);
    assert.deepEqual([after.access_block, after.rotation_status], [null, "overdue"]);
    assert.equal((await retrieve(account.id, owner)).status, 200);
  });
});

describe("when the platform allows access", () => {
  test("the rotation waits until the last use ends and then starts automatically", async () => {
    const { account, requests, first, second, grants, role } = await aScene({ access_until_rotated: "allowed" });
    const { password } = (await requests.retrieve(first, account)).body;
    assert.equal((await requests.retrieve(second, account)).status, 200);
    assert.equal((await requests.revoke(first, grants[0]!)).status, 200);
    await place.app.kernel.database.transaction((tx) => place.app.kernel.jobs.enqueue(tx, "rotation.start-due", {}));
    const again = await retrieve(account.id, second);
    assert.equal(again.body.password, password, again.text);
    assert.equal((await shown(account.id)).rotation_status, "overdue");
    assert.deepEqual(await rotationsOf(account.id), []);
    assert.equal(await place.logsIn(role.username, password), true);
    assert.equal((await requests.revoke(second, grants[1]!)).status, 200);
    await rotatedByItself(account.id);
    assert.equal(await place.logsIn(role.username, password), false);
  });

  test("a later check-out delays a rotation that has sent nothing; a rotation that may have sent a change blocks access", async () => {
    const { account, requests, first, second, grants, role } = await aScene({ access_until_rotated: "allowed" });
    const { password } = (await requests.retrieve(first, account)).body;
    await place.sql("update credentials set port = 1 where id = $1", account.id);
    assert.equal((await requests.revoke(first, grants[0]!)).status, 200);
    const { id } = await eventually(async () => {
      const [rotation] = await rotationsOf(account.id);
      return rotation?.state === "waiting" && rotation.step === "stored" ? rotation : null;
    });
    assert.equal((await retrieve(account.id, second)).body.password, password);
    await place.sql("update credentials set port = $2 where id = $1", account.id, place.target.port);
    const wake = () => place.sql("update rotations set next_at = now() where id = $1", id);
    await wake();
    await eventually(async () => {
      const [row] = await place.sql(
        "select next_at > now() + interval '5 s' as waits from rotations where id = $1",
        id,
      );
      return row.waits === true ? true : null;
    });
    assert.equal(await place.logsIn(role.username, password), true);
    const release = await holdChanges(role.username);
    assert.equal((await requests.revoke(second, grants[1]!)).status, 200);
    await wake();
    await eventually(async () => ((await rotationsOf(account.id))[0]?.step === "sent" ? true : null));
    assert.equal((await shown(account.id)).access_block?.state, "rotating");
    assert.equal(codeOf(await allow(account.id, owner)), "account.rotation-under-way");
    await release();
    await rotatedByItself(account.id);
  });
});
