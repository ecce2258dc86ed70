// Tests of calls that scan several targets: started and skipped targets, permissions and the audit trail.
import {
  MOST_SCANNED_TARGETS,
  createToken,
  listDiscoveryScans,
  startDiscoveryScans,
  startEnhancedScans,
} from "@strongroom/contract";
import type { DiscoveryTarget, DiscoveryTargetId, SkippedTarget } from "@strongroom/contract";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { SSH, aDiscoveryWorld } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

let world: DiscoveryWorld;
let credential: Awaited<ReturnType<DiscoveryWorld["anyCredential"]>>;
before(async () => {
  world = await aDiscoveryWorld();
  credential = await world.anyCredential();
});
after(() => world.app.close());

const AT = { host: "scanned.invalid", port: 22 };
const aHost = (name: string) => world.aTarget(world.linuxTarget(credential, AT, { name }));

/** A target of which both kinds of scans run. */
async function aBusyHost(name: string): Promise<DiscoveryTarget> {
  const target = await aHost(name);
  const { pool } = world.app.database;
  await pool.query(
    `insert into discovery_scans (id, target_id, status, include_system_accounts, timeout_ms, max_accounts,
       requested_by, created_at)
     values (gen_random_uuid(), $1, 'running', false, 30000, 1000, 'a test', now())`,
    [target.id],
  );
  await pool.query(
    `insert into scans (id, target_id, scan_type, status, config, frameworks, auto_vault, requester_id, requested_by,
       created_at)
     values (gen_random_uuid(), $1, 'enhanced', 'running', '{}', '{}', false, gen_random_uuid(), 'a test', now())`,
    [target.id],
  );
  return target;
}

async function aDisabledHost(name: string): Promise<DiscoveryTarget> {
  const target = await aHost(name);
  await world.app.database.pool.query("update discovery_targets set is_active = false where id = $1", [target.id]);
  return target;
}

const CALLS = {
  basic: {
    start: (targetIds: readonly string[], { token }: Pick<TestPerson, "token"> = world.owner) =>
      world.app.call(startDiscoveryScans, {
        body: { targetIds: targetIds as DiscoveryTargetId[], scanSettings: {} },
        as: token,
      }),
    open: "discovery.scan-open",
    one: "discovery.scan-requested",
    several: "discovery.scans-requested",
    table: "discovery_scans",
  },
  enhanced: {
    start: (targetIds: readonly string[], { token }: Pick<TestPerson, "token"> = world.owner) =>
      world.app.call(startEnhancedScans, {
        body: { targetIds: targetIds as DiscoveryTargetId[], scanConfig: {}, complianceFrameworks: [] },
        as: token,
      }),
    open: "scan.open",
    one: "scan.requested",
    several: "scan.several-requested",
    table: "scans",
  },
} as const;

const ids = (targets: readonly { id: string }[]) => targets.map(({ id }) => id);
const codes = (skipped: readonly SkippedTarget[]) => skipped.map(({ id, code }) => [id, code]);

