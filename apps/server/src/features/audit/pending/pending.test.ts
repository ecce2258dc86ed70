// Tests which pending entries are signed, refused or reported as missing.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { sql } from "kysely";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { createPendingKeys, usePendingKeys } from "#kernel/audit/pending-keys.ts";
import { openDatabase } from "#kernel/db/database.ts";
import { audited, restarted } from "#testing/audited.ts";
import type { Audited } from "#testing/audited.ts";
import { eventually } from "#testing/waiting.ts";
import { acceptContradictions, showContradictions } from "../contradictions/accept-contradictions.ts";
import { createLogIdentity } from "../tree/signing-key.ts";
import { readReach } from "../tree/tree.store.ts";

const opened: Audited[] = [];
async function aTrail(): Promise<Audited> {
  const trail = await audited();
  opened.push(trail);
  return trail;
}
afterEach(async () => {
  for (const trail of opened.splice(0)) await trail.close();
});

const run = (trail: Audited, text: string) => sql.raw(text).execute(trail.database.db);
const size = async (trail: Audited): Promise<number> => (await readReach(trail.database.db)).size;
const messages = (trail: Audited): string[] => trail.audit.contradictions().map(({ message }) => message);

async function accept(trail: Audited): Promise<void> {
  const { keys, clock } = trail.kernel;
  const { open, checkpoint } = await showContradictions(trail.database.db);
  const identity = await createLogIdentity(trail.kernel)();
  const decision = { ids: open.map(({ id }) => id), checkpoint, by: "Ada", reason: "read" };
  await trail.database.transaction((tx) => acceptContradictions(tx, { identity, keys, now: clock.now() }, decision));
  await trail.audit.sequence();
}

test("entries pending during the upgrade are signed once, and later entries without a MAC are not signed", async () => {
  const trail = await aTrail();
  await trail.record(3);
  await run(trail, "update audit_pending set mac = null, mac_key = null");
  assert.equal(await trail.audit.sequence(), 3);
  assert.equal(await size(trail), 3);

  await trail.record(1);
  await run(trail, "update audit_pending set mac = null, mac_key = null");
  await trail.audit.sequence();
  assert.equal(await size(trail), 3, "not again");
  const next = await restarted(trail);
  opened.splice(0, 1, next);
  await next.record(1);
  await run(next, "update audit_pending set mac = null, mac_key = null");
  await run(next, "delete from keks where purpose = 'audit-integrity'");
  await next.audit.sequence();
  assert.match(messages(next).join("\n"), /was not written by Strongroom/, "nor after a restart without the key");
});

test("a pending entry that was changed is kept unsigned until an administrator accepts it", async () => {
  const trail = await aTrail();
  await trail.recordInBatches(2);
  const [id] = await trail.record(2);
  await trail.spoil(
    `update audit_entries set canonical = replace(convert_from(canonical, 'UTF8'), 'rotation', 'somebody')::bytea where id = '${id}'`,
  );
  assert.equal(await trail.audit.sequence(), 2);
  assert.deepEqual(messages(trail), [
    `entry ${id} was not written by Strongroom, or was changed before it was added to the log: it is kept and not signed`,
  ]);
  await trail.audit.sequence();
  assert.equal(await size(trail), 4, "the other one and the alarm are signed");
  const { rows } = await sql`select entry_id from audit_quarantine`.execute(trail.database.db);
  assert.deepEqual(rows, [{ entry_id: id }]);
  assert.equal((await trail.audit.verify()).isIntact, false);

  await accept(trail);
  assert.deepEqual(await trail.said(), []);
  assert.equal(await trail.audit.health.problem(), null);
});

test("entries recorded while sealed, or by commands, are signed; those with an unknown key stay pending", async () => {
  const trail = await aTrail();
  await trail.recordInBatches(1);
  trail.kernel.keys.seal();
  await trail.record(2);
  const command = openDatabase({ connection: trail.database.connection, log: trail.kernel.log, poolSize: 1 });
  usePendingKeys(command.pool, createPendingKeys(join(trail.dataFolder, "audit")));
  await command.transaction((tx) => appendAudit(tx, [systemEntry("user.created", "command line", {}, new Date())]));
  await command.close();

  const elsewhere = mkdtempSync(join(tmpdir(), "strongroom-audit-"));
  const next = await restarted(trail);
  opened.splice(0, 1, next);
  const stranger = openDatabase({ connection: trail.database.connection, log: trail.kernel.log, poolSize: 1 });
  usePendingKeys(stranger.pool, createPendingKeys(elsewhere));
  await stranger.transaction((tx) => appendAudit(tx, [systemEntry("user.created", "command line", {}, new Date())]));
  await stranger.close();
  rmSync(elsewhere, { recursive: true });

  assert.equal(await next.audit.sequence(), 3);
  assert.deepEqual(messages(next), [], "the fourth waits for a process with its key");
  assert.equal(await size(next), 4);
});

test("a process detects that an entry it wrote was deleted together with its pending row", async () => {
  const trail = await aTrail();
  await trail.recordInBatches(1);
  const [id] = await trail.record(1);
  await trail.spoil(
    `delete from audit_pending where entry_id = '${id}'`,
    `delete from audit_entries where id = '${id}'`,
  );
  await eventually(async () => {
    await trail.audit.compare();
    return messages(trail).length > 0 ? true : null;
  });
  assert.deepEqual(messages(trail), [`entry ${id} was deleted before it was added to the log`]);
});

test("rolled-back transactions, and entries that another process signs, are not reported as missing", async () => {
  const trail = await aTrail();
  const entry = systemEntry("credential.revealed", "rotation", {}, new Date());
  const rolledBack = trail.database.transaction(async (tx) => {
    await appendAudit(tx, [entry]);
    await sql`select 1`.execute(tx);
    throw new Error("rolled back");
  });
  await assert.rejects(rolledBack, /rolled back/);
  await trail.record(3);
  // Signs the entries without this process's knowledge, as another process would.
  const other = await audited({ test: trail.test, dataFolder: trail.dataFolder });
  assert.equal(await other.audit.sequence(), 3);
  await other.audit.stop();
  await other.kernel.http.close();
  const [waiting] = await trail.record(1);
  const until = performance.now() + 2500;
  await eventually(async () => (performance.now() > until ? true : null));
  await trail.audit.compare();
  assert.deepEqual(messages(trail), []);
  assert.equal(await trail.audit.sequence(), 1, waiting);
});

test("a process with a different data folder signs entries recorded with the key of the first process", async () => {
  const trail = await aTrail();
  await trail.recordInBatches(1);
  await trail.audit.stop();
  const command = openDatabase({ connection: trail.database.connection, log: trail.kernel.log, poolSize: 1 });
  usePendingKeys(command.pool, createPendingKeys(join(trail.dataFolder, "audit")));
  await command.transaction((tx) => appendAudit(tx, [systemEntry("backup.started", "command line", {}, new Date())]));
  await command.close();
  // As after a restore elsewhere: a different key file and the same root key.
  rmSync(join(trail.dataFolder, "audit"), { recursive: true });
  const next = await restarted(trail);
  opened.splice(0, 1, next);
  assert.equal(await next.audit.sequence(), 1);
  assert.deepEqual(await next.said(), []);
});
