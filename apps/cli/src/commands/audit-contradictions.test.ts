// Tests that a truncated live log is accepted at the terminal while the server runs.
import { listContradictions, readCheckpoint } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { runSql } from "../../../../e2e/testing/database.ts";
import type { RunningServer } from "../../../../e2e/testing/server.ts";
import { anInstallation, call, storeSecret } from "../../testing/a-strongroom.ts";

const installation = anInstallation();
let server: RunningServer;
let admin: string;

before(async () => {
  server = await installation.start();
  admin = await installation.setUp(server);
  await storeSecret(server, admin, "a secret");
  await until(async () => (await checkpoint()).pending === 0);
});
after(() => installation.remove());

const checkpoint = async () => (await call(server, readCheckpoint, { as: admin })).body;
const open = async () => (await call(server, listContradictions, { as: admin })).body.open;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 40_000; !(await isSo()); await delay(20))
    assert.ok(Date.now() < end, "it never happened");
}

test("the terminal reports and accepts a truncated log, and the running server resumes signing", async () => {
  const nothing = await installation.run(["audit", "contradictions"]);
  assert.deepEqual([nothing.status, nothing.stdout], [0, "No contradictions in the audit trail.\n"], nothing.stderr);

  await runSql(
    server,
    `alter table audit_leaves disable trigger user; alter table audit_nodes disable trigger user;
     alter table audit_entries disable trigger user;
     delete from audit_leaves; delete from audit_nodes; delete from audit_checkpoints; delete from audit_counts;
     delete from audit_entries where id not in (select entry_id from audit_pending)`,
  );
  await until(async () => (await open()).length === 1);
  const shown = await installation.run(["audit", "contradictions"]);
  assert.equal(shown.status, 1, shown.stderr);
  assert.match(
    shown.stdout,
    /^1 contradiction, oldest first:\n- the log ends at 0 but the newest checkpoint of this process/,
  );
  const id = /id (\S+)/.exec(shown.stdout)![1]!;

  const unsaid = await installation.run(["audit", "accept", id]);
  assert.deepEqual([unsaid.status, unsaid.stdout], [2, ""]);
  assert.match(unsaid.stderr, /--reason is required/);
  const other = await installation.run(["audit", "accept", "0190c0de-0000-7000-8000-00000000beef", "--reason", "x"]);
  assert.equal(other.status, 1);
  assert.match(other.stderr, /The evidence has changed/);

  const accepted = await installation.run(["audit", "accept", id, "--reason", "Restored an older backup"]);
  assert.equal(accepted.status, 0, accepted.stderr);
  await until(async () => (await open()).length === 0 && (await checkpoint()).size > 0);
  await storeSecret(server, admin, "another secret");
  await until(async () => (await checkpoint()).pending === 0);
  const after = await installation.run(["audit", "contradictions", "--json"]);
  assert.deepEqual([after.status, (JSON.parse(after.stdout) as { open: unknown[] }).open], [0, []]);
});
