// Parses the dashboard's replies, by the contract's names and the alternative names of the specification.
import { ALERT_SEVERITIES, listDashboardAlerts, readDashboardStats } from "@strongroom/contract";
import { z } from "zod";

/** Null when the server has no figure. */
const figure = z.number().nullish();

/** DASH-08. A figure under neither name becomes null. */
export const StatsResult = z
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
export type Stats = z.output<typeof StatsResult>;

/** DASH-10. An unknown severity counts as medium, neither overlooked nor alarming. */
const AlertReading = z
  .object({
    id: z.union([z.string(), z.number()]).transform(String),
    message: z.string().optional(),
    name: z.string().optional(),
    severity: z.enum(ALERT_SEVERITIES).catch("medium"),
    timestamp: z.string(),
    link: z.string().nullish(),
    advice: z.string().nullish(),
  })
  .transform(({ message, name, link, advice, ...alert }) => ({
    ...alert,
    text: message ?? name ?? "Alert",
    link: link ?? null,
    advice: advice ?? null,
  }));
export type Alert = z.output<typeof AlertReading>;

const list = z.array(AlertReading);

/** DASH-09. */
export const AlertsResult = z.union([
  list,
  z.object({ alerts: list }).transform(({ alerts }) => alerts),
  z.object({ items: list }).transform(({ items }) => items),
]);

/** The contract's calls with these lenient schemas. */
export const statsCall = { ...readDashboardStats, reply: StatsResult };
export const alertsCall = { ...listDashboardAlerts, reply: AlertsResult };
