// The dashboard: the figures and alerts of the first page.
import type { Kernel } from "#kernel/kernel.ts";
import { rolePermissions } from "./dashboard.policy.ts";
import { bindDashboard } from "./dashboard.routes.ts";
import type { DashboardContext } from "./dashboard.ts";

export function installDashboard(kernel: Kernel, deps: Omit<DashboardContext, "kernel">): void {
  kernel.authority.grant(rolePermissions);
  bindDashboard({ kernel, ...deps });
}
