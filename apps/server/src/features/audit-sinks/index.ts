// Audit sinks: the audit trail beside the database, in a SIEM, in files, and vouched for by witnesses.
import type { NetworkPolicy } from "@strongroom/connectors";
import type { Notify } from "#features/notifications/index.ts";
import type { Outlet, SinkStanding } from "#features/audit/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { version } from "#kernel/version.ts";
import { hostname } from "node:os";
import { createDelivery } from "./audit-sinks.jobs.ts";
import type { Delivery } from "./audit-sinks.jobs.ts";
import { grants } from "./audit-sinks.policy.ts";
import { bindAuditSinks } from "./audit-sinks.routes.ts";
import { problemOf } from "./audit-sinks.ts";
import { listSinks } from "./audit-sinks.store.ts";

interface Deps {
  outlet: Outlet;
  network: NetworkPolicy;
  notify: Notify;
}

export interface AuditSinksFeature extends Delivery {
  /** For the health of the server. */
  health: { name: string; problem: () => Promise<string | null> };
  /** The position of each sink, which the log compares with itself. */
  standings: (db: Db) => Promise<SinkStanding[]>;
}

export function installAuditSinks(kernel: Kernel, deps: Deps): AuditSinksFeature {
  const site = { kernel, ...deps, sender: { hostname: hostname(), version }, folder: kernel.config.sinkFolder };
  kernel.authority.grant(grants);
  bindAuditSinks(site);
  const health = { name: "audit sinks", problem: () => problemOf(site) };
  return { ...createDelivery(site), health, standings: listSinks };
}
