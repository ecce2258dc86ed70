// Decides who may use reports, and when scheduled ones are due.
import { ROLES } from "@strongroom/contract";
import type { ReportCadence } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

/** Every role: a report contains only what its user can see, and no other user can read it. */
export const rolePermissions: RolePermissions = { "report.use": ROLES };

/** How long a report is kept. */
export const KEPT_DAYS = 90;

const HOUR_UTC = 5;
const MONDAY = 1;

/** The next time after `from` at which a schedule is due, always at 05:00 UTC. */
export function nextAfter(cadence: ReportCadence, from: Date): Date {
  const [year, month, day] = [from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate()];
  if (cadence === "monthly") {
    const first = new Date(Date.UTC(year, month, 1, HOUR_UTC));
    return first > from ? first : new Date(Date.UTC(year, month + 1, 1, HOUR_UTC));
  }
  const days = [0, 1, 2, 3, 4, 5, 6, 7].map((ahead) => new Date(Date.UTC(year, month, day + ahead, HOUR_UTC)));
  return days.find((each) => each > from && (cadence === "daily" || each.getUTCDay() === MONDAY))!;
}
