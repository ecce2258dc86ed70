// Runs the product and a bare loop on the same real servers, one after the other, and compares their costs.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import pg from "pg";
import type { BareResult, BareWork } from "./bare-loop.ts";
import { startBenchPostgres } from "./postgres.ts";
import { cpuOf, cpuWithEnded, familyOf } from "./processes.ts";
import { startBenchServer } from "./strongroom.ts";
import type { BenchServer } from "./strongroom.ts";
import { figure, median, withRange } from "./table.ts";
import { startBenchTargets } from "./targets.ts";
import type { BenchTargets } from "./targets.ts";

/** Throughput per second, and CPU seconds per operation. */
export interface Side {
  perSecond: number;
  /** CPU of the product with its database, or of the loop. */
  ownCpu: number;
  targetCpu: number;
}

export interface BenchPair {
  server: BenchServer;
  /** The product's database. */
  database: pg.Client;
  targets: BenchTargets;
  /** Measures the product: `work` resolves with the duration of `count` operations in seconds. */
  product(count: number, work: () => Promise<number>): Promise<Side>;
  bare(work: BareWork): Promise<Side>;
  /** Disables the automatic first verification, which would be measured too. */
  disableFirstVerification(): Promise<void>;
  /** Starts another process on the same database. */
  second(): Promise<BenchServer>;
  stop(): Promise<void>;
}

export async function openBenchPair(accounts: number): Promise<BenchPair> {
  const targets = await startBenchTargets(accounts);
  const before = new Set(familyOf(process.pid));
  const postgres = await startBenchPostgres();
  const databaseUrl = await postgres.database();
  const databasePid = familyOf(process.pid).find((pid) => !before.has(pid))!;
  const server = await startBenchServer({ DATABASE_URL: databaseUrl });
  const bare = fork(join(import.meta.dirname, "bare-loop.ts"));
  await once(bare, "message");
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const side = (count: number, seconds: number, ownCpu: number, targetCpu: number): Side => ({
    perSecond: count / seconds,
    ownCpu: ownCpu / count,
    targetCpu: targetCpu / count,
  });
  return {
    server,
    database,
    targets,
    async product(count, work) {
      const own = () => cpuOf(server.pid) + cpuWithEnded(databasePid);
      const [ownBefore, targetBefore] = [own(), targets.cpu()];
      const seconds = await work();
      return side(count, seconds, own() - ownBefore, targets.cpu() - targetBefore);
    },
    async bare(work) {
      const targetBefore = targets.cpu();
      bare.send(work);
      const [result] = (await once(bare, "message")) as [BareResult | string];
      if (typeof result === "string") throw new Error(`the bare loop failed: ${result}`);
      return side(work.logins.length, result.seconds, result.cpu, targets.cpu() - targetBefore);
    },
    async disableFirstVerification() {
      await database.query(`
        create function bench_no_first() returns trigger language plpgsql as
          $$ begin return case when new.name = 'verification.first' then null else new end; end $$;
        create trigger bench_no_first before insert on jobs.job for each row execute function bench_no_first()`);
    },
    second: () => startBenchServer({ DATABASE_URL: databaseUrl }, server.dataFolder),
    async stop() {
      bare.disconnect();
      await once(bare, "exit");
      await database.end();
      await server.close();
      await postgres.stop();
      await targets.stop();
    },
  };
}

export const HEADER = [
  "Strongroom /s",
  "bare loop /s",
  "throughput ratio",
  "CPU ms each: Strongroom",
  "bare loop",
  "target",
  "CPU ratio, targets included",
];

/** The cells under `HEADER`. A ratio of 1 equals the bare loop; the CPU ratio is the loop's CPU divided by the product's. */
export function compared(rounds: readonly { product: Side; bare: Side }[]): string[] {
  const all = ({ ownCpu, targetCpu }: Side) => ownCpu + targetCpu;
  const middle = (pick: (round: { product: Side; bare: Side }) => number) => figure(median(rounds.map(pick)));
  return [
    withRange(rounds.map(({ product }) => product.perSecond)),
    withRange(rounds.map(({ bare }) => bare.perSecond)),
    middle(({ product, bare }) => product.perSecond / bare.perSecond),
    middle(({ product }) => product.ownCpu * 1000),
    middle(({ bare }) => bare.ownCpu * 1000),
    middle(({ product }) => product.targetCpu * 1000),
    middle(({ product, bare }) => all(bare) / all(product)),
  ];
}

/** Prints one round; the table follows at the end. */
export function printRound(name: string, count: number, { product, bare }: { product: Side; bare: Side }): void {
  const [ours, theirs] = [product.perSecond, bare.perSecond];
  console.log(`${name}, ${count}: ${figure(ours)} /s beside ${figure(theirs)} /s, ratio ${figure(ours / theirs)}`);
}
