// The alerts of the dashboard: what needs action, one alert for each cause, with a link to exactly these secrets.
import { ALERT_SEVERITIES, causeOf } from "@strongroom/contract";
import type { DashboardAlert, FailingStatus, ValidationFilter, listDashboardAlerts } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { DashboardContext } from "./dashboard.ts";
import { ENDING_GROUPS } from "./dashboard.policy.ts";
import { listEnding, listFailing, readStopped } from "./dashboard.store.ts";
import type { EndingRow, FailingGroup, StoppedGroup } from "./dashboard.store.ts";

const DAY_MS = 86_400_000;

export async function readAlerts(
  { kernel, grants }: DashboardContext,
  { actor }: Call<typeof listDashboardAlerts>,
  db: Db,
): Promise<{ alerts: DashboardAlert[] }> {
  const now = kernel.clock.now();
  const after = (days: number) => new Date(now.getTime() + days * DAY_MS);
  const limits = ENDING_GROUPS.map(({ id, until }) => ({ id, until: after(until) }));
  const [failing, stopped, ending] = await Promise.all([
    listFailing(db, actor, grants),
    readStopped(db, actor, grants),
    listEnding(db, actor, grants, limits),
  ]);
  const alerts = [
    ...failing.map((group) => alertOfFailing(group, now)),
    ...(stopped.count === 0 ? [] : [alertOfStopped(stopped, now)]),
    ...ending.map((group) => alertOfEnding(group, now, after)),
  ];
  const rank = (alert: DashboardAlert) => ALERT_SEVERITIES.indexOf(alert.severity);
  return { alerts: alerts.toSorted((a, b) => rank(a) - rank(b) || b.count - a.count) };
}

const FAILED_WORDS: Record<FailingStatus, string> = {
  rejected: "Login rejected",
  unreachable: "Target unreachable",
  misconfigured: "Verification misconfigured",
};

function alertOfFailing(group: FailingGroup, now: Date): DashboardAlert {
  const { text, advice } = causeOf(group.cause);
  return {
    id: `verification:${group.cause}`,
    message: group.count > 1 ? `${counted(group)}: ${text}` : aboutOne(group),
    severity: group.severity,
    timestamp: (group.attemptedAt ?? now).toISOString(),
    count: group.count,
    advice,
    link: linkTo(group, { causes: [group.cause] }),
  };
}

const aboutOne = ({ cause, status, name, message }: FailingGroup): string =>
  cause === "host-key-changed"
    ? `The host key of "${name}" has changed. The connection may be intercepted.`
    : `${FAILED_WORDS[status]} for "${name}": ${message ?? "Unknown error"}`;

const alertOfStopped = (group: StoppedGroup, now: Date): DashboardAlert => ({
  id: "rotation:stopped",
  message:
    group.count > 1
      ? `${counted(group)}: The rotation stopped`
      : `The rotation of "${group.name}" stopped: ${group.message ?? "Unknown error"}`,
  severity: "high",
  timestamp: (group.startedAt ?? now).toISOString(),
  count: group.count,
  advice: "Open each one and decide whether to try again or to cancel.",
  link: linkTo(group, { rotation_stopped: true }),
});

function alertOfEnding(group: EndingRow, now: Date, after: (days: number) => Date): DashboardAlert {
  const { from, until, severity, text } = ENDING_GROUPS.find(({ id }) => id === group.group)!;
  const day = group.expiresAt.toISOString().slice(0, 10);
  // Both ends of the filter are included.
  const expires = {
    ...(from === null ? {} : { from: after(from).toISOString() }),
    to: new Date(after(until).getTime() - 1).toISOString(),
  };
  return {
    id: `expiry:${group.group}`,
    message:
      group.count > 1
        ? `${counted(group)} ${text}`
        : `"${group.name}" ${group.expiresAt < now ? "expired" : "expires"} on ${day}`,
    severity,
    timestamp: group.expiresAt.toISOString(),
    count: group.count,
    advice: "Renew them, then store the new ones.",
    link: linkTo(group, { expires }),
  };
}

/** "38 accounts"; "12 secrets" if some of them are the caller's own credentials. */
function counted({ count, accounts }: { count: number; accounts: number }): string {
  const noun = accounts === count ? "accounts" : accounts === 0 ? "credentials" : "secrets";
  return `${count.toLocaleString("en")} ${noun}`;
}

function linkTo(
  { count, accounts, id }: { count: number; accounts: number; id: string },
  filter: Partial<ValidationFilter>,
): string {
  if (count === 1) return accounts === 1 ? `/accounts/${id}` : `/vault/${id}`;
  return `/validation-dashboard?${new URLSearchParams({ tab: "search", filter: JSON.stringify(filter) }).toString()}`;
}
