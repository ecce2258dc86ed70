// Decides the next action of a rotation and applies events to its journal. Pure: the engine performs the actions, the
// model test explores them.
//
// INVARIANT: some stored secret is active on the target at every moment, through any failure or process death. Three
// rules ensure it: a candidate is stored before it is sent to the target, no stored secret is ever removed, and a
// candidate replaces the active secret only after a fresh login with it.
import type { RefusedCode } from "@strongroom/connectors";
import { ROLES } from "@strongroom/contract";
import type { RotationStep } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

/**
 * All roles have these permissions, for the objects a user can see: their own credentials, or accounts with the
 * permission in the safe.
 */
export const rolePermissions: RolePermissions = {
  "credential.rotate": ROLES,
  "rotation.read": ROLES,
  "rotation.manage": ROLES,
};

export type RotationMethod = "account" | "reconcile-account";

/** Version numbers refer to `secret_versions`. */
export interface Journal {
  step: RotationStep;
  /** The account that sends the change. */
  by: RotationMethod;
  /** The version that was active when the rotation began. */
  old: number;
  /** `old` is a placeholder: the password on the target is unknown. INVARIANT: a placeholder is never sent. */
  isOldUnknown?: boolean;
  /** The newest version generated for this rotation; null before the first one. */
  candidate: number | null;
  /**
   * Other versions that might be active, because the target reported a wrong result or was restored from a backup.
   */
  earlier: number[];
  /** Versions that the target rejected since the last change was sent. */
  dead: number[];
  /**
   * `sentOfCandidate` counts the sends recorded since the latest candidate was generated; `tries` counts all of them.
   */
  sentOfCandidate: number;
  tries: number;
  /** Number of candidates that the target refused. */
  refusals: number;
  /** Number of changes sent through the reconcile account. */
  reconciles: number;
  /** Number of times the candidate was probed again after the target had rejected every stored secret. */
  looks: number;
  /** Number of consecutive attempts without a result. */
  stalls: number;
  /**
   * No stored secret is known to be active, because the target rejected those that were tried. Only the reconcile
   * account can recover the account.
   */
  inDoubt: boolean;
  /** The reason why the engine stopped until a user retries; null while it continues. */
  attention: string | null;
}

export interface Capabilities {
  canChange: boolean;
  canReconcile: boolean;
  /** Both secrets stay valid until the old one is retired. */
  mustRetire: boolean;
}

export type RotationAction =
  | { do: "store" }
  | { do: "send"; by: RotationMethod }
  | { do: "probe"; version: number }
  /** Probe the candidate again after a pause, because the target may have applied the change late. */
  | { do: "look-again" }
  | { do: "retire" }
  | { do: "end" }
  | { do: "give-up"; code: AttentionCode };

export type AttentionCode =
  | "cannot-change"
  | "old-refused"
  | "both-refused"
  | "reconcile-refused"
  | "refused"
  | "password-rules"
  | "no-effect"
  | "unreachable"
  | "misconfigured";

/**
 * The result of a login with a stored secret. `unclear`: the target could not be asked, or its answer was about
 * something other than the secret.
 */
export type LoginAnswer = "live" | "dead" | "unclear";

export type RotationEvent =
  | { kind: "stored"; version: number }
  /** A candidate that must come from outside this process was not available. */
  | { kind: "unmade" }
  | { kind: "sending"; by: RotationMethod }
  | { kind: "changed" }
  | { kind: "refused"; code: RefusedCode }
  /** Nothing was sent. `refused`: the target rejected the login that would have sent the change. */
  | { kind: "unsent"; why: "refused" | "unreachable" | "misconfigured" }
  | { kind: "unknown" }
  /** A live candidate replaces the old secret in the same transaction. */
  | { kind: "probed"; version: number; says: LoginAnswer }
  | { kind: "looks-again" }
  | { kind: "retired" }
  /** `mayPass`: the failure may be temporary, because the target could not be asked or did not answer. */
  | { kind: "not-retired"; mayPass: boolean }
  | { kind: "gave-up"; code: AttentionCode }
  /** A user retried the rotation. */
  | { kind: "asked"; by: RotationMethod };

export const MAX_ATTEMPTS = 8;
export const MAX_REJECTIONS = 3;
export const MAX_RECONCILES = 3;
export const MAX_PROBES = 1;
export const MAX_STALLS = 12;
export const MAX_RETIRES = 5;

