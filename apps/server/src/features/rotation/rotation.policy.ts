// What a rotation does next, and what follows from what it met. Pure: the engine performs it, the model check explores it.
//
// INVARIANT: some stored secret is in force on the target, at every moment, whatever fails and whoever dies. It holds because
// a candidate is stored before the target hears of it, no stored secret is ever removed, and a candidate takes the place of
// the one in force only after a fresh login with it.
import type { RefusedCode } from "@strongroom/connectors";
import { ROLES } from "@strongroom/contract";
import type { RotationStep } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";

/** Everybody, on what they may see; with the permission in its safe, or their own. */
export const grants: Grants = {
  "credential.rotate": ROLES,
  "rotation.read": ROLES,
  "rotation.manage": ROLES,
};

export type By = "account" | "reconcile-account";

/** Versions are those of `secret_versions`. */
export interface Journal {
  step: RotationStep;
  /** Who sends the change. */
  by: By;
  /** The version in force when the rotation began. */
  old: number;
  /** The newest one made up for it; null: none yet. */
  candidate: number | null;
  /** Secrets that are neither: any of them might be in force, where the target did not tell the truth or was set back. */
  earlier: number[];
  /** Versions that a login was refused with since the last change was sent. */
  dead: number[];
  /** Changes that were about to be sent since a candidate was last made up, and in all. */
  sentOfCandidate: number;
  tries: number;
  /** Candidates that the target refused. */
  refusals: number;
  /** Changes sent through the reconcile account. */
  reconciles: number;
  /** Times that every stored secret was refused, and the candidate was looked at again later. */
  looks: number;
  /** Times in a row that nothing could be learnt. */
  stalls: number;
  /** No stored secret is known to be in force: what was tried was refused. Only the reconcile account can help. */
  inDoubt: boolean;
  /** The step that the engine has given up at until a person asks again; null: it goes on. */
  attention: string | null;
}

export interface Means {
  canChange: boolean;
  canReconcile: boolean;
  /** Both secrets stay valid until the old one is taken away. */
  mustRetire: boolean;
}

export type Act =
  | { do: "store" }
  | { do: "send"; by: By }
  | { do: "probe"; version: number }
  /** After a pause: what was sent may have come through since. */
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

/** What a login with a stored secret says. `unclear`: the target could not be asked, or its answer was about something else. */
export type Says = "live" | "dead" | "unclear";

export type Happening =
  | { kind: "stored"; version: number }
  /** A candidate that has to come from elsewhere could not be had. */
  | { kind: "unmade" }
  | { kind: "sending"; by: By }
  | { kind: "changed" }
  | { kind: "refused"; code: RefusedCode }
  /** Nothing was sent. `refused`: because the login that was to send it was refused. */
  | { kind: "unsent"; why: "refused" | "unreachable" | "misconfigured" }
  | { kind: "unknown" }
  /** A candidate that is found live takes the place of the old one in the same transaction. */
  | { kind: "probed"; version: number; says: Says }
  | { kind: "looks-again" }
  | { kind: "retired" }
  /** `mayPass`: the target could not be asked, or did not answer. */
  | { kind: "not-retired"; mayPass: boolean }
  | { kind: "gave-up"; code: AttentionCode }
  /** A person asks again. */
  | { kind: "asked"; by: By };

export const MOST_TRIES = 8;
export const MOST_REFUSALS = 3;
export const MOST_RECONCILES = 3;
export const MOST_LOOKS = 1;
export const MOST_STALLS = 12;
export const MOST_RETIRES = 5;

