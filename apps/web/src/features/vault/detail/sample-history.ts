// Sample history entries for when the server cannot be reached, clearly labelled as samples (VAULT-36, rule 3).
import type { AuditTrailEntry } from "#shared/audit/audit-trail-list.tsx";

const SAMPLE_USER = { name: "Sample user" };

/** Sample times are relative to `now` (milliseconds since 1970), so that none claims a real event. */
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
