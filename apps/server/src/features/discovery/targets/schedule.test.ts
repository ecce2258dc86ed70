// Tests of schedules: their times, windows and delays, and the scans that they start.
import { createDiscoveryTarget, listDiscoveryScans, readDiscoveryTarget } from "@strongroom/contract";
import type { ScanSchedule } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startDueScans } from "../scans/start-due.ts";
import { aDiscoveryWorld, byId } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";
import { nextScan, windowLeft } from "./schedule.ts";

const nightly = (more: Partial<ScanSchedule> = {}): ScanSchedule => ({
  cron: "30 2 * * *",
  timezone: "UTC",
  jitterMinutes: 0,
  window: null,
  ...more,
});
const at = (text: string) => new Date(`2026-11-${text}Z`);
const next = (schedule: ScanSchedule, from: string, random = 0) => nextScan(schedule, at(from), random)?.toISOString();

describe("the next time of a schedule", () => {
  test("is the first one after now, in the schedule's time zone", () => {
    assert.equal(next(nightly(), "10T02:30:00"), "2026-11-11T02:30:00.000Z");
    assert.equal(next(nightly({ timezone: "Europe/Paris" }), "10T00:00:00"), "2026-11-10T01:30:00.000Z");
  });

  test("has a delay of at most the jitter, and never reaches the following time", () => {
    assert.equal(next(nightly({ jitterMinutes: 60 }), "10T00:00:00", 0.5), "2026-11-10T03:00:00.000Z");
    const often = nightly({ cron: "*/10 * * * *", jitterMinutes: 240 });
    assert.equal(next(often, "10T00:00:00", 0.999_999), "2026-11-10T00:18:59.999Z");
  });

  test("is inside the window, also with its delay, and also past midnight", () => {
    const hourly = nightly({ cron: "0 * * * *", window: { from: "22:30", to: "01:30" }, jitterMinutes: 240 });
    assert.equal(next(hourly, "10T12:00:00"), "2026-11-10T23:00:00.000Z");
    const late = nextScan(hourly, at("11T00:30:00"), 0.999_999)!;
    assert.ok(late < at("11T01:30:00") && late > at("11T01:00:00"), late.toISOString());
  });

  test("does not exist when no time falls into the window", () => {
    assert.equal(nextScan(nightly({ window: { from: "10:00", to: "11:00" } }), at("10T00:00:00")), null);
  });

  test("a window ends at its end", () => {
    const schedule = nightly({ window: { from: "22:00", to: "06:00" } });
    assert.equal(windowLeft(schedule, at("10T05:59:00")), 60_000);
    assert.equal(windowLeft(schedule, at("10T06:00:00")), 0);
    assert.equal(windowLeft(schedule, at("10T22:00:00")), 8 * 3_600_000);
  });
});

describe("scheduled scans", () => {
  let world: DiscoveryWorld;
  before(async () => {
    world = await aDiscoveryWorld();
  });
  after(() => world.app.close());

  const where = { host: "127.0.0.1", port: 1 };
  const due = "update discovery_targets set next_scan_at = now() - interval '1 minute' where id = $1";
  const scansOf = async (id: string) => {
    const query = { query: { targetId: id as never }, as: world.owner.token };
    return (await world.app.call(listDiscoveryScans, query)).body.data;
  };

  test("two processes start one scan for a due time, and the next time follows", async () => {
    const { app, linuxTarget, aTarget, anyCredential, ended } = world;
    const target = await aTarget({
      ...linuxTarget(await anyCredential(), where),
      schedule: nightly({ cron: "* * * * *" }),
    });
    await app.database.pool.query(due, [target.id]);
    const context = { kernel: app.kernel } as Parameters<typeof startDueScans>[0];
    await Promise.all([startDueScans(context), startDueScans(context), startDueScans(context)]);
    const scans = await scansOf(target.id);
    assert.deepEqual(
      scans.map(({ is_scheduled, requested_by }) => [is_scheduled, requested_by]),
      [[true, "Schedule"]],
    );
    assert.equal((await ended(scans[0]!)).metadata?.error, "refused");
    const shown = await app.call(readDiscoveryTarget, { ...byId(target), as: world.owner.token });
    assert.ok(new Date(shown.body.next_scan_at!) > app.kernel.clock.now());
  });

  test("a time that passed while the server was stopped is skipped outside of the window", async () => {
    const { app, linuxTarget, aTarget, anyCredential } = world;
    const hour = app.kernel.clock.now().getUTCHours();
    const two = (number: number) => String((hour + number) % 24).padStart(2, "0");
    const window = { from: `${two(3)}:00`, to: `${two(4)}:00` };
    const schedule = nightly({ cron: `0 ${(hour + 3) % 24} * * *`, window });
    const target = await aTarget({ ...linuxTarget(await anyCredential(), where), schedule });
    await app.database.pool.query(due, [target.id]);
    await startDueScans({ kernel: app.kernel } as Parameters<typeof startDueScans>[0]);
    assert.deepEqual(await scansOf(target.id), []);
  });

  const wrong: [string, Partial<ScanSchedule>, RegExp][] = [
    ["text", { cron: "every night" }, /five fields/],
    ["a field out of range", { cron: "99 2 * * *" }, /not valid/],
    ["six fields", { cron: "0 30 2 * * *" }, /five fields/],
    ["an unknown time zone", { timezone: "Mars/Olympus" }, /not a time zone/],
    ["a window that no time falls into", { window: { from: "10:00", to: "11:00" } }, /never falls/],
  ];
  for (const [what, more, message] of wrong) {
    test(`refuses ${what}`, async () => {
      const { app, linuxTarget, anyCredential, owner } = world;
      const body = { ...linuxTarget(await anyCredential(), where), schedule: nightly(more) };
      const reply = await app.call(createDiscoveryTarget, { body, as: owner.token });
      assert.equal(reply.status, 422, reply.text);
      assert.match(reply.text, message);
    });
  }
});
