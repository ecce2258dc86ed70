// The dashboard: the figures and alerts of the first page.
import type { Kernel } from "#kernel/kernel.ts";
import { rolePermissions } from "./dashboard.policy.ts";
import { listDashboardAlerts, listRecentAccounts, readDashboardStats, readRotationTrend } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { readAlerts } from "./alerts.ts";
import { readRecent, readStats, readTrend } from "./dashboard.ts";
import type { DashboardContext } from "./dashboard.ts";

export function installDashboard(kernel: Kernel, deps: Omit<DashboardContext, "kernel">): void {
  kernel.authority.grant(rolePermissions);
  bindDashboard({ kernel, ...deps });
}

function bindDashboard(context: DashboardContext): void {
  implement(context.kernel, readDashboardStats, (call, db) => readStats(context, call, db));
  implement(context.kernel, listDashboardAlerts, (call, db) => readAlerts(context, call, db));
  implement(context.kernel, readRotationTrend, (call, db) => readTrend(context, call, db));
  implement(context.kernel, listRecentAccounts, (call, db) => readRecent(context, call, db));
}
