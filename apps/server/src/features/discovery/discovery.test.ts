// Tests over HTTP of discovery targets, permissions, decisions about found accounts and statistics.
import {
  approveDiscoveredAccounts,
  cancelDiscoveryScan,
  createDiscoveryTarget,
  createToken,
  deleteDiscoveryTarget,
  discoveryStatistics,
  listDiscoveredAccounts,
  listDiscoveryScans,
  listDiscoveryTargets,
  readDiscoveryScan,
  readDiscoveryTarget,
  rejectDiscoveredAccounts,
  testDiscoveryTarget,
  updateDiscoveryTarget,
} from "@strongroom/contract";
import type { DiscoveryTarget, InputOf, Scope } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { actingOn } from "#features/accounts/testing/acting.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { recordDay } from "./trends.ts";
import { SSH, aDiscoveryWorld, byId, named } from "./testing/discovery-world.ts";
import type { DiscoveryWorld } from "./testing/discovery-world.ts";

let app: DiscoveryWorld["app"];
let owner: DiscoveryWorld["owner"];
let safe: DiscoveryWorld["safe"];
let linuxTarget: DiscoveryWorld["linuxTarget"];
let aTarget: DiscoveryWorld["aTarget"];
let scan: DiscoveryWorld["scan"];
let ended: DiscoveryWorld["ended"];
let scanned: DiscoveryWorld["scanned"];
let found: DiscoveryWorld["found"];
let anyCredential: DiscoveryWorld["anyCredential"];
before(async () => {
  ({ app, owner, safe, linuxTarget, aTarget, scan, ended, scanned, found, anyCredential } = await aDiscoveryWorld());
});
after(() => app.close());

describe("DISC-17 to DISC-24: the form's rules", () => {
  const cases: [string, object, RegExp][] = [
    ["no name", { name: " " }, /Target name is required/],
    ["no host", { hostname: "" }, /Hostname or IP address is required/],
    ["no credential", { credentialId: "" }, /Please select a credential/],
    ["a port that does not exist", { settings: { port: 65_536 } }, /Port must be between 1 and 65535/],
    ["a short timeout", { settings: { timeout: 999 } }, /Timeout must be at least 1000ms/],
    ["an unknown field", { password: "secret" }, /Unrecognized|unknown/i],
    ["the method of another type", { connectionMethod: "winrm" }, /scanned by ssh/],
  ];
  for (const [what, change, message] of cases) {
    test(`refuses ${what}`, async () => {
      const body = { ...linuxTarget(await anyCredential(), { host: "scanned.example.com", port: 22 }), ...change };
      const reply = await app.call(createDiscoveryTarget, { body, as: owner.token });
      assert.equal(reply.status, 400);
      assert.match(reply.text, message);
    });
  }

  test("DISC-23: port and timeout have defaults", async () => {
    const { settings: _, ...body } = linuxTarget(await anyCredential(), { host: "scanned.example.com", port: 22 });
    assert.deepEqual((await aTarget(body)).settings, { port: 22, timeout: 30_000 });
  });
});