for (const [kind, { start, open, one, several, table }] of Object.entries(CALLS)) {
  const scansOf = async (targets: readonly { id: string }[]) => {
    const query = `select id, target_id, requested_by from ${table} where target_id = any($1) order by target_id`;
    return (await world.app.database.pool.query(query, [ids(targets)])).rows as { id: string; target_id: string }[];
  };

  test(`${kind}: starts one scan of each target, and skips open and disabled ones with the reason`, async () => {
    const [first, second] = [await aHost("first"), await aHost("second")];
    const [busy, disabled] = [await aBusyHost("busy"), await aDisabledHost("disabled")];
    const reply = await start(ids([first, busy, second, disabled, first]));
    assert.equal(reply.status, 202, reply.text);
    assert.deepEqual(
      reply.body.started.map(({ target_id }) => target_id),
      ids([first, second]),
    );
    assert.deepEqual(codes(reply.body.skipped), [
      [busy.id, open],
      [disabled.id, "discovery.target-inactive"],
    ]);
    assert.match(reply.body.skipped[0]!.message, /"busy" is already pending or running/);
    assert.equal(reply.body.message, "2 scans started, 2 targets skipped");
    const scans = await scansOf([first, second]);
    assert.deepEqual(
      new Map(scans.map(({ id, target_id }) => [target_id, id])),
      new Map(reply.body.started.map(({ target_id, scan_id }) => [target_id as string, scan_id as string])),
    );
    assert.equal((await scansOf([busy, disabled])).length, 1);
  });

  test(`${kind}: skips targets of others as if they did not exist, and targets that the caller only sees`, async () => {
    const { app, owner, safe } = world;
    const [mine, other] = [await aPerson(app, "manager"), await aPerson(app, "manager")];
    const [elsewhere, shared] = [await aSafe(app, other), await aSafe(app, mine)];
    await aMember(app, mine, shared, other, ["list", "view_audit"]);
    const targetIn = async (who: TestPerson, safeId: typeof safe.id, name: string) =>
      world.aTarget(
        world.linuxTarget(await anAccount(app, who, { ...safe, id: safeId }, { ...SSH, hostname: AT.host }), AT, {
          name,
          safeId,
        }),
        who,
      );
    const seen = await targetIn(mine, shared.id, "only seen");
    const own = await targetIn(other, elsewhere.id, "own");
    const [hidden, unknown] = [await aHost("hidden"), randomUUID()];
    const reply = await start([hidden.id, unknown, seen.id, own.id], other);
    assert.deepEqual(
      reply.body.started.map(({ target_id }) => target_id),
      [own.id],
    );
    assert.deepEqual(codes(reply.body.skipped), [
      [hidden.id, "discovery.target-not-found"],
      [unknown, "discovery.target-not-found"],
      [seen.id, "discovery.not-allowed"],
    ]);
    assert.equal(reply.body.skipped[0]!.message, reply.body.skipped[1]!.message);
    assert.deepEqual(await scansOf([hidden, seen]), []);
    // The trail has each scan, each refusal and the call.
    const { rows } = await app.database.pool.query(
      "select event, target_id, result from audit_entries where actor_id = $1 and event = any($2)",
      [other.id, [one, several]],
    );
    const entries = new Set(rows.map(({ event, target_id, result }) => `${event} ${target_id} ${result}`));
    assert.deepEqual(
      entries,
      new Set([
        `${one} ${own.id} success`,
        `${one} ${seen.id} failure`,
        `${one} ${hidden.id} failure`,
        `${one} ${unknown} failure`,
        `${several} null warning`,
      ]),
    );
    assert.equal((await start([hidden.id], owner)).body.started.length, 1);
  });

  test(`${kind}: nothing starts when every target is skipped, and the entry says so`, async () => {
    const disabled = await aDisabledHost("disabled alone");
    const reply = await start([disabled.id]);
    assert.deepEqual(
      [reply.status, reply.body.started, reply.body.message],
      [202, [], "No scan started, 1 target skipped"],
    );
    const { rows } = await world.app.database.pool.query(
      "select result from audit_entries where event = $1 and actor_id = $2 order by seq desc limit 1",
      [several, world.owner.id],
    );
    assert.deepEqual(rows, [{ result: "failure" }]);
  });

  test(`${kind}: rejects no targets, too many targets, and invalid ids`, async () => {
    const many = Array.from({ length: MOST_SCANNED_TARGETS + 1 }, () => randomUUID());
    for (const targetIds of [[], many, ["web-01"], [`${randomUUID()}'`]]) {
      const reply = await start(targetIds);
      assert.equal(reply.status, 400, reply.text);
    }
    assert.equal((await start(many.slice(1))).body.skipped.length, MOST_SCANNED_TARGETS);
  });

  test(`${kind}: concurrent calls start one scan of each target`, async () => {
    const targets = await Promise.all(["a", "b", "c", "d"].map((name) => aHost(`${name} at once`)));
    const replies = await Promise.all([start(ids(targets)), start(ids(targets.toReversed()))]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [202, 202],
    );
    const { rows } = await world.app.database.pool.query(
      `select target_id from ${table} where target_id = any($1) and status in ('pending', 'running')`,
      [ids(targets)],
    );
    assert.equal(new Set(rows.map(({ target_id }) => target_id)).size, rows.length);
  });
}

test("an API token starts no scans that store secrets", async () => {
  const target = await aHost("vaulted");
  const scopes = ["discovery.read", "discovery.manage"] as const;
  const made = await world.app.call(createToken, {
    body: { name: "Pipeline", scopes: [...scopes], expires_in_days: 1 },
    as: world.owner.token,
  });
  for (const body of [{ autoVault: true }, { scanConfig: { autoVaultFindings: true } }]) {
    const reply = await world.app.call(startEnhancedScans, {
      body: { targetIds: [target.id], ...body },
      as: made.body.token,
    });
    assert.equal(reply.status, 403, reply.text);
  }
  const plain = await world.app.call(startEnhancedScans, { body: { targetIds: [target.id] }, as: made.body.token });
  assert.equal(plain.body.started.length, 1, plain.text);
});

test("the started scans are in the list of scans, with their requester", async () => {
  const target = await aHost("listed");
  const reply = await CALLS.basic.start([target.id]);
  const query = { targetId: target.id };
  const { data } = (await world.app.call(listDiscoveryScans, { query, as: world.owner.token })).body;
  assert.deepEqual(ids(data), [reply.body.started[0]!.scan_id]);
});
