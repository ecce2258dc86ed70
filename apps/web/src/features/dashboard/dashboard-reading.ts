// How the dashboard reads its answers: under the names of the contract and under those that the specification also allows.
import { ALERT_SEVERITIES, listDashboardAlerts, readDashboardStats } from "@strongroom/contract";
import { z } from "zod";

const figure = z.number().optional();

/** DASH-08. A figure under neither of its names is null. */
export const StatsReading = z
  .object({
    totalCredentials: figure,
    credentials: figure,
    activeSessions: figure,
    sessions: figure,
    privilegedUsers: figure,
    users: figure,
    complianceScore: figure,
    complianceFormula: z.string().optional(),
  })
  .transform((read) => ({
    totalCredentials: read.totalCredentials ?? read.credentials ?? null,
    activeSessions: read.activeSessions ?? read.sessions ?? null,
    privilegedUsers: read.privilegedUsers ?? read.users ?? null,
    /** Percent. */
    complianceScore: read.complianceScore ?? null,
    complianceFormula: read.complianceFormula ?? null,
  }));
export type Stats = z.output<typeof StatsReading>;

/** DASH-10. A severity that nobody defined counts as medium: neither overlooked nor alarming. */
const AlertReading = z
  .object({
    id: z.union([z.string(), z.number()]).transform(String),
    message: z.string().optional(),
    name: z.string().optional(),
    severity: z.enum(ALERT_SEVERITIES).catch("medium"),
    timestamp: z.string(),
    link: z.string().nullish(),
  })
  .transform(({ message, name, link, ...alert }) => ({
    ...alert,
    text: message ?? name ?? "Alert",
    link: link ?? null,
  }));
export type Alert = z.output<typeof AlertReading>;

const list = z.array(AlertReading);

/** DASH-09. */
export const AlertsReading = z.union([
  list,
  z.object({ alerts: list }).transform(({ alerts }) => alerts),
  z.object({ items: list }).transform(({ items }) => items),
]);

/** The contract's calls, read like that. */
export const statsCall = { ...readDashboardStats, reply: StatsReading };
export const alertsCall = { ...listDashboardAlerts, reply: AlertsReading };
