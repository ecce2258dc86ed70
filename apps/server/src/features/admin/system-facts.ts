// System information for administrators: health, versions, disk space and processes.
import type { SystemFacts } from "@strongroom/contract";
import { statfs } from "node:fs/promises";
import { readLag } from "#features/audit/index.ts";
import type { HealthFeature } from "#features/health/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { version } from "#kernel/version.ts";
import { HEARTBEAT_TIMEOUT } from "./admin.policy.ts";
import { findProcesses, readDatabaseFacts } from "./admin.store.ts";

export interface SystemContext {
  kernel: Kernel;
  health: HealthFeature;
  /** Identifies this process in the list of processes. */
  processId: string;
  isMailConfigured: boolean;
}

export async function readFacts(context: SystemContext, db: Db): Promise<SystemFacts> {
  const { kernel, health, processId, isMailConfigured } = context;
  const { config, clock } = kernel;
  const since = new Date(clock.now().getTime() - HEARTBEAT_TIMEOUT);
  const [facts, lag, { status, summary, checks, uptime }, processes, disk] = await Promise.all([
    readDatabaseFacts(db),
    readLag(db),
    health.examine(),
    findProcesses(db, since),
    roomAt(config.dataFolder),
  ]);
  return {
    version,
    node: process.versions.node,
    uptime,
    database: { kind: config.databaseUrl === null ? "embedded" : "server", ...facts },
    disk: disk && { free_bytes: disk.free, total_bytes: disk.total },
    is_mail_configured: isMailConfigured,
    audit: { waiting: lag.waiting, oldest_at: lag.oldest?.toISOString() ?? null },
    health: { status, summary, checks },
    processes: processes.map(({ id, started_at: startedAt, seen_at: seenAt, ...rest }) => ({
      ...rest,
      started_at: startedAt.toISOString(),
      seen_at: seenAt.toISOString(),
      is_this: id === processId,
    })),
  };
}

/** Free and total bytes available to this OS user; null when the file system does not report them. */
export async function roomAt(folder: string): Promise<{ free: number; total: number } | null> {
  const found = await statfs(folder).catch(() => null);
  return found && { free: found.bavail * found.bsize, total: found.blocks * found.bsize };
}