describe("permissions", () => {
  const at = { host: "scanned.example.com", port: 22 };

  test("only users who may retrieve the credential can send it to a host", async () => {
    const account = await anyCredential();
    const user = await aPerson(app, "manager");
    await aMember(app, owner, safe, user, ["list", "use", "add"]);
    const create = await app.call(createDiscoveryTarget, { body: linuxTarget(account, at), as: user.token });
    assert.equal(create.status, 403, create.text);
    const { name: _, safeId: __, ...login } = linuxTarget(account, at);
    const tried = await app.call(testDiscoveryTarget, { body: login, as: user.token });
    assert.equal(tried.status, 403, tried.text);
    const target = await aTarget(linuxTarget(account, at));
    const edit = { ...linuxTarget(account, at, { hostname: "attacker.example.com" }), isActive: true };
    const { safeId: ___, ...body } = edit;
    const moved = await app.call(updateDiscoveryTarget, {
      ...byId(target),
      body: { description: null, ...body, schedule: null, settings: { port: 22, timeout: 30_000 } },
      as: user.token,
    });
    assert.equal(moved.status, 403, moved.text);
  });

  test("a credential whose settings name a different host from the target's is refused", async () => {
    const account = await anAccount(app, owner, safe, {
      hostname: "ldap.example.com",
      username: "cn=admin",
      additional_params: { protocol: "ldap", directory_server: "elsewhere.example.com" },
    });
    const target = { targetType: "active_directory", connectionMethod: "https" } as const;
    const body = { ...linuxTarget(account, { host: "ldap.example.com", port: 389 }), ...target };
    const reply = await app.call(createDiscoveryTarget, { body, as: owner.token });
    assert.equal(reply.status, 422, reply.text);
    assert.match(reply.text, /name a fixed host/);
  });

  for (const host of ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "0.0.0.0"]) {
    test(`the connection test sends nothing to ${host}, which no policy allows`, async () => {
      const { name: _, safeId: __, ...login } = linuxTarget(await anyCredential(), { host, port: 22 });
      const reply = await app.call(testDiscoveryTarget, { body: login, as: owner.token });
      assert.deepEqual([reply.status, reply.body.is_verified], [200, false], reply.text);
      assert.match(reply.body.message, /Nothing was sent to it/);
    });
  }

  test("an API token chooses where a credential is sent only with the scope for giving others access", async () => {
    const tokenWith = async (...scopes: Scope[]) => {
      const body = { name: "scanner", scopes: ["discovery.read", "discovery.manage", ...scopes], expires_in_days: 1 };
      const made = await app.call(createToken, { body: body as never, as: owner.token });
      assert.equal(made.status, 201, made.text);
      return made.body.token;
    };
    const [narrow, wide] = [await tokenWith(), await tokenWith("safe.share")];
    const body = linuxTarget(await anyCredential(), at);
    const refused = await app.call(createDiscoveryTarget, { body, as: narrow });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /safe\.share/);
    assert.equal((await app.call(listDiscoveryTargets, { as: narrow })).status, 200);
    assert.equal((await app.call(createDiscoveryTarget, { body, as: wide })).status, 201);
    const { name: _, safeId: __, ...login } = body;
    assert.equal((await app.call(testDiscoveryTarget, { body: login, as: wide })).status, 403);
  });

  test("targets, scans and accounts of other safes do not exist for a user", async () => {
    const target = await aTarget(linuxTarget(await anyCredential(), at));
    const failed = await scanned(target, { timeout: 5000 });
    const outsider = await aPerson(app, "manager");
    const as = outsider.token;
    assert.equal((await app.call(readDiscoveryTarget, { ...byId(target), as })).status, 404);
    assert.equal((await app.call(readDiscoveryScan, { ...byId(failed), as })).status, 404);
    assert.equal((await app.call(cancelDiscoveryScan, { ...byId(failed), as })).status, 404);
    assert.equal((await app.call(deleteDiscoveryTarget, { ...byId(target), as })).status, 404);
    assert.equal((await scan(target, {}, outsider)).status, 404);
    assert.deepEqual((await app.call(listDiscoveryTargets, { as })).body.data, []);
    assert.deepEqual((await app.call(listDiscoveryScans, { as })).body.data, []);
    assert.deepEqual(await found(target, {}, outsider), []);
    const { body: figures } = await app.call(discoveryStatistics, { as });
    assert.deepEqual([figures.total_targets, figures.total_scans, figures.recent_activity], [0, 0, []]);
  });

  test("a member who can only see the safe's audit sees targets and cannot scan them", async () => {
    const target = await aTarget(linuxTarget(await anyCredential(), at));
    const auditor = await aPerson(app, "manager");
    await aMember(app, owner, safe, auditor, ["list", "view_audit"]);
    const seen = await app.call(readDiscoveryTarget, { ...byId(target), as: auditor.token });
    assert.deepEqual([seen.status, seen.body.can_manage], [200, false]);
    assert.equal((await scan(target, {}, auditor)).status, 403);
  });

  test("a credential that moved to another safe is no longer used", async () => {
    const account = await anyCredential();
    const target = await aTarget(linuxTarget(account, at));
    const moved = await actingOn(app).move(owner, account, await aSafe(app, owner));
    assert.equal(moved.status, 200, moved.text);
    const failed = await scanned(target);
    assert.deepEqual([failed.metadata?.error, failed.metadata?.total_connections], ["credential-moved", 0]);
  });
});

