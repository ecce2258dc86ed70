// Messages that rotations show to users. INVARIANT: no message contains a secret.
import type { AttentionCode, RotationMethod, RotationEvent } from "./rotation.policy.ts";

export const STORED_BY_HAND =
  "Another password was stored, and this one has not got it yet. Bring it up to date when it is in force.";
export const QUEUED = "Waits for its turn.";

export const ATTENTION: Record<AttentionCode, string> = {
  "cannot-change":
    "Nothing can change this secret: its system offers no way, and its platform names no reconcile account that could.",
  "old-refused":
    "The system refused the stored secret, so it cannot be used to change itself. Store the right one, or name a reconcile account on the platform.",
  "both-refused":
    "The system refused every secret that is stored. All of them are kept. Set the secret there by hand and store it here, or name a reconcile account on the platform.",
  "reconcile-refused":
    "The system refused the platform's reconcile account. The secret in force was not changed. Put the reconcile account right and ask again.",
  refused: "The system refused to change the secret. The one in force was not changed.",
  "password-rules":
    "The system refused several new passwords. The one in force was not changed. Bring the platform's password rules in line with the system's.",
  "no-effect":
    "The change was sent several times and had no effect. The earlier secret is still in force. Look at the system.",
  unreachable:
    "The system could not be reached for a long time. Every secret that may be in force there is kept. Ask again once it is back.",
  misconfigured: "Something has to be put right before the secret can be changed.",
};

const WHO: Record<RotationMethod, string> = {
  account: "the account itself",
  "reconcile-account": "the reconcile account",
};

/** `said` is the connector's message, or null. */
export function lineOf(event: RotationEvent, said: string | null): string {
  const and = said === null || said === "" ? "" : ` ${said}`;
  switch (event.kind) {
    case "stored":
      return `A new secret was made up and stored as version ${event.version}.`;
    case "unmade":
      return `A new secret could not be had yet.${and}`;
    case "sending":
      return `The new secret is being set by ${WHO[event.by]}.`;
    case "changed":
      return `The system says that the secret was changed.${and}`;
    case "refused":
      return `The system refused the change.${and}`;
    case "unsent":
      return `Nothing was changed.${and}`;
    case "unknown":
      return `It is not known whether the change took effect.${and}`;
    case "probed":
      return probed(event, and);
    case "looks-again":
      return "Every stored secret was refused. The new one is tried once more, in case the change came through late.";
    case "retired":
      return said === null ? "The new secret is in force." : `The old secret was taken away.${and}`;
    case "not-retired":
      return `The old secret could not be taken away.${and}`;
    case "gave-up":
      return ATTENTION[event.code];
    case "asked":
      return "Somebody asked to go on.";
  }
}

function probed({ version, says }: Extract<RotationEvent, { kind: "probed" }>, and: string): string {
  if (says === "live") return `A fresh login with version ${version} succeeded.`;
  if (says === "dead") return `The system refused a login with version ${version}.`;
  return `A login with version ${version} told nothing.${and}`;
}