/** `earlier`: other stored secrets that might be in force, the likeliest last; tried only once `old` was refused. */
export function planned(old: number, by: By, earlier: number[] = []): Journal {
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

/** Null: nothing until a person asks again, or ever. */
export function nextAct(journal: Journal, means: Means): Act | null {
  if (journal.attention !== null || journal.step === "ended") return null;
  switch (journal.step) {
    case "planned":
      if (journal.stalls >= MOST_STALLS) return giveUp("unreachable");
      return journal.refusals >= MOST_REFUSALS ? giveUp("password-rules") : { do: "store" };
    case "stored":
      return nextSend(journal, means);
    case "sent":
    case "answered":
    case "doubtful":
      return nextProbe(journal, means);
    case "promoted":
      return means.mustRetire ? { do: "retire" } : { do: "end" };
  }
}

/** Nothing that was sent is in doubt. */
function nextSend(journal: Journal, means: Means): Act {
  if (journal.stalls >= MOST_STALLS) return giveUp("unreachable");
  if (journal.tries >= MOST_TRIES) return giveUp("no-effect");
  const isOldRefused = journal.inDoubt || journal.dead.includes(journal.old);
  if (journal.by === "account" && means.canChange && !isOldRefused) return { do: "send", by: "account" };
  if (means.canReconcile) {
    return journal.reconciles < MOST_RECONCILES ? { do: "send", by: "reconcile-account" } : giveUp("no-effect");
  }
  if (journal.inDoubt) return giveUp("both-refused");
  return giveUp(isOldRefused ? "old-refused" : "cannot-change");
}

/** Which secret is in force: the candidate, the old one, or one made up before. Each is tried once after a change was sent. */
function nextProbe(journal: Journal, means: Means): Act {
  if (journal.stalls >= MOST_STALLS) return giveUp("unreachable");
  const next = suspects(journal).find((version) => !journal.dead.includes(version));
  if (next !== undefined) return { do: "probe", version: next };
  if (journal.candidate !== null && journal.looks < MOST_LOOKS) return { do: "look-again" };
  if (!means.canReconcile) return giveUp("both-refused");
  return journal.reconciles < MOST_RECONCILES ? { do: "send", by: "reconcile-account" } : giveUp("both-refused");
}

function suspects({ candidate, old, earlier }: Journal): number[] {
  return [...(candidate === null ? [] : [candidate]), old, ...earlier.toReversed()];
}

const giveUp = (code: AttentionCode): Act => ({ do: "give-up", code });

/** What is known afterwards. Throws for what cannot happen at that step: that is a bug of the engine. */
export function after(journal: Journal, happening: Happening): Journal {
  switch (happening.kind) {
    case "stored":
      return afterStored(journal, happening.version);
    case "unmade":
      return { ...journal, stalls: journal.stalls + 1 };
    case "sending":
      return {
        ...journal,
        step: "sent",
        by: happening.by,
        inDoubt: journal.inDoubt || journal.step !== "stored",
        dead: journal.dead.filter((version) => version !== journal.candidate),
        sentOfCandidate: journal.sentOfCandidate + 1,
        tries: journal.tries + 1,
        reconciles: journal.reconciles + (happening.by === "reconcile-account" ? 1 : 0),
      };
    case "changed":
      return { ...journal, step: "answered", stalls: 0 };
    case "unknown":
      return { ...journal, step: "doubtful" };
    case "refused":
      return afterRefused(journal, happening.code);
    case "unsent":
      return afterUnsent(journal, happening.why);
    case "probed":
      return afterProbe(journal, happening.version, happening.says);
    case "looks-again":
      return {
        ...journal,
        looks: journal.looks + 1,
        dead: journal.dead.filter((version) => version !== journal.candidate),
      };
    case "retired":
      return { ...journal, step: "ended" };
    case "not-retired":
      // Doing it again is harmless, and the old secret lets people in until it is done.
      return happening.mayPass && journal.stalls + 1 < MOST_RETIRES
        ? { ...journal, stalls: journal.stalls + 1 }
        : { ...journal, step: "ended" };
    case "gave-up":
      return { ...journal, attention: happening.code };
    case "asked":
      return afterAsked(journal, happening.by);
  }
}

/** Somebody may have set the target right, or wrong, since: look before anything is sent. */
function afterAsked(journal: Journal, by: By): Journal {
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

/** The target said no, clearly: what was in force before still is. */
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
    // Nothing went out: it counts as a stall, not as a try.
    const reconciles = journal.reconciles - (journal.by === "reconcile-account" ? 1 : 0);
    return { ...back, reconciles, tries: journal.tries - 1, stalls: journal.stalls + 1 };
  }
  if (journal.by === "reconcile-account") return { ...back, attention: "reconcile-refused" };
  const dead = [...back.dead.filter((version) => version !== journal.old), journal.old];
  // An earlier sending of this very candidate may have come through after all, or an earlier secret may be back.
  if (journal.sentOfCandidate > 1 || journal.earlier.some((version) => !dead.includes(version)))
    return { ...back, step: "doubtful", dead };
  return { ...back, dead };
}

/** As before the change was sent: that sending is none that could come through late. */
function unchanged(journal: Journal): Journal {
  const before = { ...journal, sentOfCandidate: journal.sentOfCandidate - 1 };
  return journal.inDoubt ? { ...before, step: "doubtful", dead: suspects(journal) } : { ...before, step: "stored" };
}

function afterProbe(journal: Journal, version: number, says: Says): Journal {
  const step = journal.step === "sent" ? "doubtful" : journal.step;
  if (says === "unclear") return { ...journal, step, stalls: journal.stalls + 1 };
  if (says === "dead") return { ...journal, step: "doubtful", stalls: 0, dead: [...journal.dead, version] };
  // The change did not come through: the same candidate is sent again, so that one that comes through late does no harm.
  if (version === journal.old) return { ...journal, step: "stored", stalls: 0, inDoubt: false };
  return { ...journal, step: "promoted", stalls: 0, inDoubt: false, candidate: version };
}

/** How long until the next attempt, in milliseconds, after so many in a row that brought nothing. */
export function backOff(count: number): number {
  const steps = [2_000, 15_000, 60_000, 300_000, 900_000, 1_800_000];
  return steps[Math.min(count, steps.length - 1)]!;
}
