// The server is killed before and after every step of a rotation, and while it talks to the system whose secret it changes:
// afterwards a stored secret is in force, the server knows which, and it got there without help. The whole matrix, with every
// connector and with cut connections, is made by `npm run rotation-safety` (docs/rotation-safety.md).
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openGround } from "./testing/rotation-safety/ground.ts";
import type { Ground } from "./testing/rotation-safety/ground.ts";
import { killsAt, nameOf, placesOf, strikeAll } from "./testing/rotation-safety/strikes.ts";
import { postgresqlSubject } from "./testing/rotation-safety/subjects.ts";

describe("a rotation on PostgreSQL whose server is killed", needs(postgresqlAvailable()), () => {
  let system: PostgresqlServer;
  let ground: Ground;

  before(async () => {
    system = await startPostgresql({ addresses: ["*"] });
    ground = await openGround(system, postgresqlSubject(system, ""), "strongroom");
  });
  after(async () => {
    await ground?.stop();
    await system?.stop();
  });

  test("ends by itself with a stored secret in force, wherever it is killed", async (t) => {
    const places = await placesOf(ground);
    const all = await strikeAll(ground, killsAt(places), { patienceMs: 60_000, pauseMs: 0 });
    const problems = all.filter(({ problem }) => problem !== null);
    assert.deepEqual(
      problems.map(({ strike, problem }) => `killed ${strike.when} ${nameOf(strike.place)}: ${problem}`),
      [],
    );
    const missed = all.filter(({ wasReached }) => !wasReached);
    t.diagnostic(`${all.length - missed.length} of ${all.length} places were reached`);
    // What the driver sends in one piece or in two is up to the moment; each write of the journal has its place.
    assert.deepEqual(
      missed.filter(({ strike }) => strike.place.kind === "write"),
      [],
    );
    assert.ok(missed.length < all.length / 3, "most places were reached");
  });
});
