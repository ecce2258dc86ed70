// Badges of the credential manager's status and severities (CPM-10, CPM-12).
import type { AttentionItem, CpmStatus } from "@strongroom/contract";

type Badge = "verified" | "pending" | "failed";

/** CPM-10. */
export function badgeOfStatus(status: CpmStatus["status"]): Badge {
  if (status === "healthy") return "verified";
  return status === "warning" ? "pending" : "failed";
}

/** CPM-12. */
export const badgeOfSeverity = (severity: AttentionItem["severity"]): Badge =>
  severity === "high" ? "failed" : "pending";