describe("decisions", () => {
  let target: DiscoveryTarget;
  before(async () => {
    target = await aTarget(linuxTarget(await anyCredential(), { host: "decisions.example.com", port: 22 }));
    await app.database.pool.query(
      `insert into discovered_accounts (id, target_id, identity, account_name, hostname, system_type, status,
         is_privileged, is_locked, facts, changes, discovered_at, last_seen_at, scan_id, last_scan_id)
       select gen_random_uuid(), $1, 'user' || n, 'user' || n, 'decisions.example.com', 'linux', 'pending_approval',
         n % 2 = 0, false, '{}', '[]', now() - n * interval '1 second', now(), gen_random_uuid(), gen_random_uuid()
       from generate_series(1, 25) n`,
      [target.id],
    );
  });

  test("DISC-33, DISC-36, DISC-43: approving removes accounts from the default list", async () => {
    const pending = await found(target, { status: undefined });
    assert.equal(pending.length, 25);
    const [first, second] = pending;
    const body = { accountIds: [first!.id, second!.id], onboardingSettings: {} };
    const reply = await app.call(approveDiscoveredAccounts, { body, as: owner.token });
    assert.deepEqual(
      [reply.status, reply.body.decided, reply.body.message],
      [200, 2, "Approved 2 accounts successfully"],
    );
    const again = await app.call(approveDiscoveredAccounts, { body, as: owner.token });
    assert.deepEqual(
      again.body.failed.map(({ code }) => code),
      ["discovery.already-decided", "discovery.already-decided"],
    );
    assert.equal((await found(target, { status: undefined })).length, 23);
    assert.deepEqual((await found(target, { status: "active" })).length, 2);
  });

  test("DISC-41: rejecting needs a reason, which the account then shows", async () => {
    const [account] = await found(target, { status: undefined });
    const blank = { accountIds: [account!.id], reason: "  " };
    const refused = await app.call(rejectDiscoveredAccounts, { body: blank, as: owner.token });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /Please provide a reason for rejection/);
    const body = { ...blank, reason: "Left the company" };
    assert.equal((await app.call(rejectDiscoveredAccounts, { body, as: owner.token })).status, 200);
    const [rejected] = await found(target, { status: "rejected" });
    assert.deepEqual([rejected?.id, rejected?.rejection_reason], [account!.id, "Left the company"]);
    assert.equal(rejected?.decided_by !== null, true);
  });

  test("a user without permission decides nothing and learns nothing about other safes", async () => {
    const [account] = await found(target, { status: undefined });
    const outsider = await aPerson(app, "manager");
    const body = { accountIds: [account!.id], onboardingSettings: {} };
    const reply = await app.call(approveDiscoveredAccounts, { body, as: outsider.token });
    assert.deepEqual(
      [reply.body.decided, reply.body.failed.map(({ code }) => code)],
      [0, ["discovery.account-not-found"]],
    );
    assert.equal(named(await found(target), account!.account_name)?.status, "pending_approval");
  });

  test("pages through the list in order, with filters", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { status: "all", targetId: target.id, limit: "10", cursor } as const;
      const { body } = await app.call(listDiscoveredAccounts, { query, as: owner.token });
      assert.equal(body.total, 25);
      seen.push(...body.data.map(({ account_name }) => account_name));
      cursor = body.next_cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(
      seen,
      Array.from({ length: 25 }, (_, index) => `user${index + 1}`),
    );
    assert.equal((await found(target, { privileged: "true" })).length, 12);
    assert.equal((await found(target, { search: "user2" })).length, 7);
    assert.equal((await found(target, { search: "user%" })).length, 0);
  });
});

test("DISC-48: statistics count what the caller can see, with recent activity", async () => {
  const person = await aPerson(app, "manager");
  const own = await aSafe(app, person);
  const account = await anAccount(app, person, own, { ...SSH, hostname: "scanned.example.com" });
  const body = linuxTarget(account, { host: "scanned.example.com", port: 22 }, { safeId: own.id, name: "Mine" });
  const target = await aTarget(body, person);
  const started = await scan(target, { timeout: 5000 }, person);
  await ended(started.body, person);
  const { body: figures } = await app.call(discoveryStatistics, { as: person.token });
  assert.deepEqual(
    [figures.total_targets, figures.active_targets, figures.total_scans, figures.running_scans],
    [1, 1, 1, 0],
  );
  assert.deepEqual(
    figures.recent_activity.map(({ type }) => type),
    ["scan_failed", "target_created"],
  );
});

