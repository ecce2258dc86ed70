// Tests that the two forms of the rotation rule, a pure function and an SQL filter, agree.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { anAccount, aPlatform } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { isRotationDue, rotationStatus } from "./rotation.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const at = (text: string) => new Date(text);

test("ACC-31: a secret is current, due soon or overdue, or has no policy", () => {
  const facts = { rotateEveryDays: 30, noticeDays: 7, rotatedAt: at("2026-01-01T00:00:00Z"), wantedAt: null };
  const cases = [
    ["2026-01-01T00:00:00Z", "current"],
    ["2026-01-23T23:59:59Z", "current"],
    ["2026-01-24T00:00:00Z", "due_soon"],
    ["2026-01-30T23:59:59Z", "due_soon"],
    ["2026-01-31T00:00:00Z", "overdue"],
    ["2027-01-31T00:00:00Z", "overdue"],
  ] as const;
  for (const [now, expected] of cases) assert.equal(rotationStatus(facts, at(now)), expected, now);
  const free = { ...facts, rotateEveryDays: null };
  assert.equal(rotationStatus(free, at("2030-01-01T00:00:00Z")), "no_policy");
  assert.equal(
    rotationStatus({ ...free, wantedAt: at("2026-01-02T00:00:00Z") }, at("2026-01-03T00:00:00Z")),
    "overdue",
  );
});

test("OPEN-79: the filter finds exactly the accounts that are due soon or overdue, even close to the threshold", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  for (const [every, notice] of [
    [null, 7],
    [1, 0],
    [10, 3],
    [10, 20],
    [400, 365],
  ] as const) {
    const platform = await aPlatform(app, { rotate_every_days: every, rotation_notice_days: notice });
    const { id } = await anAccount(app, owner, safe, { platform_id: platform.id });
    for (const wanted of [null, at("2026-06-01T00:00:00Z")]) {
      for (const days of [0, 1, 6, 7, 8, 10, 34, 35, 36, 400]) {
        for (const seconds of [-1, 0, 1]) {
          const rotatedAt = new Date(Date.now() - days * 86_400_000 + seconds * 60_000);
          await app.database.pool.query(
            `update accounts set rotated_at = $2, rotation_wanted_at = $3,
               rotation_wanted_because = case when $3::timestamptz is not null then 'asked' end where id = $1`,
            [id, rotatedAt, wanted],
          );
          const { rows } = await sql<{ isDue: boolean; now: Date }>`
            select ${isRotationDue} as "isDue", access_time() as now
            from accounts join platforms on platforms.id = accounts.platform_id where accounts.id = ${id}`.execute(
            app.database.db,
          );
          const status = rotationStatus(
            { rotateEveryDays: every, noticeDays: notice, rotatedAt, wantedAt: wanted },
            rows[0]!.now,
          );
          assert.equal(
            rows[0]!.isDue,
            status === "due_soon" || status === "overdue",
            `${every} ${notice} ${days} ${seconds}`,
          );
        }
      }
    }
  }
});
