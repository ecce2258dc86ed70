// The dashboard: the figures and alerts of the first page.
import type { Kernel } from "#kernel/kernel.ts";
import { rolePermissions } from "./dashboard.policy.ts";
import {
  dismissSetupStep,
  listDashboardAlerts,
  listRecentAccounts,
  readDashboardStats,
  readRotationTrend,
  readSetup,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { readAlerts } from "./alerts.ts";
import { readRecent, readStats, readTrend } from "./dashboard.ts";
import type { DashboardContext } from "./dashboard.ts";
import { dismissStep, readSetupSteps } from "./setup-steps.ts";
import type { SetupContext } from "./setup-steps.ts";

export function installDashboard(kernel: Kernel, deps: Omit<DashboardContext & SetupContext, "kernel">): void {
  kernel.authority.grant(rolePermissions);
  bindDashboard({ kernel, ...deps });
}

function bindDashboard(context: DashboardContext & SetupContext): void {
  implement(context.kernel, readDashboardStats, (call, db) => readStats(context, call, db));
  implement(context.kernel, listDashboardAlerts, (call, db) => readAlerts(context, call, db));
  implement(context.kernel, readRotationTrend, (call, db) => readTrend(context, call, db));
  implement(context.kernel, readSetup, (call, db) => readSetupSteps(context, call, db));
  implement(context.kernel, dismissSetupStep, (call, tx) => dismissStep(context, call, tx));
  implement(context.kernel, listRecentAccounts, (call, db) => readRecent(context, call, db));
}
