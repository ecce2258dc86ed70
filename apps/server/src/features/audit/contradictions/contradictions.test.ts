// From a contradiction to an administrator's decision, over HTTP, with whole servers on one database.
import { acceptContradictions, listContradictions, readCheckpoint, scopeOf, verifyAudit } from "@strongroom/contract";
import { parseCheckpoint } from "@strongroom/auditlog";
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "#kernel/testing/test-database.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { recordEntries, sequenced } from "#features/audit-sinks/testing/receiving.ts";

const opened: TestApp[] = [];
afterEach(async () => {
  const [first, ...others] = opened.splice(0);
  for (const app of others) await app.stopOnly();
  await first?.close();
});

async function aServer(options: Parameters<typeof testApp>[0]): Promise<TestApp> {
  const app = await testApp(options);
  opened.push(app);
  return app;
}

async function spoil(app: TestApp, ...statements: string[]): Promise<void> {
  const tables = ["audit_entries", "audit_leaves", "audit_nodes"];
  await app.database.transaction(async (tx) => {
    const run = (text: string) => sql.raw(text).execute(tx);
    await run("select pg_advisory_xact_lock(7305808870)");
    for (const table of tables) await run(`alter table ${table} disable trigger user`);
    for (const statement of statements) await run(statement);
    for (const table of tables) await run(`alter table ${table} enable trigger user`);
  });
}

const cutTo = (size: number) => [
  `delete from audit_entries where id in (select entry_id from audit_leaves where leaf_index >= ${size})`,
  `delete from audit_leaves where leaf_index >= ${size}`,
  `delete from audit_nodes where (index + 1) << level > ${size}`,
  `delete from audit_checkpoints where size > ${size}`,
  "delete from audit_counts",
  `insert into audit_counts (span, since, event, result, severity, is_jit, entries)
   select span, date_trunc(span, entry.at, 'UTC'), entry.event, entry.result, coalesce(entry.severity, 'low'),
     entry.grant_id is not null, count(*)
   from audit_leaves leaf join audit_entries entry on entry.id = leaf.entry_id, unnest(array['hour', 'day', 'century']) span
   group by 1, 2, 3, 4, 5, 6`,
];

const openOnes = async (app: TestApp, as: string) => (await app.call(listContradictions, { as })).body;
const stopped = (app: TestApp, as: string) =>
  eventually(async () => {
    const shown = await openOnes(app, as);
    return shown.open.length > 0 ? shown : null;
  });

const keptSize = ({ dataFolder }: TestApp): number => {
  const path = join(dataFolder, "audit", "checkpoint");
  return existsSync(path) ? parseCheckpoint(readFileSync(path, "utf8"))!.size : 0;
};

/** A server whose log is rolled back to an earlier checkpoint while it runs. */
async function aCutLog() {
  const database = await testDatabase();
  const app = await aServer({ database });
  const admin = (await firstAdmin(app)).token;
  for (const count of [70, 70]) {
    await recordEntries(app, count);
    await sequenced(app, admin);
  }
  const { size } = (await app.call(readCheckpoint, { as: admin })).body;
  await eventually(async () => (keptSize(app) >= size ? true : null));
  const { rows } = await app.database.pool.query<{ size: string }>("select min(size) as size from audit_checkpoints");
  await spoil(app, ...cutTo(Number(rows[0]?.size)));
  return { app, database, admin, shown: await stopped(app, admin), size: Number(rows[0]?.size) };
}

test("a live log that was rolled back stops signing, saves the evidence and notifies administrators", async () => {
  const { app, admin, shown, size } = await aCutLog();
  assert.match(
    shown.open[0]!.message,
    new RegExp(`^the log ends at ${size} but the newest checkpoint of this process`),
  );
  assert.equal(shown.open[0]!.stops_signing, true);
  assert.ok(parseCheckpoint(shown.open[0]!.known_checkpoint!)!.size > size);

  await recordEntries(app, 5);
  const { body: verified } = await app.call(verifyAudit, { as: admin });
  assert.equal(verified.is_intact, false);
  const { body: after } = await app.call(readCheckpoint, { as: admin });
  assert.equal(after.size, size, "nothing is signed");
  assert.ok(after.pending >= 5, "new entries stay pending");

  assert.ok(keptSize(app) > size, "the kept checkpoint is not replaced by a smaller one");
  const [file = ""] = readdirSync(join(app.dataFolder, "audit", "contradictions"));
  const saved = JSON.parse(readFileSync(join(app.dataFolder, "audit", "contradictions", file), "utf8")) as {
    known_note: string;
    rows: { leaves: unknown[] };
  };
  assert.equal(saved.known_note, shown.open[0]!.known_checkpoint);
  assert.equal(saved.rows.leaves.length, Math.min(size, 10));
  await eventually(async () => {
    const { rows } = await app.database.pool.query(
      "select title from notifications where link = '/audit-logs' and severity = 'critical'",
    );
    return rows.length === 1 ? true : null;
  });
});

