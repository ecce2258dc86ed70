// The dashboard: the figures and alerts of the first page.
import type { Kernel } from "#kernel/kernel.ts";
import { grants } from "./dashboard.policy.ts";
import { bindDashboard } from "./dashboard.routes.ts";
import type { Site } from "./dashboard.ts";

export function installDashboard(kernel: Kernel, deps: Omit<Site, "kernel">): void {
  kernel.authority.grant(grants);
  bindDashboard({ kernel, ...deps });
}
