// Tests of the sequencer: appending pending entries to the tree, and signing checkpoints.
import { parseCheckpoint } from "@strongroom/auditlog";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { sql } from "kysely";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { audited, restarted } from "#testing/audited.ts";
import type { Audited } from "#testing/audited.ts";
import { eventually } from "#testing/waiting.ts";
import { tryLockTree, newestCheckpoint, readLeaves, readReach } from "./tree.store.ts";

const opened: Audited[] = [];
async function aTrail(): Promise<Audited> {
  const trail = await audited();
  opened.push(trail);
  return trail;
}
afterEach(async () => {
  for (const trail of opened.splice(0)) await trail.close();
});

async function placed({ database }: Audited): Promise<string[]> {
  const ids = [];
  for await (const { entryId } of readLeaves(database.db, Number.MAX_SAFE_INTEGER)) ids.push(entryId);
  return ids;
}

const entry = () => systemEntry("credential.revealed", "rotation", {}, new Date());

describe("the sequencer", () => {
  it("appends every recorded entry once, in the order of recording", async () => {
    const trail = await aTrail();
    const ids = [...(await trail.record(3)), ...(await trail.record(2))];
    assert.equal(await trail.audit.sequence(), 5);
    assert.equal(await trail.audit.sequence(), 0);
    assert.deepEqual(await placed(trail), ids);
    assert.deepEqual(await trail.said(), []);
  });

  it("never skips an entry that commits late", async () => {
    const trail = await aTrail();
    const early = entry();
    const late = trail.database.transaction(async (tx) => {
      await appendAudit(tx, [early]);
      await trail.record(2);
      assert.equal(await trail.audit.sequence(), 2);
    });
    await late;
    assert.equal(await trail.audit.sequence(), 1);
    assert.equal((await placed(trail)).at(-1), early.id);
    assert.deepEqual(await trail.said(), []);
  });

  it("processes several batches in one run, and signs each batch", async () => {
    const trail = await aTrail();
    await trail.record(2500);
    assert.equal(await trail.audit.sequence(), 2500);
    const checkpoints = await trail.database.db
      .selectFrom("audit_checkpoints")
      .select("size")
      .orderBy("size")
      .execute();
    assert.deepEqual(
      checkpoints.map(({ size }) => size),
      [1000, 2000, 2500],
    );
    const report = await trail.audit.verify();
    assert.deepEqual([report.isIntact, report.entries, report.proven], [true, 2500, 2500]);
  });

  it("appends each entry once when several processes run", async () => {
    const first = await aTrail();
    const second = await audited({ test: first.test, dataFolder: first.dataFolder });
    const rounds = Array.from({ length: 30 });
    const recording = (async () => {
      for (const _ of rounds) await first.record(10);
    })();
    const counts = await Promise.all(
      [first, second].map(async ({ audit }) => {
        let count = 0;
        for (const _ of rounds) count += (await audit.sequence()) ?? 0;
        return count;
      }),
    );
    await recording;
    counts.push((await first.audit.sequence()) ?? 0, (await second.audit.sequence()) ?? 0);
    assert.equal(
      counts.reduce((a, b) => a + b),
      300,
    );
    assert.deepEqual(await first.said(), []);
    assert.equal((await readReach(first.database.db)).size, 300);
    await second.audit.stop();
    await second.kernel.http.close();
  });

  it("waits while the vault is sealed, and continues after unsealing", async () => {
    const trail = await aTrail();
    await trail.recordInBatches(2);
    trail.kernel.keys.seal();
    await trail.record(1);
    assert.equal(await trail.audit.sequence(), null);
    const unsealed = await restarted(trail);
    opened.splice(0, 1, unsealed);
    assert.equal(await unsealed.audit.sequence(), 1);
    assert.deepEqual(await unsealed.said(), []);
  });

  it("proves an entry within a second, and keeps the newest checkpoint in a file", async () => {
    const trail = await aTrail();
    trail.audit.start();
    const times: number[] = [];
    // The machine may stall for a moment, but not every time.
    for (let size = 1; size <= 5; size++) {
      await trail.record(1);
      const started = performance.now();
      await eventually(async () => ((await readReach(trail.database.db)).size === size ? true : null));
      times.push(performance.now() - started);
    }
    assert.ok(Math.min(...times) < 1000, String(times));
    await trail.audit.stop();
    const note = readFileSync(trail.checkpointPath, "utf8");
    assert.equal(parseCheckpoint(note)?.size, 5);
    assert.equal(note, (await newestCheckpoint(trail.database.db))?.note);
  });

  it("keeps a checkpoint for every 64 entries and for every hour, but not for every batch", async () => {
    const trail = await aTrail();
    await trail.recordInBatches(...Array.from({ length: 130 }, () => 1));
    trail.at("2026-11-21T11:30:00.000Z");
    await trail.recordInBatches(1, 1);
    const checkpoints = await trail.database.db
      .selectFrom("audit_checkpoints")
      .select("size")
      .orderBy("size")
      .execute();
    assert.deepEqual(
      checkpoints.map(({ size }) => size),
      [63, 127, 130, 132],
    );
    assert.deepEqual(await trail.said(), []);
  });

  it("loses no entry and appends none twice when its transaction fails", async () => {
    const trail = await aTrail();
    await trail.recordInBatches(3);
    await trail.record(4);
    // The database refuses the next checkpoint after leaves and nodes are written: everything rolls back.
    await sql`alter table audit_checkpoints add constraint no_seventh check (size <> 7)`.execute(trail.database.db);
    await assert.rejects(trail.audit.sequence());
    assert.deepEqual(await readReach(trail.database.db), { size: 3, signed: 3 });
    await sql`alter table audit_checkpoints drop constraint no_seventh`.execute(trail.database.db);
    assert.equal(await trail.audit.sequence(), 4);
    assert.deepEqual(await trail.said(), []);
  });

  it("reports in the server's health that entries cannot be proven, and recovers without a restart", async () => {
    const trail = await aTrail();
    await trail.recordInBatches(1);
    await trail.audit.stop();
    // A folder occupies the file's name, so writing fails; once it is removed, the write is retried.
    rmSync(trail.checkpointPath);
    mkdirSync(join(trail.checkpointPath, "in-the-way"), { recursive: true });
    const next = await restarted(trail);
    opened.splice(0, 1, next);
    await next.record(1);
    next.audit.start();
    const becomes = async (problem: string | null) => {
      for (let waited = 0; (await next.audit.health.problem()) !== problem; waited += 10) {
        if (waited > 20_000) throw new Error(`not: ${problem}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await becomes("New audit entries cannot be added to the tree");
    rmSync(trail.checkpointPath, { recursive: true });
    await becomes(null);
    assert.equal((await readReach(next.database.db)).size, 2);
  });

  it("reports pending entries in the server's health, even when another session holds the sequencer's lock", async () => {
    const trail = await aTrail();
    await trail.recordInBatches(1);
    await trail.database.transaction(async (tx) => {
      assert.equal(await tryLockTree(tx), true);
      await trail.record(1);
      assert.equal(await trail.audit.sequence(), 0);
      assert.equal(await trail.audit.health.problem(), null);
      trail.at("2026-11-21T09:03:00.000Z");
      assert.match((await trail.audit.health.problem()) ?? "", /waiting to be signed for more than 2 minutes/);
    });
    assert.equal(await trail.audit.sequence(), 1);
    assert.equal(await trail.audit.health.problem(), null);
  });

  it("only appends: the database rejects updates and deletions of recorded entries", async () => {
    const trail = await aTrail();
    await trail.recordInBatches(2);
    for (const statement of [
      "update audit_entries set event = 'x.y'",
      "delete from audit_entries",
      "truncate audit_entries",
      "delete from audit_leaves",
      "update audit_nodes set hash = hash",
    ]) {
      await assert.rejects(sql.raw(statement).execute(trail.database.db), /append-only/, statement);
    }
  });
});
