// How the system is, for an administrator: what is wrong in words, versions, room, processes.
import type { SystemFacts } from "@strongroom/contract";
import { statfs } from "node:fs/promises";
import { readLag } from "#features/audit/index.ts";
import type { HealthFeature } from "#features/health/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { version } from "#kernel/version.ts";
import { GONE_AFTER } from "./admin.policy.ts";
import { findProcesses, readDatabaseFacts } from "./admin.store.ts";

export interface SystemSite {
  kernel: Kernel;
  health: HealthFeature;
  /** Of this process, among those that say that they are there. */
  processId: string;
  isMailConfigured: boolean;
}

export async function readFacts(site: SystemSite, db: Db): Promise<SystemFacts> {
  const { kernel, health, processId, isMailConfigured } = site;
  const { config, clock } = kernel;
  const since = new Date(clock.now().getTime() - GONE_AFTER);
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

/** In bytes, for this user; null where the file system does not say. */
export async function roomAt(folder: string): Promise<{ free: number; total: number } | null> {
  const found = await statfs(folder).catch(() => null);
  return found && { free: found.bavail * found.bsize, total: found.blocks * found.bsize };
}
