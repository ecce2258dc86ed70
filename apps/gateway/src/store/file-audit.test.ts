// Audits file operations of sessions, on a real database.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
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