test("after an administrator's decision every process continues from the stored log, and the decision is audited", async () => {
  const { app, database, admin, shown, size } = await aCutLog();
  // On another machine: starting with the kept checkpoint would treat the database as restored and end all sessions.
  const elsewhere = mkdtempSync(join(tmpdir(), "strongroom-test-"));
  const other = await aServer({ database, dataFolder: elsewhere, config: { keyFile: app.config.keyFile } });
  const body = { ids: shown.open.map(({ id }) => id), checkpoint: shown.checkpoint, reason: "Restored an older copy" };
  const accepted = await app.call(acceptContradictions, { body, as: admin });
  assert.equal(accepted.status, 200, accepted.text);
  assert.equal(accepted.body.accepted, 1);
  const again = await app.call(acceptContradictions, { body, as: admin });
  assert.equal(again.status, 409, again.text);

  for (const each of [app, other]) {
    await recordEntries(each, 3);
    await sequenced(each, admin);
  }
  assert.ok((await app.call(readCheckpoint, { as: admin })).body.size > size);
  assert.deepEqual((await app.call(verifyAudit, { as: admin })).body.findings, []);
  const { accepted: decided, open } = await openOnes(app, admin);
  assert.deepEqual([open.length, decided.length, decided[0]?.reason], [0, 1, "Restored an older copy"]);
  assert.ok(readdirSync(join(app.dataFolder, "audit")).some((name) => name.startsWith("checkpoint.accepted-")));
});

test("the database's owner cannot decide, remove a finding, or reuse a decision", async () => {
  const { app, admin, shown } = await aCutLog();
  await spoil(app, "update audit_contradictions set accepted_at = now(), accepted_by = 'x', mac = sha256('x')");
  await eventually(async () => ((await openOnes(app, admin)).open.length === 1 ? true : null));
  await spoil(app, "delete from audit_contradictions");
  await stopped(app, admin);

  const body = { ids: shown.open.map(({ id }) => id), checkpoint: shown.checkpoint, reason: "Restored an older copy" };
  assert.equal((await app.call(acceptContradictions, { body, as: admin })).status, 200);
  await recordEntries(app, 70);
  await sequenced(app, admin);
  const { rows } = await app.database.pool.query<{ size: string }>("select min(size) as size from audit_checkpoints");
  await spoil(app, ...cutTo(Number(rows[0]?.size)));
  const second = await stopped(app, admin);
  assert.equal(second.accepted.length, 1, "the earlier decision does not cover it");
});

test("only a signed-in administrator can decide, and must decide on all open contradictions as currently stored", async () => {
  const { app, admin, shown } = await aCutLog();
  const ids = shown.open.map(({ id }) => id);
  const manager = await aPerson(app, "manager");
  const good = { ids, checkpoint: shown.checkpoint, reason: "Restored an older copy" };
  const ask = (body: object, as?: string) => app.call(acceptContradictions, { body: body as never, as });
  assert.equal((await ask(good)).status, 401);
  assert.equal((await ask(good, manager.token)).status, 403);
  assert.equal((await ask({ ...good, reason: " " }, admin)).status, 400);
  assert.equal((await ask({ ...good, checkpoint: null }, admin)).status, 409);
  assert.equal((await ask({ ...good, ids: [...ids, "0190c0de-0000-7000-8000-00000000beef"] }, admin)).status, 409);
  assert.equal(scopeOf(acceptContradictions), null, "no API token can be given this");
  assert.equal((await openOnes(app, admin)).open.length, 1);
  assert.equal((await app.call(listContradictions, { as: manager.token })).status, 200);
});

test("another machine that finds an accepted contradiction continues without a second decision", async () => {
  const { app, database, admin, shown } = await aCutLog();
  const elsewhere = mkdtempSync(join(tmpdir(), "strongroom-test-"));
  const body = { ids: shown.open.map(({ id }) => id), checkpoint: shown.checkpoint, reason: "Restored an older copy" };
  assert.equal((await app.call(acceptContradictions, { body, as: admin })).status, 200);
  await recordEntries(app, 3);
  await sequenced(app, admin);
  const other = await aServer({ database, dataFolder: elsewhere, config: { keyFile: app.config.keyFile } });
  await recordEntries(other, 3);
  await sequenced(other, admin);
  assert.equal((await openOnes(other, admin)).open.length, 0);
});
