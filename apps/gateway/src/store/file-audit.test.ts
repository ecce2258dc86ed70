// Audits file operations of sessions, on a real database.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { manualClock } from "../../testing/manual-clock.ts";
import { startGatewayWorld, type GatewayWorld } from "../../testing/gateway-world.ts";
import { createFileAudit } from "./file-audit.ts";

const LARGEST_ENTRY = 150_000;

describe("the audit of file operations", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;

  before(async () => {
    world = await startGatewayWorld();
  });
  after(() => world.stop());

  const entriesOf = async (sessionId: string) =>
    (await world.audited(sessionId)).filter(({ event }) => event === "privileged-session.files-used");

  test("a session that cannot be stored does not delay the others", async () => {
    const { sessionId } = await world.request();
    const audit = createFileAudit(world.app.kernel);
    audit.add("not-a-session", { action: "remove", path: "/tmp/a" });
    audit.add(sessionId, { action: "remove", path: "/tmp/b" });
    await audit.stop();
    assert.equal((await entriesOf(sessionId)).length, 1);
  });

  test("stop gives up on a database that does not answer, and schedules no retry", async () => {
    const { sessionId } = await world.request();
    const clock = manualClock();
    const { promise: away, reject: fail } = Promise.withResolvers<never>();
    let attempts = 0;
    const database = {
      ...world.app.kernel.database,
      transaction: () => {
        attempts += 1;
        return away;
      },
    };
    const audit = createFileAudit({ ...world.app.kernel, database }, clock);
    for (const at of [1, 2, 3]) audit.add(`${sessionId} ${at}`, { action: "remove", path: "/tmp/a" });
    const stopped = audit.stop();
    await setImmediate();
    clock.advance(5000);
    await stopped;
    fail(new Error("the database is away"));
    await setImmediate();
    clock.advance(60_000);
    await setImmediate();
    assert.equal(attempts, 1);
  });

  test("operations with long paths are split into several entries", async () => {
    const { sessionId } = await world.request();
    const audit = createFileAudit(world.app.kernel);
    for (let at = 0; at < 40; at += 1) audit.add(sessionId, { action: "remove", path: `/${at}${"x".repeat(30_000)}` });
    await audit.stop();
    const entries = await entriesOf(sessionId);
    assert.ok(entries.every(({ text }) => text.length < LARGEST_ENTRY));
    assert.equal(
      entries.map(({ text }) => text.split('"remove"').length - 1).reduce((sum, each) => sum + each),
      40,
    );
  });
});
