// Binds the dashboard's calls to their use cases.
import { listDashboardAlerts, readDashboardStats } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { readAlerts, readStats } from "./dashboard.ts";
import type { CountActiveByRole } from "./dashboard.ts";

export function bindDashboard(kernel: Kernel, countActiveByRole: CountActiveByRole): void {
  implement(kernel, readDashboardStats, (call, db) => readStats(kernel, call, db, countActiveByRole));
  implement(kernel, listDashboardAlerts, (call, db) => readAlerts(kernel, call, db));
}
