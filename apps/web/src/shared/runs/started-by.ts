// The user or the schedule that started a verification, as text.
import type { ValidationAttempt } from "@strongroom/contract";

/** Verifications that no user started. */
const AUTOMATIC: Record<string, string> = { first: "First check", scheduled: "Scheduled check", rotation: "Rotation" };

export const startedBy = ({ triggered_by }: Pick<ValidationAttempt, "triggered_by">): string =>
  AUTOMATIC[triggered_by] ?? triggered_by;
