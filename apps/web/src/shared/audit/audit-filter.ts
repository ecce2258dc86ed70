// The filter of an audit list, as stored in the address.
import {
  AUDIT_STATUSES,
  AUDIT_VIEWS,
  auditFilterIn,
  type AuditFilter,
  type AuditView,
  type InputOf,
  type listAuditEntries,
} from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";
import { isoDay, startOfDay } from "#shared/format/time.ts";

export type AuditQuery = Omit<NonNullable<InputOf<typeof listAuditEntries>["query"]>, "limit" | "cursor" | "attempts">;

/** AUDIT-02. */
export const VIEWS: readonly { value: AuditView; label: string }[] = [
  { value: "all", label: "All Events" },
  { value: "regular", label: "Regular Verification" },
  { value: "jit", label: "JIT Verification" },
  { value: "critical", label: "Critical Failures" },
];

const SEVERITIES = ["critical", "high", "medium", "low"] as const;

const choices = (all: string, values: readonly string[]) => [
  { value: "", label: all },
  ...values.map((value) => ({ value, label: capitalised(value) })),
];
export const STATUS_CHOICES = choices("All statuses", AUDIT_STATUSES);
export const SEVERITY_CHOICES = choices("All severities", SEVERITIES);

/** Periods that end today. */
export const PERIODS = [
  { label: "Today", days: 1 },
  { label: "7 days", days: 7 },
  { label: "30 days", days: 30 },
] as const;

/** The first calendar day, as "2026-11-26", of a period of this many days that ends today. */
export function firstDay(days: number, now: Date): string {
  const [year, month, day] = isoDay(now).split("-").map(Number);
  return isoDay(startOfDay(year!, month!, day! - days + 1));
}

export const viewOf = (params: URLSearchParams): AuditView =>
  AUDIT_VIEWS.find((view) => view === params.get("view")) ?? "all";

/** `scope` is the list's subject and cannot be changed by the address. */
export function queryOf(params: URLSearchParams, scope: AuditFilter["scope"]): AuditQuery {
  return {
    ...auditFilterIn(Object.fromEntries(params)),
    scope,
    from: momentOf(params.get("from"), 0),
    to: momentOf(params.get("to"), 1),
  };
}

/** The start of a calendar day, or its last millisecond; undefined when `day` is not a date. */
function momentOf(day: string | null, daysLater: 0 | 1): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "") ?? [];
  if (year === undefined) return undefined;
  const begin = startOfDay(Number(year), Number(month), Number(date) + daysLater);
  return Number.isNaN(begin.getTime()) ? undefined : new Date(begin.getTime() - daysLater).toISOString();
}

/** AUDIT-09. `total` may be a lower bound. */
export function showing(page: number, size: number, shown: number, total: { n: number; isExact: boolean }): string {
  const first = page * size + 1;
  const [x, y] = [first, first + shown - 1].map((each) => each.toLocaleString());
  return `Showing ${x} to ${y} of ${total.n.toLocaleString()}${total.isExact ? "" : "+"} events`;
}
