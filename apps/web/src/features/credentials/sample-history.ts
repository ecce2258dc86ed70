// What the history shows when the server could not be reached: entries that nobody can take for real ones (VAULT-36, rule 3).
import type { AuditTrailEntry } from "#shared/audit/audit-trail-list.tsx";

const SAMPLE_USER = { name: "Sample user" };

/** Times count back from `now` (milliseconds since 1970), so that a sample never names a real moment of the past. */
export function sampleHistory(now: number): AuditTrailEntry[] {
  const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  return [
    {
      id: "sample-1",
      action: "Credential Verification",
      result: "success",
      summary: "Sample entry: a verification that succeeded",
      metadata: { duration: "Sample", source: "Sample" },
      user: SAMPLE_USER,
      timestamp: minutesAgo(5),
    },
    {
      id: "sample-2",
      action: "Credential Verification",
      result: "failure",
      summary: "Sample entry: a verification that failed",
      metadata: { reason: "Sample reason", source: "Sample" },
      user: SAMPLE_USER,
      timestamp: minutesAgo(90),
    },
  ];
}
