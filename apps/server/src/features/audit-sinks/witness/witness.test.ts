// Tests with a second Strongroom as a witness: a rewritten history contradicts the cosigned one, even if the log's own
// key signed it.
import {
  addWitnessedLog,
  createAuditSink,
  deleteAuditSink,
  exportAudit,
  listAuditSinks,
  listContradictions,
  readCheckpoint,
  readWitness,
  removeWitnessedLog,
  switchAuditSink,
  verifyAudit,
} from "@strongroom/contract";
import type { AuditSink, WitnessedLog } from "@strongroom/contract";
import { cosignedAt, parseWitnessKey, splitNotes, verifyExport } from "@strongroom/auditlog";
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { tryLockTree } from "#features/audit/tree/tree.store.ts";
import { firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { recordEntries, sequenced, sinkNamed, startReceiver } from "../testing/receiving.ts";

let log: TestApp;
let witness: TestApp;
let admin: string;
let watcher: string;
let url: string;
let logKey: string;
let sink: AuditSink;

before(async () => {
  [log, witness] = await Promise.all([testApp(), testApp()]);
  [admin, watcher] = [(await firstAdmin(log)).token, (await firstAdmin(witness)).token];
  await witness.http.listen({ port: 0, host: "127.0.0.1" });
  const { port } = witness.http.server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/api/v1/audit/witness`;
  logKey = (await log.call(readCheckpoint, { as: admin })).body.verifier_key;
});
after(() => Promise.all([log.close(), witness.close()]));

const watched = async (): Promise<WitnessedLog> => (await witness.call(readWitness, { as: watcher })).body.logs[0]!;
/** The watched log, once all signed checkpoints are cosigned and the log does not change without new entries. */
async function allWatched(): Promise<WitnessedLog> {
  await sequenced(log, admin);
  const { size } = (await log.call(readCheckpoint, { as: admin })).body;
  return eventually(async () => {
    const shown = await watched();
    return shown.size >= size ? shown : null;
  });
}
const publisher = async (body: object): Promise<AuditSink> => {
  const made = await log.call(createAuditSink, {
    body: { content: "checkpoints", every_seconds: 1, ...body } as never,
    as: admin,
  });
  assert.equal(made.status, 201, made.text);
  return made.body;
};
const entriesOf = async (app: TestApp, event: string): Promise<string[]> => {
  const { rows } = await app.database.pool.query<{ said: string }>(
    "select convert_from(canonical, 'utf8') as said from audit_entries where event = $1 order by id",
    [event],
  );
  return rows.map(({ said }) => said);
};

test("a witness cosigns checkpoints that extend a watched log, and no checkpoint of an unknown log", async () => {
  const { witness_key } = (await witness.call(readWitness, { as: watcher })).body;
  sink = await publisher({ name: "witness", config: { kind: "witness", url, witness_key } });
  const unknown = await eventually(async () => (await sinkNamed(log, admin, sink.id)).status.last_error);
  assert.match(unknown, /does not watch this log/);

  const body = { name: "Head office", verifier_key: logKey };
  assert.equal((await witness.call(addWitnessedLog, { body, as: watcher })).status, 201);
  for (const count of [1, 5]) {
    await recordEntries(log, count);
    await allWatched();
  }
  const { cosigned, seen } = await eventually(async () => {
    const last = await watched();
    const shown = await sinkNamed(log, admin, sink.id);
    return shown.status.cursor === last.size ? { cosigned: shown.cosigned_checkpoint, seen: last } : null;
  });
  assert.ok(cosignedAt(cosigned!, parseWitnessKey(witness_key)!) !== null);
  assert.ok(cosigned!.startsWith(seen.checkpoint!), "the stored checkpoint with the witness's signature");
  const lines = (await log.call(exportAudit, { as: admin })).text.split("\n").slice(0, -1);
  assert.equal((await verifyExport(lines, logKey, [cosigned!])).isIntact, true);
});

test("the witness of a log answers requests as C2SP tlog-witness requires", async () => {
  const known = await allWatched();
  const ask = async (text: string) => {
    const reply = await fetch(`${url}/add-checkpoint`, {
      method: "POST",
      body: text,
      headers: { "content-type": "text/plain" },
    });
    return { status: reply.status, type: reply.headers.get("content-type"), text: await reply.text() };
  };
  const again = await ask(`old ${known.size}\n\n${known.checkpoint}`);
  assert.equal(again.status, 200, "the same once more is cosigned once more");
  assert.match(again.text, /^— strongroom\/witness\/\S+ \S+\n$/);
  const behind = await ask(`old 0\n\n${known.checkpoint}`);
  assert.deepEqual(behind, { status: 409, type: "text/x.tlog.size", text: `${known.size}\n` });
  const unsigned = known.checkpoint!.replace(/\n\d+\n/, "\n999999\n");
  assert.equal((await ask(`old ${known.size}\n\n${unsigned}`)).status, 403);
  assert.equal((await ask(`old 0\n\n${known.checkpoint!.replaceAll(known.origin, "another/log")}`)).status, 404);
  assert.equal((await ask(`old ${known.size + 1}\n\n${known.checkpoint}`)).status, 400);
  for (const nonsense of ["old x\n\n", "nothing", `old 0\nnot base64\n\n${known.checkpoint}`]) {
    assert.equal((await ask(nonsense)).status, 400, nonsense);
  }
  assert.deepEqual((await watched()).contradiction, null, "none of this is a reason for an alarm");
});

test("an auditor can compare an export with the complete checkpoints in a file", async () => {
  const file = await publisher({ name: "file", config: { kind: "file", name: "checkpoints.txt" } });
  for (const _ of [1, 2]) {
    const { delivered } = (await sinkNamed(log, admin, file.id)).status;
    await recordEntries(log, 2);
    await eventually(async () => ((await sinkNamed(log, admin, file.id)).status.delivered > delivered ? true : null));
  }
  const notes = splitNotes(readFileSync(join(log.config.sinkFolder, "checkpoints.txt"), "utf8"));
  assert.ok(notes.length >= 2);
  const lines = (await log.call(exportAudit, { as: admin })).text.split("\n").slice(0, -1);
  const report = await verifyExport(lines, logKey, notes);
  assert.deepEqual(report.findings, []);
});

test("an HTTP receiver gets the log's own signed notes as checkpoints, in signed requests", async () => {
  const receiver = await startReceiver();
  const hmac_key = "a key that both of them know";
  const { id } = await publisher({ name: "http", config: { kind: "http", url: receiver.url }, hmac_key });
  await recordEntries(log, 2);
  await sequenced(log, admin);
  const { size } = (await log.call(readCheckpoint, { as: admin })).body;
  await eventually(async () => ((await sinkNamed(log, admin, id)).status.cursor >= size ? true : null));
  const { body, headers } = receiver.taken().at(-1)!;
  const stamped = `${String(headers["strongroom-timestamp"])}.${body}`;
  const expected = createHmac("sha256", hmac_key).update(stamped).digest("hex");
  assert.equal(headers["strongroom-signature"], `sha256=${expected}`);
  assert.ok(body.startsWith(`${(await watched()).origin}\n`));
  const lines = (await log.call(exportAudit, { as: admin })).text.split("\n").slice(0, -1);
  assert.deepEqual((await verifyExport(lines, logKey, [body])).findings, []);
  await log.call(deleteAuditSink, { params: { id }, as: admin });
  await receiver.close();
});

/** Simulates a database owner who can also make the running product sign: rewrites every table of the trail. */
async function rewriteHistory(): Promise<void> {
  const tables = ["audit_entries", "audit_leaves", "audit_nodes"];
  await log.database.transaction(async (tx) => {
    const run = (text: string) => sql.raw(text).execute(tx);
    // A batch sequenced in the meantime would mix the old history with the new one.
    await eventually(async () => ((await tryLockTree(tx)) ? true : null));
    for (const table of tables) await run(`alter table ${table} disable trigger user`);
    for (const table of ["audit_leaves", "audit_nodes", "audit_checkpoints", "audit_counts"])
      await run(`delete from ${table}`);
    await run(`update audit_entries set canonical =
      convert_to(replace(convert_from(canonical, 'utf8'), '"number":3', '"number":7'), 'utf8')`);
    await run("insert into audit_pending (entry_id) select id from audit_entries on conflict do nothing");
    for (const table of tables) await run(`alter table ${table} enable trigger user`);
  });
}

/**
 * Simulates everything an attacker without control of the machine can do: deletes all stored state of the log, in the
 * database and the data folder, so that entries look like those from before an upgrade.
 */
async function forgetHistory(): Promise<void> {
  const { database, dataFolder } = await log.stopOnly();
  rmSync(join(dataFolder, "audit"), { recursive: true });
  for (const text of [
    "delete from audit_contradictions",
    "delete from keks where purpose = 'audit-integrity'",
    "update audit_pending set mac = null, mac_key = null",
    "update audit_sinks set cursor = 0, settled = 0, cosigned = null, is_enabled = false",
  ])
    await sql.raw(text).execute(database.database.db);
  log = await testApp({ database, dataFolder });
}

test("a running server does not sign a database that was rewritten completely", async () => {
  const before = await allWatched();
  await rewriteHistory();
  const { open } = await eventually(async () => {
    const shown = (await log.call(listContradictions, { as: admin })).body;
    return shown.open.length > 0 ? shown : null;
  });
  assert.match(open[0]!.message, /^the log ends at 0 but the newest checkpoint of this process signed/);
  assert.equal((await log.call(readCheckpoint, { as: admin })).body.checkpoint, null, "nothing is signed");
  assert.equal((await watched()).size, before.size);
});

test("a witness's copy exposes an attacker who also rewrites the data folder", async () => {
  const before = await watched();
  await forgetHistory();
  await sequenced(log, admin);
  await recordEntries(log, 3);
  await sequenced(log, admin);

  const lines = (await log.call(exportAudit, { as: admin })).text.split("\n").slice(0, -1);
  assert.equal((await verifyExport(lines, logKey, [])).isIntact, true, "by itself the new history is flawless");
  const compared = await verifyExport(lines, logKey, [before.checkpoint!]);
  assert.equal(compared.isIntact, false);
  assert.match(compared.findings[0]?.message ?? "", /is not what|are not what/);

  await log.call(switchAuditSink, { params: { id: sink.id }, body: { is_enabled: true }, as: admin });
  const { contradiction, size, checkpoint } = await eventually(async () => {
    const shown = await watched();
    return shown.contradiction === null ? null : shown;
  });
  assert.deepEqual([size, checkpoint], [before.size, before.checkpoint], "the witness keeps what it saw");
  assert.match(contradiction?.message ?? "", /do not provably extend|two different histories/);
  assert.match((await entriesOf(witness, "audit-witness.fork-refused"))[0] ?? "", /"name":"Head office"/);
  await eventually(
    async () =>
      (await entriesOf(log, "audit.tampering-found")).find((said) =>
        said.includes("The witness has seen a different history"),
      ) ?? null,
  );
  const status = await eventually(async () => {
    const shown = (await sinkNamed(log, admin, sink.id)).status;
    return shown.state === "failing" ? shown : null;
  });
  assert.equal(status.cursor, 0);
  const { open } = (await log.call(listContradictions, { as: admin })).body;
  assert.deepEqual([open[0]?.source, open[0]?.stops_signing], ["witness", true]);
  assert.equal((await log.call(verifyAudit, { as: admin })).body.is_intact, false, "while the witness's alarm is open");
});

test("a log that is no longer watched is deleted, and its last checkpoint stays in the audit trail", async () => {
  const { id, checkpoint } = await watched();
  assert.equal((await witness.call(removeWitnessedLog, { params: { id }, as: watcher })).status, 200);
  assert.deepEqual((await witness.call(readWitness, { as: watcher })).body.logs, []);
  const [entry = ""] = await entriesOf(witness, "audit-witness.log-removed");
  assert.ok(entry.includes(JSON.stringify(checkpoint).slice(1, 40)));
  const { body } = await log.call(listAuditSinks, { as: admin });
  assert.ok(body.sinks.length >= 2);
});
