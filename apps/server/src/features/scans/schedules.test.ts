// Tests of schedules of enhanced scans over HTTP. Their scans never reach a host: the address does not resolve.
import {
  createEnhancedScanSchedule,
  createToken,
  deleteEnhancedScanSchedule,
  listEnhancedScanSchedules,
  listEnhancedScans,
  removeSafeMember,
} from "@strongroom/contract";
import type { DiscoveryTarget, EnhancedScan, EnhancedScanSchedule, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SSH, aDiscoveryWorld, byId } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { eventually } from "#testing/waiting.ts";
import { startDueScans } from "./schedules.ts";

type Body = Partial<NonNullable<InputOf<typeof createEnhancedScanSchedule>["body"]>>;

const NIGHTLY = { cron: "0 2 * * *", timezone: "UTC", jitterMinutes: 0, window: null };
const DUE = "update scan_schedules set next_at = now() - interval '1 minute' where id = $1";

describe("schedules of enhanced scans", () => {
  let world: DiscoveryWorld;
  let target: DiscoveryTarget;
  before(async () => {
    world = await aDiscoveryWorld();
    const account = await anAccount(world.app, world.owner, world.safe, { ...SSH, hostname: "web1.invalid" });
    target = await world.aTarget(world.linuxTarget(account, { host: "web1.invalid", port: 22 }));
  });
  after(() => world.app.close());

  const create = (body: Body = {}, who: TestPerson = world.owner) =>
    world.app.call(createEnhancedScanSchedule, {
      ...byId(target),
      body: { schedule: NIGHTLY, scanConfig: { scanDepth: "quick" }, ...body },
      as: who.token,
    });
  const created = async (body: Body = {}, who = world.owner): Promise<EnhancedScanSchedule> => {
    const reply = await create(body, who);
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  };
  const remove = ({ id }: Pick<EnhancedScanSchedule, "id">, who = world.owner) =>
    world.app.call(deleteEnhancedScanSchedule, { ...byId({ id }), as: who.token });
  const listed = async (who = world.owner): Promise<EnhancedScanSchedule[]> =>
    (await world.app.call(listEnhancedScanSchedules, { query: {}, as: who.token })).body.data;
  const scans = async (): Promise<EnhancedScan[]> =>
    (await world.app.call(listEnhancedScans, { query: { targetId: target.id }, as: world.owner.token })).body.data;
  /** Makes the schedule due, lets three servers start what is due, and returns the schedule and its new scans. */
  async function due({ id }: EnhancedScanSchedule) {
    const before = new Set((await scans()).map((scan) => scan.id));
    await world.app.database.pool.query(DUE, [id]);
    const context = { kernel: world.app.kernel } as Parameters<typeof startDueScans>[0];
    await Promise.all([startDueScans(context), startDueScans(context), startDueScans(context)]);
    const schedule = (await listed()).find((each) => each.id === id)!;
    return { schedule, started: (await scans()).filter((scan) => !before.has(scan.id)) };
  }

  test("a schedule is listed, and deleted by users who may manage the target", async () => {
    const schedule = await created();
    assert.deepEqual(
      [schedule.owner, schedule.problem, schedule.can_manage],
      [world.owner.email.split("@")[0], null, true],
    );
    assert.equal(new Date(schedule.next_at!).getUTCHours(), 2);
    const reader = await aPerson(world.app);
    await aMember(world.app, world.owner, world.safe, reader, ["list", "view_audit"]);
    const [seen] = await listed(reader);
    assert.deepEqual([seen?.id, seen?.can_manage], [schedule.id, false]);
    assert.equal((await remove(schedule, reader)).status, 403);
    const outsider = await aPerson(world.app, "manager");
    assert.deepEqual(await listed(outsider), []);
    assert.equal((await remove(schedule, outsider)).status, 404);
    assert.equal((await create({}, outsider)).status, 404);
    assert.equal((await remove(schedule)).status, 200);
    assert.deepEqual(await listed(), []);
  });

  test("a schedule is refused when it is not valid or would store secrets, and after ten of one target", async () => {
    const never = { ...NIGHTLY, window: { from: "10:00", to: "11:00" } };
    const replies = [
      await create({ schedule: { ...NIGHTLY, cron: "every night" } }),
      await create({ schedule: never }),
      await create({ scanConfig: { autoVaultFindings: true } }),
    ];
    assert.deepEqual(
      replies.map(({ status, body }) => [status, (body as unknown as { code: string }).code]),
      [
        [422, "discovery.schedule-invalid"],
        [422, "discovery.schedule-invalid"],
        [422, "scan.schedule-vaults"],
      ],
    );
    const ten = [];
    for (let count = 0; count < 10; count += 1) ten.push(await created());
    const eleventh = await create();
    assert.equal(eleventh.status, 409, eleventh.text);
    for (const schedule of ten) await remove(schedule);
  });

  test("INVARIANT: an API token makes no schedule, which would outlive it", async () => {
    const body = { name: "Pipeline", scopes: ["discovery.read", "discovery.manage"], expires_in_days: 1 } as const;
    const made = await world.app.call(createToken, {
      body: { ...body, scopes: [...body.scopes] },
      as: world.owner.token,
    });
    const refused = await create({}, { ...world.owner, token: made.body.token });
    assert.deepEqual(
      [refused.status, (refused.body as unknown as { code: string }).code],
      [403, "token.session-needed"],
    );
    assert.deepEqual(await listed(), []);
  });

  test("a due time starts one scan for the schedule's owner, and none while another one is open", async () => {
    const schedule = await created();
    const { started, schedule: next } = await due(schedule);
    assert.deepEqual(
      started.map(({ requested_by, scan_config }) => [requested_by, scan_config.scanDepth]),
      [[`${schedule.owner} (schedule)`, "quick"]],
    );
    assert.ok(new Date(next.next_at!) > world.app.kernel.clock.now());
    await eventually(async () => ((await scans())[0]?.status === "failed" ? true : null));
    const { pool } = world.app.database;
    await pool.query("update job_runs set state = 'running' where id = $1", [started[0]!.id]);
    await pool.query("update scans set status = 'running' where id = $1", [started[0]!.id]);
    const again = await due(schedule);
    assert.deepEqual([again.started.length, /another scan/.test(again.schedule.problem ?? "")], [0, true]);
    await pool.query("update scans set status = 'cancelled' where id = $1", [started[0]!.id]);
    await remove(schedule);
  });

  test("a disabled target is skipped, with the reason", async () => {
    const schedule = await created();
    await world.app.database.pool.query("update discovery_targets set is_active = false where id = $1", [target.id]);
    const { started, schedule: next } = await due(schedule);
    assert.deepEqual([started.length, /is disabled/.test(next.problem ?? ""), next.next_at !== null], [0, true, true]);
    await world.app.database.pool.query("update discovery_targets set is_active = true where id = $1", [target.id]);
    await remove(schedule);
  });

  test("INVARIANT: a schedule stops when its owner may no longer scan the target", async () => {
    const person = await aPerson(world.app, "manager");
    const member = await aMember(world.app, world.owner, world.safe, person, "manager");
    const schedule = await created({}, person);
    const params = { id: world.safe.id, member_id: member.id } as never;
    const removed = await world.app.call(removeSafeMember, { params, as: world.owner.token });
    assert.equal(removed.status, 200, removed.text);
    const { started, schedule: next } = await due(schedule);
    assert.deepEqual([started.length, next.next_at, /may no longer/.test(next.problem ?? "")], [0, null, true]);
    const { rows } = await world.app.database.pool.query(
      "select from audit_entries where event = 'scan.schedule-stopped' and target_id = $1",
      [target.id],
    );
    assert.equal(rows.length, 1);
    await remove(schedule);
  });
});
