// Sample data for failed dashboard calls, always shown below a notice (DASH-11, DASH-12).
import type { Alert, Stats } from "./dashboard-reading.ts";

export const SAMPLE_STATS: Stats = {
  totalCredentials: 12,
  activeSessions: 3,
  privilegedUsers: 8,
  complianceScore: 98,
  complianceFormula: null,
};

/** `now` in milliseconds since 1970. */
export function sampleAlerts(now: number): Alert[] {
  const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  return [
    {
      id: "sample-1",
      text: "Sample alert: a credential could not be verified",
      severity: "critical",
      timestamp: minutesAgo(5),
      link: null,
    },
    {
      id: "sample-2",
      text: "Sample alert: a certificate expires soon",
      severity: "high",
      timestamp: minutesAgo(60),
      link: null,
    },
  ];
}
