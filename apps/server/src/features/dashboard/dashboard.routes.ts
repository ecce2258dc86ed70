// Binds the dashboard's calls to their use cases.
import { listDashboardAlerts, readDashboardStats } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { readAlerts, readStats } from "./dashboard.ts";
import type { Site } from "./dashboard.ts";

export function bindDashboard(site: Site): void {
  implement(site.kernel, readDashboardStats, (call, db) => readStats(site, call, db));
  implement(site.kernel, listDashboardAlerts, (call, db) => readAlerts(site, call, db));
}
