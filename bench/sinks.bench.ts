// Measures a SIEM that is killed and stopped, and a file on a full disk, while BENCH_ENTRIES entries (default 100,000)
// are recorded: missing entries, deliveries per entry, and the latency of concurrent calls. Needs root for the small
// disk.
import { makeAuthority, startRsyslog } from "@strongroom/connectors/testing";
import { appendAudit } from "@strongroom/server/kernel/audit/append.ts";
import { systemEntry } from "@strongroom/server/kernel/audit/entry.ts";
import { openDatabase } from "@strongroom/server/kernel/db/database.ts";
import type { Database } from "@strongroom/server/kernel/db/database.ts";
import { openLog } from "@strongroom/server/kernel/log.ts";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startBenchPostgres } from "./support/postgres.ts";
import { addCredentials, startBenchServer } from "./support/strongroom.ts";
import type { BenchServer } from "./support/strongroom.ts";
import { figure, median, printTable } from "./support/table.ts";

const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 100_000);
/** Entries per phase: all working; SIEM killed and disk full; SIEM stopped and disk still full. */
const PART = Math.ceil(ENTRIES / 3);
const BATCH = 250;
const MEGABYTE = 1024 * 1024;
const DISK = Math.max(8, Math.ceil((ENTRIES * 1000) / MEGABYTE)) * 2;

const disk = mkdtempSync(join(tmpdir(), "strongroom-small-disk-"));
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK}m`, "tmpfs", disk]);
if (mounted.status !== 0) throw new Error(`a small disk cannot be mounted: ${mounted.stderr.toString()}`);
process.on("exit", () => {
  spawnSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});
const postgres = await startBenchPostgres();
const url = await postgres.database();
const server = await startBenchServer({ DATABASE_URL: url, STRONGROOM_SINK_FOLDER: disk });
const database = openDatabase({ connection: { connectionString: url }, log: openLog("fatal"), poolSize: 2 });
const authority = await makeAuthority();
const siem = await startRsyslog({ certificate: await authority.issue(["127.0.0.1"]), authority });

/** Records entries in groups like the product; one by one would take hours. */
async function record(count: number): Promise<void> {
  for (let done = 0; done < count; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - done) }, (_, index) =>
      systemEntry(
        "credential.verified",
        "bench",
        { details: { number: done + index }, reason: "a reason" },
        new Date(),
      ),
    );
    await database.transaction((tx) => appendAudit(tx, batch));
  }
}

/** Latencies in milliseconds of consecutive reveals until `work` is done. */
async function beside(credential: string, work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const state = { isDone: false };
  const working = work().finally(() => (state.isDone = true));
  while (!state.isDone) {
    const started = performance.now();
    await server.request("POST", `/api/v1/credentials/${credential}/reveal`, {});
    times.push(performance.now() - started);
  }
  await working;
  return times;
}

const sinksOf = async ({ request }: BenchServer) =>
  (await request("GET", "/api/v1/audit/sinks")).sinks as {
    name: string;
    status: { state: string; behind_entries: number; last_error: string | null };
  }[];

async function untilFailing(...names: string[]): Promise<void> {
  for (;;) {
    const sinks = await sinksOf(server);
    if (names.every((name) => sinks.find((sink) => sink.name === name)?.status.state === "failing")) return;
    await delay(100);
  }
}

/** Waits until at most `few` entries are undelivered: concurrent calls always leave some in transit. */
async function untilDelivered(butFor = 0): Promise<void> {
  for (;;) {
    const sinks = await sinksOf(server);
    const { pending } = await server.request("GET", "/api/v1/audit/checkpoint");
    if (pending <= butFor && sinks.every(({ status }) => status.behind_entries <= butFor)) return;
    console.log(sinks.map(({ name, status }) => `${name}: ${status.behind_entries} behind`).join(", "));
    await delay(2000);
  }
}

/** Deliveries of each entry in these lines, by id. */
async function arrivals(
  lines: Iterable<string>,
  log: Database,
): Promise<{ missing: number; times: Map<string, number> }> {
  const times = new Map<string, number>();
  for (const line of lines) {
    const { entry } = JSON.parse(line.slice(line.indexOf('{"entry"'))) as { entry: { id: string } };
    times.set(entry.id, (times.get(entry.id) ?? 0) + 1);
  }
  const { rows } = await log.pool.query<{ id: string }>("select entry_id as id from audit_leaves");
  return { missing: rows.filter(({ id }) => !times.has(id)).length, times };
}

async function aSink(name: string, config: object): Promise<void> {
  await server.request("POST", "/api/v1/audit/sinks", { name, config, format: "json" });
}

const filler = join(disk, "filler");
/** Fills the disk to the last byte despite concurrent writes. */
function fill(): void {
  try {
    for (;;) appendFileSync(filler, Buffer.alloc(64 * 1024));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

const began = performance.now();
const [credential = ""] = await addCredentials(server, 1);
await aSink("SIEM", { kind: "syslog", host: "127.0.0.1", port: siem.port, ca: authority.certificate });
await aSink("file", { kind: "file", name: "trail.jsonl", rotate_megabytes: DISK * 2 });
const waits = new Map<string, number[]>();

waits.set("both sinks working", await beside(credential, () => record(PART)));
console.log("killing the SIEM during a delivery, and filling the disk");
await siem.kill();
fill();
waits.set(
  "SIEM killed, disk full",
  await beside(credential, async () => {
    await record(PART);
    await untilFailing("SIEM", "file");
  }),
);
const said = (await sinksOf(server)).map(({ name, status }) => `${name}: ${status.last_error}`);
await siem.restart();
await delay(1000);
siem.pause();
waits.set("SIEM stopped, disk full", await beside(credential, () => record(ENTRIES - 2 * PART)));
siem.resume();
rmSync(filler);
waits.set("both recovering", await beside(credential, () => untilDelivered(200)));
await untilDelivered();
const seconds = (performance.now() - began) / 1000;

printTable(
  ["concurrent reveal", "calls", "p50 ms", "p99 ms", "max ms"],
  [...waits].map(([name, times]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    return [name, String(times.length), figure(median(sorted)), figure(p99), figure(sorted.at(-1) ?? 0)];
  }),
);
const { rows } = await database.pool.query<{ count: number }>("select count(*)::integer as count from audit_leaves");
const total = rows[0]?.count ?? 0;
const results: string[][] = [];
let missing = 0;
for (const [name, lines] of Object.entries({
  "SIEM (rsyslog, TLS)": siem.messages(),
  file: readFileSync(join(disk, "trail.jsonl"), "utf8").split("\n").slice(0, -1),
})) {
  const found = await arrivals(lines, database);
  missing += found.missing;
  const counts = [...found.times.values()];
  const twice = counts.filter((count) => count > 1).length;
  const average = figure(lines.length / total);
  results.push([
    name,
    total.toLocaleString("en"),
    String(found.missing),
    average,
    String(Math.max(...counts)),
    String(twice),
  ]);
}
printTable(["sink", "entries", "missing", "deliveries per entry, average", "maximum", "more than once"], results);
console.log(`${figure(seconds)} s from the first entry to the last delivery. Last errors: ${said.join("; ")}`);

await server.close();
await siem.stop();
await database.close();
await postgres.stop();
if (missing > 0) throw new Error(`${missing} entries are missing`);
