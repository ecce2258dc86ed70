// Audit sinks: send the audit trail to a SIEM, to files and to witnesses.
import type { NetworkPolicy } from "@strongroom/connectors";
import type { Notify } from "#features/notifications/index.ts";
import type { EntryFeed, SinkStanding } from "#features/audit/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { version } from "#kernel/version.ts";
import { hostname } from "node:os";
import { createDelivery } from "./audit-sinks.jobs.ts";
import type { Delivery } from "./audit-sinks.jobs.ts";
import { rolePermissions } from "./audit-sinks.policy.ts";
import { bindAuditSinks } from "./audit-sinks.routes.ts";
import { problemOf } from "./audit-sinks.ts";
import { listSinks } from "./audit-sinks.store.ts";

interface Deps {
  outlet: EntryFeed;
  network: NetworkPolicy;
  notify: Notify;
}

export interface AuditSinksFeature extends Delivery {
  /** A check for the server's health. */
  health: { name: string; problem: () => Promise<string | null> };
  /** The position of each sink, which the log compares with its own size. */
  standings: (db: Db) => Promise<SinkStanding[]>;
}

export function installAuditSinks(kernel: Kernel, deps: Deps): AuditSinksFeature {
  const context = { kernel, ...deps, sender: { hostname: hostname(), version }, folder: kernel.config.sinkFolder };
  kernel.authority.grant(rolePermissions);
  bindAuditSinks(context);
  const health = { name: "audit sinks", problem: () => problemOf(context) };
  return { ...createDelivery(context), health, standings: listSinks };
}
