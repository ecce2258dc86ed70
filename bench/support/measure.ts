// Measures the cost of a call: CPU of the server and its database together, and latency.
import { load } from "./load.ts";
import type { LoadRequest } from "./load.ts";
import { cpuOf, familyOf } from "./processes.ts";
import { median } from "./table.ts";

export interface Cost {
  /** Milliseconds of CPU per call. */
  cpu: number;
  /** Latency in milliseconds. */
  p50: number;
}

interface Measured {
  server: { url: string; pid: number };
  connections: number;
  seconds: number;
  rounds: number;
}

/** The medians of the rounds, after a warm-up. The database is a descendant of this process. */
export async function costOf(measured: Measured, next: () => LoadRequest): Promise<Cost> {
  await once(measured, next);
  const costs: Cost[] = [];
  for (let round = 0; round < measured.rounds; round += 1) costs.push(await once(measured, next));
  return { cpu: median(costs.map(({ cpu }) => cpu)), p50: median(costs.map(({ p50 }) => p50)) };
}

async function once({ server, connections, seconds }: Measured, next: () => LoadRequest): Promise<Cost> {
  const used = () => {
    const database = familyOf(process.pid).filter((pid) => pid !== process.pid && pid !== server.pid);
    return new Map([server.pid, ...database].map((pid) => [pid, cpuOf(pid)]));
  };
  const before = used();
  const { answers, p50 } = await load(server.url, connections, seconds, next);
  // Connection processes may start or end during the measurement.
  const cpu = [...used()].reduce((sum, [pid, after]) => sum + after - (before.get(pid) ?? 0), 0);
  return { cpu: (cpu / answers) * 1000, p50 };
}
