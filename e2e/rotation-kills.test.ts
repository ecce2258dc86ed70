// Kills the server before and after every step of a rotation, and while it talks to the target. Afterwards, the stored secret is
// active, the server knows which secret is active, and it recovered automatically. `npm run rotation-safety` makes the whole
// matrix, with every connector and with cut connections (docs/rotation-safety.md).
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBed } from "./testing/rotation-safety/test-bed.ts";
import type { TestBed } from "./testing/rotation-safety/test-bed.ts";
import { killsAt, nameOf, pointsOf, injectAll } from "./testing/rotation-safety/injections.ts";
import { postgresqlSubject } from "./testing/rotation-safety/subjects.ts";

describe("a rotation on PostgreSQL with a killed server", needs(postgresqlAvailable()), () => {
  let system: PostgresqlServer;
  let testBed: TestBed;

  before(async () => {
    system = await startPostgresql({ addresses: ["*"] });
    testBed = await openTestBed(system, postgresqlSubject(system, ""), "strongroom");
  });
  after(async () => {
    await testBed?.stop();
    await system?.stop();
  });

  test("recovers from a kill at every step, with an active secret that is stored", { timeout: 900_000 }, async (t) => {
    const points = await pointsOf(testBed);
    const all = await injectAll(testBed, killsAt(points), { timeoutMs: 60_000, pauseMs: 0 });
    const problems = all.filter(({ problem }) => problem !== null);
    assert.deepEqual(
      problems.map(({ injection, problem }) => `killed ${injection.when} ${nameOf(injection.point)}: ${problem}`),
      [],
    );
    const missed = all.filter(({ wasReached }) => !wasReached);
    t.diagnostic(`${all.length - missed.length} of ${all.length} points were reached`);
    // The driver may join or split pieces, but every journal write must be reached.
    assert.deepEqual(
      missed.filter(({ injection }) => injection.point.kind === "write"),
      [],
    );
    assert.ok(missed.length < all.length / 3, "most points were reached");
  });
});
