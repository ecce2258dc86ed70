// Each process says now and then that it is there, so that an administrator sees all of them.
import { hostname } from "node:os";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { version } from "#kernel/version.ts";
import { GONE_AFTER, SIGN_OF_LIFE_EVERY } from "./admin.policy.ts";
import { forgetProcess, signOfLife } from "./admin.store.ts";

export interface SignsOfLife {
  readonly processId: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createSignsOfLife({ database, clock, keys, log }: Kernel): SignsOfLife {
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
    await signOfLife(database.db, row, new Date(now.getTime() - GONE_AFTER)).catch((error: unknown) => {
      log.warn({ err: error }, "this process could not say that it is there");
    });
  }

  return {
    processId,
    async start() {
      await say();
      timer = setInterval(() => void say(), SIGN_OF_LIFE_EVERY).unref();
    },
    async stop() {
      clearInterval(timer);
      await forgetProcess(database.db, processId).catch(() => undefined);
    },
  };
}
