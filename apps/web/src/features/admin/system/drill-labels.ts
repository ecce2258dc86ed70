// Labels for the results of restore drills.
import type { Backup, DrillFinding, RestoreDrill } from "@strongroom/contract";
import { absoluteTime } from "#shared/format/time.ts";
import type { Status } from "#shared/ui/status-badge.tsx";

export const FINDING_NAMES: Record<DrillFinding["what"], string> = {
  authenticity: "Authenticity",
  files: "Files",
  database: "Database",
  audit: "Audit trail",
  keys: "Keys",
  secrets: "Secrets",
};

export const BACKUP_STATE_NAMES: Record<Exclude<Backup["state"], "complete">, string> = {
  unfinished: "Incomplete",
  damaged: "Damaged",
  unauthenticated: "Not authenticated",
};

export function drillStatus({ ended_at: endedAt, is_good: isGood }: RestoreDrill): { status: Status; label: string } {
  if (endedAt === null) return { status: "pending", label: "Drill running" };
  if (isGood === null) return { status: "inactive", label: "Drill stopped" };
  return isGood ? { status: "verified", label: "Drill passed" } : { status: "failed", label: "Drill failed" };
}

/** The beginning of a sentence; the caller appends the time of the drill. */
export function drillSentence({ made_at: madeAt, backup, is_good: isGood }: RestoreDrill): string {
  const which = `The backup of ${madeAt === null ? backup : absoluteTime(madeAt)}`;
  if (isGood === null) return `${which} was not fully tested: the drill was stopped.`;
  return isGood ? `${which} can be restored.` : `${which} cannot be restored correctly.`;
}
