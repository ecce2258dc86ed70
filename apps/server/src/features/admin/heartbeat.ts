// Reports periodically that this process is running, so that administrators see every process.
import { hostname } from "node:os";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { version } from "#kernel/version.ts";
import { HEARTBEAT_TIMEOUT, HEARTBEAT_INTERVAL } from "./admin.policy.ts";
import { deleteProcess, recordHeartbeat } from "./admin.store.ts";

export interface Heartbeat {
  readonly processId: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createHeartbeat({ database, clock, keys, log }: Kernel): Heartbeat {
  const startedAt = clock.now();
  const processId = newId(startedAt.getTime());
  let timer: NodeJS.Timeout | undefined;

  async function say(): Promise<void> {
    const now = clock.now();
    const row = {
      id: processId,
      host: hostname(),
      pid: process.pid,
      version,
      node: process.versions.node,
      is_sealed: keys.isSealed,
      started_at: startedAt,
      seen_at: now,
    };
    await recordHeartbeat(database.db, row, new Date(now.getTime() - HEARTBEAT_TIMEOUT)).catch((error: unknown) => {
      log.warn({ err: error }, "could not record this process's heartbeat");
    });
  }

  return {
    processId,
    async start() {
      await say();
      timer = setInterval(() => void say(), HEARTBEAT_INTERVAL).unref();
    },
    async stop() {
      clearInterval(timer);
      await deleteProcess(database.db, processId).catch(() => undefined);
    },
  };
}
