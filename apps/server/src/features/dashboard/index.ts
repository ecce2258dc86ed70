// The dashboard: the figures and alerts of the first page.
import type { Kernel } from "#kernel/kernel.ts";
import { rolePermissions } from "./dashboard.policy.ts";
import { listDashboardAlerts, readDashboardStats } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { readAlerts, readStats } from "./dashboard.ts";
import type { DashboardContext } from "./dashboard.ts";

export function installDashboard(kernel: Kernel, deps: Omit<DashboardContext, "kernel">): void {
  kernel.authority.grant(rolePermissions);
  bindDashboard({ kernel, ...deps });
}

function bindDashboard(context: DashboardContext): void {
  implement(context.kernel, readDashboardStats, (call, db) => readStats(context, call, db));
  implement(context.kernel, listDashboardAlerts, (call, db) => readAlerts(context, call, db));
}
