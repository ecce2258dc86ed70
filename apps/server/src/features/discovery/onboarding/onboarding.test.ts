// Onboarding over HTTP: accounts of a real sshd are added to safes, and a real reconcile account sets their passwords.
import {
  approveDiscoveredAccounts,
  createToken,
  listOnboardings,
  previewOnboarding,
  readAccountDetails,
  readOnboarding,
  reconcileAccount,
  rejectDiscoveredAccounts,
  removeSafeMember,
  retrieveAccount,
  undoOnboarding,
  updatePlatform,
  validateAccount,
} from "@strongroom/contract";
import type { DiscoveredAccount, DiscoveryTarget, InputOf, Platform } from "@strongroom/contract";
import { needs, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { actingOn } from "#features/accounts/testing/acting.ts";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { eventually } from "#testing/waiting.ts";
import { SSH, aDiscoveryWorld, byId, named } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

type Order = NonNullable<InputOf<typeof approveDiscoveredAccounts>["body"]>;

const LINUX = { system_type: "Linux", connection_method: "SSH" } as const;
const ROTATE = { rotationPolicy: "manual", monitoring: true, autoRotate: true } as const;

let world: DiscoveryWorld;
let app: DiscoveryWorld["app"];
let owner: DiscoveryWorld["owner"];
before(async () => {
  world = await aDiscoveryWorld();
  ({ app, owner } = world);
});
after(() => app.close());

const approve = (accounts: readonly DiscoveredAccount[], more: Partial<Order> = {}, who = owner) =>
  app.call(approveDiscoveredAccounts, {
    body: { accountIds: accounts.map(({ id }) => id), onboardingSettings: {}, ...more },
    as: who.token,
  });

const preview = async (accounts: readonly DiscoveredAccount[], more: Partial<Order> = {}, who = owner) => {
  const body = { accountIds: accounts.map(({ id }) => id), onboardingSettings: {}, ...more };
  const reply = await app.call(previewOnboarding, { body, as: who.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
};

/** Waits until the onboarding of the account is in this state. */
const onboarded = (account: Pick<DiscoveredAccount, "id">, state: string) =>
  eventually(async () => {
    const { body } = await app.call(listOnboardings, { as: owner.token });
    const found = body.data.find(({ discovered_id }) => discovered_id === account.id);
    return found?.state === state ? found : null;
  });

async function changePlatform(platform: Platform, changes: Partial<Platform>): Promise<void> {
  const admin = await firstAdmin(app);
  const { account_count: _, reconcile_readiness: __, id, created_at: ___, updated_at: ____, ...body } = platform;
  const reply = await app.call(updatePlatform, { ...byId({ id }), body: { ...body, ...changes }, as: admin.token });
  assert.equal(reply.status, 200, reply.text);
}

describe("onboarding on a real Linux host", needs(unixUsersAvailable()), () => {
  let sshd: Sshd;
  before(async () => {
    sshd = await startSshd();
  });
  after(() => sshd.stop());

  /** A scanned host whose scanner is also the platform's reconcile account, unless `isReconciled` is false. */
  async function aScannedHost({ isReconciled = true } = {}) {
    const scanner = await sshd.addUser("active", { sudo: "ALL" });
    const platform = await aPlatform(app, LINUX);
    const login = { hostname: sshd.host, port: sshd.port, username: scanner.username, password: scanner.password };
    const account = await anAccount(app, owner, world.safe, { ...SSH, ...login, platform_id: platform.id });
    if (isReconciled) await changePlatform(platform, { reconcile_account_id: account.id });
    const user = await sshd.addUser();
    const target = await world.aTarget(world.linuxTarget(account, sshd));
    await world.scanned(target);
    const found = named(await world.found(target), user.username)!;
    return { scanner, platform, account, user, target, found };
  }

  test("DISC-36: the reconcile account sets a new password, which only Strongroom knows and which is verified", async () => {
    const { user, found, platform } = await aScannedHost();
    const [plan] = await preview([found], { onboardingSettings: ROTATE });
    assert.deepEqual(
      [plan?.outcome, plan?.safe?.id, plan?.platform?.id, plan?.reconcile.is_possible],
      ["rotate", world.safe.id, platform.id, true],
      JSON.stringify(plan),
    );
    const approved = await approve([found], { onboardingSettings: ROTATE });
    assert.equal(approved.body.decided, 1, approved.text);
    const done = await onboarded(found, "done");
    assert.match(done.message, /Only Strongroom knows the password/);
    const account = await app.call(readAccountDetails, { ...byId({ id: done.account_id! }), as: owner.token });
    assert.deepEqual(
      [account.body.status, account.body.last_validation_status, account.body.username],
      ["active", "valid", user.username],
    );
    const { body: retrieved } = await app.call(retrieveAccount, { ...byId(account.body), as: owner.token });
    assert.notEqual(retrieved.password, user.password);
    const valid = await app.call(validateAccount, { ...byId(account.body), as: owner.token });
    assert.equal(valid.body.success, true, valid.text);
    const { body } = await app.call(readOnboarding, { ...byId(done), as: owner.token });
    assert.deepEqual(
      body.journal.map(({ state }) => state),
      ["planned", "planned", "rotating", "done"],
    );
    const { rows } = await app.database.pool.query(
      "select event from audit_entries where target_type = 'account' and target_id = $1",
      [account.body.id],
    );
    const events = rows.map(({ event }) => event);
    for (const event of ["account.created", "account.rotated", "discovery.account-onboarded"]) {
      assert.ok(events.includes(event), `${event} is in ${events.join(", ")}`);
    }
    // INVARIANT: a placeholder is never sent to a target.
    assert.doesNotMatch(sshd.log(), new RegExp(`Failed password for ${user.username}`));
  });

  test("without a reconcile account, the account is pending until a user stores its password", async () => {
    const { user, found, platform } = await aScannedHost({ isReconciled: false });
    const order = { onboardingSettings: ROTATE, placement: { platformId: platform.id } };
    const [plan] = await preview([found], order);
    assert.deepEqual([plan?.outcome, plan?.reconcile.is_possible], ["pending", false]);
    assert.match(plan!.reconcile.message, /has no reconcile account/);
    await approve([found], order);
    const waiting = await onboarded(found, "waiting");
    assert.match(waiting.message, /No password is known yet.*Store the password/s);
    const id = waiting.account_id!;
    const account = (await app.call(readAccountDetails, { ...byId({ id }), as: owner.token })).body;
    assert.deepEqual([account.status, account.last_validation_status], ["pending", "untested"]);
    const mark = sshd.log().length;
    const refused = await app.call(validateAccount, { ...byId({ id }), as: owner.token });
    assert.deepEqual([refused.status, /not known yet/.test(refused.text)], [409, true]);
    const reconcile = await app.call(reconcileAccount, { ...byId({ id }), as: owner.token });
    assert.equal(reconcile.status, 409);
    const kept = await app.call(retrieveAccount, { ...byId({ id }), as: owner.token });
    assert.deepEqual([kept.status, /account\.not-active/.test(kept.text)], [409, true], kept.text);
    const renamed = await actingOn(app).update(owner, account, { status: "active", hostname: "localhost" } as never);
    assert.deepEqual([renamed.status, renamed.body.status], [200, "pending"], renamed.text);
    assert.doesNotMatch(sshd.log().slice(mark), /Failed password/);

    const stored = await actingOn(app).update(owner, account, { password: user.password });
    assert.deepEqual([stored.status, stored.body.status], [200, "active"], stored.text);
    assert.match((await onboarded(found, "done")).message, /A user stored the password/);
    await eventually(async () => {
      const { body } = await app.call(readAccountDetails, { ...byId({ id }), as: owner.token });
      return body.last_validation_status === "valid" ? body : null;
    });
  });

  test("a pending account is completed by Reconcile once its platform has a reconcile account", async () => {
    const { found, platform, account: scanner, user } = await aScannedHost({ isReconciled: false });
    await approve([found], { placement: { platformId: platform.id } });
    const { account_id } = await onboarded(found, "waiting");
    await changePlatform(platform, { reconcile_account_id: scanner.id });
    const asked = await app.call(reconcileAccount, { ...byId({ id: account_id! }), as: owner.token });
    assert.equal(asked.status, 202, asked.text);
    await onboarded(found, "done");
    assert.doesNotMatch(sshd.log(), new RegExp(`Failed password for ${user.username}`));
  });

  test("an onboarding can be undone until its rotation: the account is gone and needs a decision again", async () => {
    const { found, target, platform } = await aScannedHost({ isReconciled: false });
    await approve([found], { placement: { platformId: platform.id } });
    const waiting = await onboarded(found, "waiting");
    const undone = await app.call(undoOnboarding, { ...byId(waiting), as: owner.token });
    assert.deepEqual([undone.status, undone.body.state, undone.body.account_id], [200, "undone", null], undone.text);
    const gone = await app.call(readAccountDetails, { ...byId({ id: waiting.account_id! }), as: owner.token });
    assert.equal(gone.status, 404);
    const again = named(await world.found(target), found.account_name);
    assert.deepEqual([again?.status, again?.account_id], ["pending_approval", null]);
    const twice = await app.call(undoOnboarding, { ...byId(waiting), as: owner.token });
    assert.equal(twice.status, 409);
  });

  test("an onboarding cannot be undone after the password was set", async () => {
    const { found } = await aScannedHost();
    await approve([found], { onboardingSettings: ROTATE });
    const done = await onboarded(found, "done");
    const undone = await app.call(undoOnboarding, { ...byId(done), as: owner.token });
    assert.equal(undone.status, 409, undone.text);
  });
});

describe("permissions and plans", () => {
  let target: DiscoveryTarget;
  before(async () => {
    target = await world.aTarget(
      world.linuxTarget(await world.anyCredential(), { host: "plans.example.com", port: 22 }),
    );
  });

  async function discovered(...names: string[]): Promise<DiscoveredAccount[]> {
    await app.database.pool.query(
      `insert into discovered_accounts (id, target_id, identity, account_name, hostname, system_type, status,
         is_privileged, is_locked, facts, changes, dependents, discovered_at, last_seen_at, scan_id, last_scan_id)
       select gen_random_uuid(), $1, name, name, 'plans.example.com', 'linux', 'pending_approval', false, false, '{}',
         '[]', '[{"kind": "cron-job", "name": "/etc/cron.d/backup", "detail": null}]', now(), now(),
         gen_random_uuid(), gen_random_uuid()
       from unnest($2::text[]) name`,
      [target.id, names],
    );
    const list = await world.found(target);
    return names.map((name) => named(list, name)!);
  }

  test("hostile names are refused with a reason, stored unchanged by the scan, and never added to a safe", async () => {
    const names = ["esc\u001b[31mred", "rtl\u202egnp", " lead", "x".repeat(200), "two\nlines"];
    const sql = "'; drop table accounts; --";
    const accounts = await discovered(...names, sql);
    const reply = await approve(accounts);
    assert.deepEqual([reply.status, reply.body.decided], [200, 1], reply.text);
    assert.deepEqual(
      reply.body.failed.map(({ code }) => code),
      names.map(() => "discovery.name-unsuitable"),
    );
    const stored = await onboarded(accounts.at(-1)!, "waiting");
    const account = await app.call(readAccountDetails, { ...byId({ id: stored.account_id! }), as: owner.token });
    assert.equal(account.body.username, sql);
  });

  test("INVARIANT: a plan needs add in both safes, and manage_secret to set a password", async () => {
    const [account] = await discovered("planned");
    const user = await aPerson(app, "manager");
    await aMember(app, owner, world.safe, user, ["list", "add"]);
    const foreign = await aSafe(app, owner);
    const cases: [Partial<Order>, string | null][] = [
      [{}, null],
      [{ onboardingSettings: ROTATE }, "change secrets"],
      [{ placement: { safeId: foreign.id } }, "Safe not found"],
      [{ placement: { platformId: "0190c0de-0000-7000-8000-00000000dead" } }, "Platform not found"],
    ];
    for (const [order, problem] of cases) {
      const [plan] = await preview([account!], order, user);
      assert.equal(plan?.outcome, problem === null ? "pending" : "refused", JSON.stringify(plan));
      if (problem === null) continue;
      assert.ok(plan.problem?.includes(problem), plan.problem ?? "");
      const reply = await approve([account!], order, user);
      assert.deepEqual([reply.body.decided, reply.body.failed.length], [0, 1], reply.text);
    }
    assert.deepEqual(await preview([account!], {}, await aPerson(app, "manager")), []);
  });

  test("the preview names the dependents, and where the platform differs from the requested settings", async () => {
    const [account] = await discovered("compared");
    const platform = await aPlatform(app, { ...LINUX, rotate_every_days: 60, verify_every_hours: null });
    const [plan] = await preview([account!], { placement: { platformId: platform.id } });
    assert.deepEqual(plan?.dependents, [{ kind: "cron-job", name: "/etc/cron.d/backup", detail: null }]);
    assert.match(plan.notes.join(" "), /rotates passwords every 60 days; you chose every 30 days/);
    assert.match(plan.notes.join(" "), /does not verify passwords regularly/);
  });

  test("INVARIANT: no API token can approve, and a session must have authenticated recently", async () => {
    const [account] = await discovered("guarded");
    const made = await app.call(createToken, {
      body: { name: "narrow", scopes: ["discovery.manage", "safe.share", "account.create"], expires_in_days: 1 },
      as: owner.token,
    });
    const byToken = await approve([account!], {}, { ...owner, token: made.body.token });
    assert.equal(byToken.status, 403, byToken.text);
    const person = await aPerson(app, "manager");
    await aMember(app, owner, world.safe, person, "owner");
    await app.database.pool.query(
      "update sign_in_sessions set proved_at = proved_at - interval '2 days' where user_id = $1",
      [person.id],
    );
    const stale = await approve([account!], {}, person);
    assert.deepEqual([stale.status, /step-up\.required/.test(stale.text)], [403, true]);
  });

  test("INVARIANT: the requester's permissions are checked again when the account is stored", async () => {
    const [account] = await discovered("demoted");
    const user = await aPerson(app, "manager");
    const membership = await aMember(app, owner, world.safe, user, ["list", "add"]);
    const client = await app.database.pool.connect();
    try {
      // The job waits for this lock before it plans again.
      await client.query("begin");
      await client.query("select pg_advisory_xact_lock(730580891, hashtext($1))", ["plans.example.com\ndemoted"]);
      const approved = await approve([account!], {}, user);
      assert.equal(approved.body.decided, 1, approved.text);
      const params = { id: world.safe.id, member_id: membership.id };
      const removed = await app.call(removeSafeMember, { params: params, as: owner.token });
      assert.equal(removed.status, 200, removed.text);
      await client.query("commit");
    } finally {
      client.release();
    }
    await onboarded(account!, "failed");
    assert.equal(named(await world.found(target), "demoted")?.status, "pending_approval");
  });

  test("onboardings whose process was killed continue with the next sweep", async () => {
    const [account] = await discovered("orphan");
    const platform = await aPlatform(app, LINUX);
    await app.database.pool.query(
      `insert into discovery_onboardings (id, run_id, discovered_id, state, message, safe_id, platform_id, name,
         is_rotated, requested_by, requester_name, created_at, updated_at)
       values (gen_random_uuid(), gen_random_uuid(), $1, 'planned', '', $2, $3, 'orphan', false, $4, 'Owner', now(), now())`,
      [account!.id, world.safe.id, platform.id, owner.id],
    );
    await app.database.pool.query("update discovered_accounts set status = 'active' where id = $1", [account!.id]);
    const { database, jobs } = app.kernel;
    await eventually(() => database.transaction((tx) => jobs.enqueue(tx, "discovery.sweep-onboardings", {})));
    await onboarded(account!, "waiting");
  });

  test(
    "a run of 1,000 approvals works as one job, and a rejected account cannot be onboarded",
    { timeout: 600_000 },
    async () => {
      const names = Array.from({ length: 1000 }, (_, index) => `bulk${index}`);
      await discovered(...names);
      const { rows } = await app.database.pool.query(
        "select id from discovered_accounts where target_id = $1 and account_name like 'bulk%'",
        [target.id],
      );
      const approved = await approve(rows);
      assert.deepEqual([approved.status, approved.body.decided], [200, 1000], approved.text);
      const runId = approved.body.run_id!;
      for (let stored = 100; stored <= 1000; stored += 100) {
        await eventually(async () => {
          const { body } = await app.call(listOnboardings, { query: { runId, limit: "1" }, as: owner.token });
          return body.counts.waiting >= stored ? body : null;
        });
      }
      const job = await app.database.pool.query("select done, total from job_runs where id = $1", [runId]);
      assert.equal(job.rows[0].total, 1000);
      const [other] = await discovered("rejected-one");
      const body = { accountIds: [other!.id], reason: "Not ours" };
      await app.call(rejectDiscoveredAccounts, { body, as: owner.token });
      assert.deepEqual(
        (await approve([other!])).body.failed.map(({ code }) => code),
        ["discovery.already-decided"],
      );
    },
  );
});
