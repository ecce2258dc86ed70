// Messages that rotations show to users. INVARIANT: no message contains a secret.
import type { AttentionCode, RotationMethod, RotationEvent } from "./rotation.policy.ts";

export const STORED_BY_HAND =
  "A new password was stored, and this dependent does not have it yet. Update it once the password is active.";
export const QUEUED = "Queued.";

export const ATTENTION: Record<AttentionCode, string> = {
  "cannot-change":
    "Strongroom cannot change this secret: the target does not support it, and the platform has no reconcile account that can.",
  "old-refused":
    "The target refused the stored secret, so the account cannot change it. Store the correct secret, or choose a reconcile account on the platform.",
  "both-refused":
    "The target refused every stored secret. All of them are kept. Set the secret on the target and store it here, or choose a reconcile account on the platform.",
  "reconcile-refused":
    "The target refused the platform's reconcile account. The active secret was not changed. Fix the reconcile account and try again.",
  refused: "The target refused to change the secret. The active secret was not changed.",
  "password-rules":
    "The target refused several new passwords. The active password was not changed. Match the platform's password rules to the target's.",
  "no-effect":
    "The change was sent several times and had no effect. The earlier secret is still active. Check the target.",
  unreachable:
    "The target could not be reached for a long time. Every secret that may be active there is kept. Try again once it is reachable.",
  misconfigured: "Fix the settings before you try again.",
};

const WHO: Record<RotationMethod, string> = {
  account: "the account itself",
  "reconcile-account": "the reconcile account",
};

/** `detail` is the connector's message, or null. */
export function lineOf(event: RotationEvent, detail: string | null): string {
  const and = detail === null || detail === "" ? "" : ` ${detail}`;
  switch (event.kind) {
    case "stored":
      return `A new secret was generated and stored as version ${event.version}.`;
    case "unmade":
      return `A new secret could not be obtained yet.${and}`;
    case "sending":
      return `Setting the new secret as ${WHO[event.by]}.`;
    case "changed":
      return `The target reported that the secret was changed.${and}`;
    case "refused":
      return `The target refused the change.${and}`;
    case "unsent":
      return `Nothing was changed.${and}`;
    case "unknown":
      return `It is not known whether the change took effect.${and}`;
    case "probed":
      return probed(event, and);
    case "looks-again":
      return "The target refused every stored secret. Trying the new one again, in case the change took effect late.";
    case "retired":
      return detail === null ? "The new secret is active." : `The old secret was removed from the target.${and}`;
    case "not-retired":
      return `The old secret could not be removed from the target.${and}`;
    case "gave-up":
      return ATTENTION[event.code];
    case "asked":
      return "A retry was requested.";
  }
}

function probed({ version, says }: Extract<RotationEvent, { kind: "probed" }>, and: string): string {
  if (says === "live") return `A new login with version ${version} succeeded.`;
  if (says === "dead") return `The target refused a login with version ${version}.`;
  return `A login with version ${version} was inconclusive.${and}`;
}
