// Applies a platform's new verification interval to its accounts, a few hundred at a time.
import { sql } from "kysely";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { rescheduleVerifications } from "#features/secrets/index.ts";
import { readPlatform } from "./platforms.store.ts";

const RESCHEDULE_JOB = "platforms.reschedule";

interface Rescheduling {
  platformId: string;
}

export function defineJobs(kernel: Kernel): void {
  kernel.jobs.define<Rescheduling>(RESCHEDULE_JOB, {}, ({ data, signal }) => reschedule(kernel, data, signal));
}

/** Reschedules the platform's accounts with the new verification interval. */
export async function queueRescheduling({ jobs }: Kernel, tx: Tx, platformId: string): Promise<void> {
  const data: Rescheduling = { platformId };
  await jobs.enqueue(tx, RESCHEDULE_JOB, data);
}

async function reschedule({ database }: Kernel, { platformId }: Rescheduling, signal: AbortSignal): Promise<void> {
  const ids = sql`select id from accounts where platform_id = ${platformId}`;
  while (!signal.aborted) {
    const changed = await database.transaction(async (tx) => {
      const platform = await readPlatform(tx, platformId);
      return platform === null ? 0 : rescheduleVerifications(tx, ids, platform.verify_every_hours);
    });
    if (changed === 0) return;
  }
}
