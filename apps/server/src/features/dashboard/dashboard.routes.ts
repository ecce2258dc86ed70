// Binds the dashboard endpoints to their handlers.
import { listDashboardAlerts, readDashboardStats } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { readAlerts, readStats } from "./dashboard.ts";
import type { DashboardContext } from "./dashboard.ts";

export function bindDashboard(context: DashboardContext): void {
  implement(context.kernel, readDashboardStats, (call, db) => readStats(context, call, db));
  implement(context.kernel, listDashboardAlerts, (call, db) => readAlerts(context, call, db));
}
