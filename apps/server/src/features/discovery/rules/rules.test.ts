// Rules for discovered accounts over HTTP: placement, dry run, and automatic decisions after a scan of a real sshd.
import {
  createOnboardingRule,
  createToken,
  deleteOnboardingRule,
  disableOnboardingRule,
  dryRunOnboardingRule,
  enableOnboardingRule,
  listOnboardingRules,
  moveOnboardingRule,
  previewOnboarding,
  removeSafeMember,
} from "@strongroom/contract";
import type { InputOf, OnboardingRule } from "@strongroom/contract";
import { needs, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { SSH, aDiscoveryWorld, byId, named } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

type NewRule = NonNullable<InputOf<typeof createOnboardingRule>["body"]>;

describe("rules for discovered accounts", needs(unixUsersAvailable()), () => {
  let world: DiscoveryWorld;
  let app: DiscoveryWorld["app"];
  let owner: DiscoveryWorld["owner"];
  let sshd: Sshd;
  before(async () => {
    [world, sshd] = await Promise.all([aDiscoveryWorld(), startSshd()]);
    ({ app, owner } = world);
  });
  after(async () => {
    await app.close();
    await sshd.stop();
  });

  /** A new safe, with a target that has been scanned once. */
  async function aScannedSafe() {
    const safe = await aSafe(app, owner);
    const scanner = await sshd.addUser("active", { sudo: "ALL" });
    const login = { hostname: sshd.host, port: sshd.port, username: scanner.username, password: scanner.password };
    const platform = await aPlatform(app, { system_type: "Linux", connection_method: "SSH" });
    const account = await anAccount(app, owner, safe, { ...SSH, ...login, platform_id: platform.id });
    const target = await world.aTarget(world.linuxTarget(account, sshd, { safeId: safe.id }));
    return { safe, platform, target };
  }

  async function aRule(fields: Partial<NewRule> & Pick<NewRule, "safeId" | "action">): Promise<OnboardingRule> {
    const body = { name: "A rule", onboardingSettings: {}, ...fields };
    const made = await app.call(createOnboardingRule, { body, as: owner.token });
    assert.equal(made.status, 201, made.text);
    return made.body;
  }

  const rulesOf = async (safeId: string) => {
    const { body } = await app.call(listOnboardingRules, { as: owner.token });
    return body.data.filter((each) => each.safe_id === safeId);
  };

  test("rules that approve or reject are off until they are enabled, and each application is audited", async () => {
    const { safe, target } = await aScannedSafe();
    const [kept, dropped] = [await sshd.addUser(), await sshd.addUser()];
    const approving = await aRule({ safeId: safe.id, action: "approve", namePattern: kept.username });
    const rejecting = await aRule({ safeId: safe.id, action: "reject", namePattern: dropped.username, reason: "Test" });
    assert.deepEqual([approving.is_enabled, rejecting.is_enabled], [false, false]);
    await world.scanned(target);
    assert.equal(named(await world.found(target), kept.username)?.status, "pending_approval");
    for (const rule of [approving, rejecting]) {
      assert.equal((await app.call(enableOnboardingRule, { ...byId(rule), as: owner.token })).status, 200);
    }
    await world.scanned(target);
    const list = await world.found(target);
    const [one, other] = [named(list, kept.username), named(list, dropped.username)];
    assert.deepEqual([one?.status, one?.decided_by], ["active", 'the rule "A rule"']);
    assert.deepEqual([other?.status, other?.rejection_reason], ["rejected", "Test"]);
    assert.equal(named(list, "root")?.status, "pending_approval");
    assert.notEqual(one?.onboarding, null, "the account is onboarded");
    const { rows } = await app.database.pool.query(
      "select target_id from audit_entries where event = 'discovery.rule-applied' order by id",
    );
    assert.deepEqual(rows.map((row) => String(row["target_id"])).toSorted(), [approving.id, rejecting.id].toSorted());
    const disabled = await app.call(disableOnboardingRule, { ...byId(approving), as: owner.token });
    assert.equal(disabled.body.is_enabled, false);
  });

  test("INVARIANT: a rule never does more than the user who enabled it could do now", async () => {
    const { safe, target } = await aScannedSafe();
    const user = await sshd.addUser();
    const author = await aPerson(app, "manager");
    const membership = await aMember(app, owner, safe, author, ["list", "add"]);
    const rule = await aRule({ safeId: safe.id, action: "approve", namePattern: user.username });
    const enabled = await app.call(enableOnboardingRule, { ...byId(rule), as: author.token });
    assert.deepEqual([enabled.status, enabled.body.is_enabled], [200, true], enabled.text);
    assert.notEqual(enabled.body.acts_for, rule.acts_for);
    const params = { id: safe.id, member_id: membership.id } as never;
    assert.equal((await app.call(removeSafeMember, { params, as: owner.token })).status, 200);
    await world.scanned(target);
    assert.equal(named(await world.found(target), user.username)?.status, "pending_approval");
    const { rows } = await app.database.pool.query(
      "select result from audit_entries where event = 'discovery.rule-applied' and target_id = $1",
      [rule.id],
    );
    assert.deepEqual(rows, [{ result: "failure" }]);
  });

  test("the first matching rule chooses the safe and the platform; the order can be changed", async () => {
    const { safe, target } = await aScannedSafe();
    const [first, second] = [await aSafe(app, owner), await aSafe(app, owner)];
    await world.scanned(target);
    const root = named(await world.found(target), "root")!;
    const one = await aRule({ safeId: safe.id, action: "place", privileged: true, intoSafeId: first.id, name: "One" });
    const two = await aRule({
      safeId: safe.id,
      action: "place",
      namePattern: "ROOT",
      intoSafeId: second.id,
      name: "Two",
    });
    const planned = async () => {
      const body = { accountIds: [root.id], onboardingSettings: {} };
      const [plan] = (await app.call(previewOnboarding, { body, as: owner.token })).body.data;
      return [plan?.rule, plan?.safe?.id];
    };
    assert.deepEqual(await planned(), ["One", first.id]);
    const moved = await app.call(moveOnboardingRule, { ...byId(two), body: { direction: "up" }, as: owner.token });
    assert.equal(moved.status, 200, moved.text);
    assert.deepEqual(
      (await rulesOf(safe.id)).map(({ name }) => name),
      ["Two", "One"],
    );
    assert.deepEqual(await planned(), ["Two", second.id]);
    await app.call(disableOnboardingRule, { ...byId(two), as: owner.token });
    assert.deepEqual(await planned(), ["One", first.id]);
    assert.equal((await app.call(deleteOnboardingRule, { ...byId(one), as: owner.token })).status, 200);
    assert.deepEqual(await planned(), [null, safe.id]);
  });

  test("a dry run shows the accounts that a rule would match and changes nothing", async () => {
    const { safe, target } = await aScannedSafe();
    await world.scanned(target);
    const body = { name: "All", safeId: safe.id, action: "approve", privileged: true, onboardingSettings: {} } as const;
    const { body: shown, text } = await app.call(dryRunOnboardingRule, { body, as: owner.token });
    assert.ok(shown.names.includes(`root on ${sshd.host}`), text);
    assert.equal(shown.data.find(({ account_name }) => account_name === "root")?.outcome, "pending");
    assert.equal(named(await world.found(target), "root")?.status, "pending_approval");
    assert.deepEqual(await rulesOf(safe.id), []);
  });

  test("a rule needs its fields, permissions in both safes, and a session that authenticated recently", async () => {
    const safe = await aSafe(app, owner);
    const base = { name: "A rule", safeId: safe.id, action: "approve", onboardingSettings: {} } as const;
    const bad: [object, RegExp][] = [
      [{ action: "reject" }, /Please provide a reason for rejection/],
      [{ action: "place" }, /Choose a safe or a platform/],
      [{ name: "" }, /Rule name is required/],
    ];
    for (const [change, message] of bad) {
      const reply = await app.call(createOnboardingRule, { body: { ...base, ...change }, as: owner.token });
      assert.deepEqual([reply.status, message.test(reply.text)], [400, true], reply.text);
    }
    const outsider = await aPerson(app, "manager");
    for (const endpoint of [createOnboardingRule, dryRunOnboardingRule]) {
      assert.equal((await app.call(endpoint, { body: base, as: outsider.token })).status, 404);
    }
    const member = await aPerson(app, "manager");
    await aMember(app, owner, safe, member, ["list", "add"]);
    const foreign = { ...base, intoSafeId: (await aSafe(app, owner)).id };
    assert.equal((await app.call(createOnboardingRule, { body: foreign, as: member.token })).status, 404);
    const scopes = ["discovery.manage", "safe.share"] as const;
    const token = await app.call(createToken, {
      body: { name: "narrow", scopes: [...scopes], expires_in_days: 1 },
      as: owner.token,
    });
    assert.equal((await app.call(createOnboardingRule, { body: base, as: token.body.token })).status, 403);
    await app.database.pool.query(
      "update sign_in_sessions set proved_at = proved_at - interval '2 days' where user_id = $1",
      [member.id],
    );
    const stale = await app.call(createOnboardingRule, { body: base, as: member.token });
    assert.deepEqual([stale.status, /step-up\.required/.test(stale.text)], [403, true]);
  });
});
