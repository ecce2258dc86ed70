// Labels for rotations: state, progress, reason and remedies.
import type { Rotation, RotationState, RotationStep } from "@strongroom/contract";
import type { Tone } from "#shared/ui/tone.ts";

export const STATE_BADGES: Record<RotationState, { label: string; tone: Tone }> = {
  queued: { label: "Queued", tone: "info" },
  running: { label: "Rotating", tone: "info" },
  waiting: { label: "Waiting", tone: "warning" },
  attention: { label: "Needs attention", tone: "danger" },
  rotated: { label: "Rotated", tone: "success" },
  cancelled: { label: "Cancelled", tone: "neutral" },
  superseded: { label: "Replaced manually", tone: "neutral" },
};

const ENDED: readonly RotationState[] = ["rotated", "cancelled", "superseded"];

export const isOpen = (state: RotationState): boolean => !ENDED.includes(state);

/** A rotation can be cancelled only before its password is sent to the target. */
export const mayBeCancelled = ({ state, step }: Pick<Rotation, "state" | "step">): boolean =>
  isOpen(state) && (step === "planned" || step === "stored");

export const STEP_LABELS: Record<RotationStep, string> = {
  planned: "Planned",
  stored: "Stored",
  sent: "Sending",
  answered: "Answered",
  doubtful: "Outcome unknown",
  promoted: "Activated",
  ended: "Ended",
};

/** The labels of the steps, in order. */
const WAY = ["New password stored", "Sent to the target", "Verified with a new login", "Activated"] as const;

/** The index of the step that a rotation is at; earlier steps are done. */
const AT: Record<RotationStep, number> = {
  planned: 0,
  stored: 1,
  sent: 1,
  answered: 2,
  doubtful: 2,
  promoted: 3,
  ended: WAY.length,
};

export interface ProgressStep {
  label: string;
  state: "done" | "current" | "ahead";
}

export const progressSteps = (step: RotationStep): ProgressStep[] =>
  WAY.map((label, at) => ({ label, state: at < AT[step] ? "done" : at === AT[step] ? "current" : "ahead" }));

/** Why the rotation started. */
export function reasonOf({ because, asked_by: by }: Pick<Rotation, "because" | "asked_by">): string {
  switch (because) {
    case "asked":
      return `Requested by ${by}`;
    case "bulk":
      return `Requested by ${by} in a bulk rotation`;
    case "scheduled":
      return "Scheduled by the platform";
    case "check-in":
      return "After check-in";
    case "one-time":
      return "After its one-time password was used";
    case "grant-ended":
      return "After access ended";
  }
  return because satisfies never;
}

/**
 * The ways to resolve a stopped rotation: retry it, reset the password with the reconcile account, or store
 * the working password.
 */
export type Remedy = "again" | "reconcile" | "store";

/** Most likely first, by the server's code for the reason. */
const REMEDIES: Record<string, readonly Remedy[]> = {
  "cannot-change": ["store", "reconcile", "again"],
  "old-refused": ["reconcile", "store", "again"],
  "both-refused": ["reconcile", "store", "again"],
  "reconcile-refused": ["again", "store"],
  refused: ["again", "reconcile", "store"],
  "password-rules": ["again", "store"],
  "no-effect": ["again", "reconcile", "store"],
  unreachable: ["again", "store"],
  misconfigured: ["again", "store"],
};

export const remediesOf = ({ code }: Pick<Rotation, "code">): readonly Remedy[] =>
  REMEDIES[code ?? ""] ?? ["again", "reconcile", "store"];