/**
 * `earlier` lists other stored versions that might be active, the likeliest last. They are tried only after `old` is
 * rejected.
 */
export function initialJournal(old: number, by: RotationMethod, earlier: number[] = []): Journal {
  return {
    step: "planned",
    by,
    old,
    candidate: null,
    earlier,
    dead: [],
    sentOfCandidate: 0,
    tries: 0,
    refusals: 0,
    reconciles: 0,
    looks: 0,
    stalls: 0,
    inDoubt: false,
    attention: null,
  };
}

/** Returns null when the rotation has ended, or waits until a user retries it. */
export function nextAction(journal: Journal, capabilities: Capabilities): RotationAction | null {
  if (journal.attention !== null || journal.step === "ended") return null;
  switch (journal.step) {
    case "planned":
      if (journal.stalls >= MAX_STALLS) return giveUp("unreachable");
      return journal.refusals >= MAX_REJECTIONS ? giveUp("password-rules") : { do: "store" };
    case "stored":
      return nextSend(journal, capabilities);
    case "sent":
    case "answered":
    case "doubtful":
      return nextProbe(journal, capabilities);
    case "promoted":
      return capabilities.mustRetire ? { do: "retire" } : { do: "end" };
  }
}

/** Returns the next action when no sent change has an unknown result. */
function nextSend(journal: Journal, capabilities: Capabilities): RotationAction {
  if (journal.stalls >= MAX_STALLS) return giveUp("unreachable");
  if (journal.tries >= MAX_ATTEMPTS) return giveUp("no-effect");
  const isOldRefused = journal.inDoubt || journal.isOldUnknown === true || journal.dead.includes(journal.old);
  if (journal.by === "account" && capabilities.canChange && !isOldRefused) return { do: "send", by: "account" };
  if (capabilities.canReconcile) {
    return journal.reconciles < MAX_RECONCILES ? { do: "send", by: "reconcile-account" } : giveUp("no-effect");
  }
  if (journal.inDoubt) return giveUp("both-refused");
  return giveUp(isOldRefused ? "old-refused" : "cannot-change");
}

/**
 * Finds the active version: the candidate, the old version or an earlier one. Each is tried once after a change was
 * sent.
 */
function nextProbe(journal: Journal, capabilities: Capabilities): RotationAction {
  if (journal.stalls >= MAX_STALLS) return giveUp("unreachable");
  const next = suspects(journal).find((version) => !journal.dead.includes(version));
  if (next !== undefined) return { do: "probe", version: next };
  if (journal.candidate !== null && journal.looks < MAX_PROBES) return { do: "look-again" };
  if (!capabilities.canReconcile) return giveUp("both-refused");
  return journal.reconciles < MAX_RECONCILES ? { do: "send", by: "reconcile-account" } : giveUp("both-refused");
}

function suspects({ candidate, old, earlier, isOldUnknown }: Journal): number[] {
  return [...(candidate === null ? [] : [candidate]), ...(isOldUnknown === true ? [] : [old]), ...earlier.toReversed()];
}

const giveUp = (code: AttentionCode): RotationAction => ({ do: "give-up", code });

/**
 * Returns the journal after the event. Throws when the event is impossible at this step, which is a bug in the engine.
 */
export function applyEvent(journal: Journal, event: RotationEvent): Journal {
  switch (event.kind) {
    case "stored":
      return afterStored(journal, event.version);
    case "unmade":
      return { ...journal, stalls: journal.stalls + 1 };
    case "sending":
      return {
        ...journal,
        step: "sent",
        by: event.by,
        inDoubt: journal.inDoubt || journal.step !== "stored",
        dead: journal.dead.filter((version) => version !== journal.candidate),
        sentOfCandidate: journal.sentOfCandidate + 1,
        tries: journal.tries + 1,
        reconciles: journal.reconciles + (event.by === "reconcile-account" ? 1 : 0),
      };
    case "changed":
      return { ...journal, step: "answered", stalls: 0 };
    case "unknown":
      return { ...journal, step: "doubtful" };
    case "refused":
      return afterRefused(journal, event.code);
    case "unsent":
      return afterUnsent(journal, event.why);
    case "probed":
      return afterProbe(journal, event.version, event.says);
    case "looks-again":
      return {
        ...journal,
        looks: journal.looks + 1,
        dead: journal.dead.filter((version) => version !== journal.candidate),
      };
    case "retired":
      return { ...journal, step: "ended" };
    case "not-retired":
      // Retiring again is harmless, and the old secret still works until it is retired.
      return event.mayPass && journal.stalls + 1 < MAX_RETIRES
        ? { ...journal, stalls: journal.stalls + 1 }
        : { ...journal, step: "ended" };
    case "gave-up":
      return { ...journal, attention: event.code };
    case "asked":
      return afterAsked(journal, event.by);
  }
}

