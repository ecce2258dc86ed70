// Cost of the audit trail: a transaction with and without its entry, verifying a large trail, and its size.
import { verifyExport } from "@strongroom/auditlog";
import { SessionId } from "@strongroom/contract";
import { openTrail } from "@strongroom/server/features/audit/index.ts";
import { appendAudit } from "@strongroom/server/kernel/audit/append.ts";
import { callEntry } from "@strongroom/server/kernel/audit/entry.ts";
import type { Actor } from "@strongroom/server/kernel/authz/actor.ts";
import { sql } from "kysely";
import { ADA, audited } from "../apps/server/src/testing/audited.ts";
import type { Audited } from "../apps/server/src/testing/audited.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { figure, median, printTable, withRange } from "./support/table.ts";

const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const BATCH = 1000;

const actor: Actor = {
  ...ADA,
  role: "admin",
  sessionId: SessionId.parse("0190c0de-0000-7000-8000-0000000000aa"),
  provedUntil: new Date("2100-01-01T00:00:00Z"),
  isPending: false,
  closure: null,
  token: null,
};
let number = 0;
/** An entry like that of a user's call: about 500 bytes. */
function anEntry() {
  number += 1;
  const request = { id: `request-${number}`, ip: "192.0.2.7", agent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };
  const note = {
    target: {
      type: "credential",
      id: `0190c0de-0000-7000-8000-${String(number).padStart(12, "0")}`,
      name: "Billing database",
    },
    reason: "Deployment of the week",
    details: { version: 3, duration_ms: 12 },
  };
  return callEntry("credential.revealed", actor, request, note, new Date());
}

/** Transactions per second: each changes a separate row, like calls. */
async function transactions(trail: Audited, connections: number, isOn: boolean): Promise<number> {
  const end = performance.now() + SECONDS * 1000;
  let count = 0;
  const work = async (row: number) => {
    while (performance.now() < end) {
      await trail.database.transaction(async (tx) => {
        await sql`update bench_calls set n = n + 1 where id = ${row}`.execute(tx);
        if (isOn) await appendAudit(tx, [anEntry()]);
      });
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, row) => work(row)));
  return count / SECONDS;
}

async function measureOverhead(trail: Audited): Promise<void> {
  await trail.database.pool.query("create table bench_calls as select id, 0 as n from generate_series(0, 63) as id");
  await trail.database.pool.query("alter table bench_calls add primary key (id)");
  trail.audit.start();
  const rows: string[][] = [];
  for (const connections of [1, 16]) {
    const rounds: { on: number; off: number }[] = [];
    for (const isOn of [true, false]) await transactions(trail, connections, isOn);
    for (let round = 0; round < ROUNDS; round++) {
      const on = await transactions(trail, connections, true);
      rounds.push({ on, off: await transactions(trail, connections, false) });
    }
    const extra = rounds.map(({ on, off }) => (connections / on - connections / off) * 1e6);
    rows.push([
      String(connections),
      withRange(rounds.map(({ on }) => on)),
      withRange(rounds.map(({ off }) => off)),
      figure(median(rounds.map(({ on, off }) => on / off))),
      figure(median(extra)),
    ]);
  }
  printTable(["connections", "with the trail /s", "without /s", "ratio", "overhead of a call, µs"], rows);
}

const TABLES = ["audit_entries", "audit_leaves", "audit_nodes", "audit_checkpoints", "audit_pending"];

async function bytesOf(trail: Audited): Promise<number> {
  const { rows } = await trail.database.pool.query<{ bytes: string }>(
    "select sum(pg_total_relation_size(name::regclass)) as bytes from unnest($1::text[]) as name",
    [TABLES],
  );
  return Number(rows[0]?.bytes ?? 0);
}

/** Seconds for recording and for sequencing. */
async function fill(trail: Audited, count: number): Promise<{ record: number; place: number }> {
  const started = performance.now();
  for (let left = count; left > 0; left -= BATCH) {
    const entries = Array.from({ length: Math.min(left, BATCH) }, anEntry);
    await trail.database.transaction((tx) => appendAudit(tx, entries));
  }
  const recorded = performance.now();
  await trail.audit.sequence();
  return { record: (recorded - started) / 1000, place: (performance.now() - recorded) / 1000 };
}

async function timed<T>(work: () => Promise<T>): Promise<[seconds: number, result: T]> {
  const started = performance.now();
  const result = await work();
  return [(performance.now() - started) / 1000, result];
}

async function verifyOffline(trail: Audited): Promise<number> {
  const opened = openTrail(trail.kernel);
  const key = await opened.verifierKey();
  const pieces = await opened.exportTrail();
  const [seconds, report] = await timed(() => verifyExport(linesOf(pieces), key, []));
  if (!report.isIntact) throw new Error(`the trail is not intact: ${report.findings[0]?.message}`);
  return seconds;
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  // Every chunk ends with a complete line.
  for await (const piece of pieces) yield* piece.split("\n").slice(0, -1);
}

async function measureGrowth(): Promise<void> {
  const trail = await audited();
  const rows: string[][] = [];
  let size = 0;
  for (const target of [ENTRIES / 100, ENTRIES / 10, ENTRIES]) {
    console.log(`recording ${(target - size).toLocaleString("en")} entries, and sequencing them`);
    const { record, place } = await fill(trail, target - size);
    const added = target - size;
    size = target;
    await trail.database.pool.query("vacuum analyze audit_entries, audit_leaves, audit_nodes");
    console.log(
      `recorded in ${figure(record)} s, sequenced in ${figure(place)} s; verifying ${size.toLocaleString("en")}`,
    );
    const [stored, report] = await timed(() => trail.audit.verify());
    if (!report.isIntact) throw new Error(`the trail is not intact: ${report.findings[0]?.message}`);
    const offline = await verifyOffline(trail);
    const bytes = await bytesOf(trail);
    rows.push([
      size.toLocaleString("en"),
      figure(added / record),
      figure(added / place),
      `${figure(stored)} (${figure((stored / size) * 1e6)})`,
      `${figure(offline)} (${figure((offline / size) * 1e6)})`,
      figure(bytes / 1024 / 1024),
      figure(bytes / size),
    ]);
  }
  printTable(
    [
      "entries",
      "recorded /s, 1,000 at once",
      "sequenced /s",
      "Verify s (µs each)",
      "export and offline verifier s (µs each)",
      "on disk MB",
      "bytes each",
    ],
    rows,
  );
  await trail.close();
}

const postgres = await startBenchPostgres();
const trail = await audited();
await measureOverhead(trail);
await trail.close();
await measureGrowth();
await postgres.stop();