test("statistics count managed and unmanaged accounts, their trend and the age of privileged ones", async () => {
  const person = await aPerson(app, "manager");
  const own = await aSafe(app, person);
  const account = await anAccount(app, person, own, { ...SSH, hostname: "trend.example.com", username: "user2" });
  const body = linuxTarget(account, { host: "trend.example.com", port: 22 }, { safeId: own.id });
  const target = await aTarget(body, person);
  const { pool } = app.database;
  await pool.query(
    `insert into discovered_accounts (id, target_id, identity, account_name, hostname, system_type, status,
       is_privileged, is_locked, facts, changes, discovered_at, last_seen_at, missing_since, scan_id, last_scan_id)
     select gen_random_uuid(), $1, 'user' || n, 'user' || n, 'trend.example.com', 'linux', 'pending_approval',
       n % 2 = 0, false, '{}', '[]', now() - n * interval '8 days', now(), case when n = 8 then now() end,
       gen_random_uuid(), gen_random_uuid()
     from generate_series(1, 12) n`,
    [target.id],
  );
  const figuresNow = async () => (await app.call(discoveryStatistics, { as: person.token })).body;
  const countsIn = ({ trend: days }: Awaited<ReturnType<typeof figuresNow>>) => {
    const today = days.at(-1);
    return [today?.managed, today?.unmanaged, today?.unmanaged_privileged];
  };
  const before = await figuresNow();
  assert.equal(before.total_discovered_accounts, 12);
  assert.deepEqual(countsIn(before), [1, 10, 4], "one is in a safe, one is missing");
  assert.deepEqual(
    before.unmanaged_privileged_ages.map(({ age, count }) => [age, count]),
    [
      ["under_7_days", 0],
      ["7_to_30_days", 0],
      ["30_to_90_days", 3],
      ["over_90_days", 1],
    ],
  );
  // Onboarding, renaming and deleting accounts change the figures immediately.
  const onboarded = await anAccount(app, person, own, { ...SSH, hostname: "Trend.example.com", username: "USER4" });
  assert.deepEqual(countsIn(await figuresNow()), [2, 9, 3]);
  await pool.query("update credentials set deleted_at = now() where id = $1", [onboarded.id]);
  assert.deepEqual(countsIn(await figuresNow()), [1, 10, 4]);

  await recordDay(app.database.db, new Date(app.kernel.clock.now().getTime() - 3 * 86_400_000), target.id);
  await pool.query("update credentials set deleted_at = now() where id = $1", [account.id]);
  const { trend } = await figuresNow();
  assert.equal(trend.length, 31);
  assert.deepEqual(
    trend.slice(-5).map((day) => [day.managed, day.unmanaged, day.unmanaged_privileged]),
    [
      [0, 0, 0],
      [1, 10, 4],
      [1, 10, 4],
      [1, 10, 4],
      [0, 11, 5],
    ],
  );
  await pool.query("delete from discovered_accounts where target_id = $1 and account_name = 'user1'", [target.id]);
  assert.deepEqual(countsIn(await figuresNow()), [0, 10, 5]);
  assert.equal((await app.call(deleteDiscoveryTarget, { ...byId(target), as: person.token })).status, 200);
  assert.equal((await figuresNow()).total_discovered_accounts, 0);
});

test("DISC-29: a disabled target is not scanned; a deleted one is gone with its results", async () => {
  const target = await aTarget(linuxTarget(await anyCredential(), { host: "scanned.example.com", port: 22 }));
  const { host_key: _, ...unchanged } = target;
  const body = { ...unchanged, isActive: false } as unknown as InputOf<typeof updateDiscoveryTarget>["body"];
  delete (body as Record<string, unknown>)["is_active"];
  const disabled = await app.call(updateDiscoveryTarget, { ...byId(target), body, as: owner.token });
  assert.deepEqual([disabled.status, disabled.body.is_active], [200, false], disabled.text);
  const refused = await scan(target);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /is disabled/);
  assert.equal((await app.call(deleteDiscoveryTarget, { ...byId(target), as: owner.token })).status, 200);
  assert.equal((await app.call(readDiscoveryTarget, { ...byId(target), as: owner.token })).status, 404);
});