/** The target may have been changed by hand in the meantime, so the engine probes it before it sends anything. */
function afterAsked(journal: Journal, by: RotationMethod): Journal {
  const mustLook = journal.inDoubt || (journal.step === "stored" && journal.sentOfCandidate > 0);
  const step = mustLook ? "doubtful" : journal.step;
  return { ...journal, step, by, attention: null, dead: [], tries: 0, stalls: 0, looks: 0, reconciles: 0, refusals: 0 };
}

function afterStored(journal: Journal, version: number): Journal {
  const earlier = journal.candidate === null ? journal.earlier : [...journal.earlier, journal.candidate];
  return { ...journal, step: "stored", candidate: version, earlier, sentOfCandidate: 0 };
}

const BETTER_CANDIDATE: readonly RefusedCode[] = ["password-rules", "reused"];
const BETTER_RIGHTS: readonly RefusedCode[] = ["no-permission", "too-young", "not-changeable"];

/** The target refused the change explicitly, so the previously active version is still active. */
function afterRefused(journal: Journal, code: RefusedCode): Journal {
  const back = unchanged(journal);
  if (BETTER_CANDIDATE.includes(code)) return { ...back, step: "planned", stalls: 0, refusals: journal.refusals + 1 };
  if (journal.by === "account" && BETTER_RIGHTS.includes(code)) return { ...back, by: "reconcile-account", stalls: 0 };
  return { ...back, attention: "refused" };
}

function afterUnsent(journal: Journal, why: "refused" | "unreachable" | "misconfigured"): Journal {
  const back = unchanged(journal);
  if (why === "misconfigured") return { ...back, attention: "misconfigured" };
  if (why === "unreachable") {
    // Nothing was sent, so this counts as a stall, not as a try.
    const reconciles = journal.reconciles - (journal.by === "reconcile-account" ? 1 : 0);
    return { ...back, reconciles, tries: journal.tries - 1, stalls: journal.stalls + 1 };
  }
  if (journal.by === "reconcile-account") return { ...back, attention: "reconcile-refused" };
  const dead = [...back.dead.filter((version) => version !== journal.old), journal.old];
  // An earlier send of this candidate may have been applied after all, or an earlier secret may be active again.
  if (journal.sentOfCandidate > 1 || journal.earlier.some((version) => !dead.includes(version)))
    return { ...back, step: "doubtful", dead };
  return { ...back, dead };
}

/** Returns the journal as it was before the send, which can no longer be applied late. */
function unchanged(journal: Journal): Journal {
  const before = { ...journal, sentOfCandidate: journal.sentOfCandidate - 1 };
  return journal.inDoubt ? { ...before, step: "doubtful", dead: suspects(journal) } : { ...before, step: "stored" };
}

function afterProbe(journal: Journal, version: number, says: LoginAnswer): Journal {
  const step = journal.step === "sent" ? "doubtful" : journal.step;
  if (says === "unclear") return { ...journal, step, stalls: journal.stalls + 1 };
  if (says === "dead") return { ...journal, step: "doubtful", stalls: 0, dead: [...journal.dead, version] };
  // The change was not applied. The same candidate is sent again, so that a late change does no harm.
  if (version === journal.old) return { ...journal, step: "stored", stalls: 0, inDoubt: false };
  return { ...journal, step: "promoted", stalls: 0, inDoubt: false, candidate: version };
}

/** Returns the delay before the next attempt in milliseconds, after `count` consecutive attempts without a result. */
export function backOff(count: number): number {
  const steps = [2_000, 15_000, 60_000, 300_000, 900_000, 1_800_000];
  return steps[Math.min(count, steps.length - 1)]!;
}
