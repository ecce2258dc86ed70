// Just-in-time access as rules: what state a request shows, what it still needs, and who may do what with it. Pure.
import { ROLES } from "@strongroom/contract";
import type { AccessRequest, AccessRequestStatus, SafePermission } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants: Grants = {
  "access-request.list": ROLES,
  "access-request.create": ROLES,
  "access-request.decide": ROLES,
};

export type State = "pending" | "granted" | "denied" | "ended";
export type EndedHow =
  | "expired"
  | "revoked"
  | "withdrawn"
  | "account-deleted"
  | "account-moved"
  | "account-disabled"
  | "user-disabled"
  | "user-deleted"
  | "member-removed"
  | "safe-closed";
export type Level = 1 | 2;

export const MINUTE = 60_000;

interface Span {
  state: State;
  starts_at: Date | null;
  ends_at: Date | null;
  ended_how: EndedHow | null;
}

/** OPEN-101: the last 15 minutes, or the last tenth where that is less. In milliseconds. */
export const noticeOf = ({ starts_at, ends_at }: { starts_at: Date; ends_at: Date }): number =>
  Math.min(15 * MINUTE, (ends_at.getTime() - starts_at.getTime()) / 10);

/** JIT-21. A grant whose time is over is expired from that moment, whether or not anything has noted it yet. */
export function statusOf({ state, starts_at, ends_at, ended_how }: Span, now: Date): AccessRequestStatus {
  if (state === "pending" || state === "denied") return state;
  if (state === "ended") return ended_how === "expired" ? "expired" : "revoked";
  if (starts_at === null || ends_at === null) throw new Error("a grant has no beginning or no end");
  if (ends_at <= now) return "expired";
  if (starts_at > now) return "approved";
  return ends_at.getTime() - now.getTime() <= noticeOf({ starts_at, ends_at }) ? "expiring_soon" : "active";
}

/** Approvals that a request needs at each level. */
export interface Demands {
  level_1: number;
  level_2: number;
}

interface Lending {
  approvals_level_1: number;
  approvals_level_2: number;
  approve_extensions: boolean;
}

/**
 * What a request for an account needs. INVARIANT: nobody gets access by asking alone: where the platform asks for no approval,
 * that is for who may use and retrieve the account anyway. A grant gives both, so having one of them is not enough.
 */
export function demandsOf(platform: Lending, permissions: readonly SafePermission[]): Demands {
  const mayAnyway = permissions.includes("use") && permissions.includes("retrieve");
  if (mayAnyway && permissions.includes("access_without_confirmation")) return { level_1: 0, level_2: 0 };
  const level_1 = Math.max(platform.approvals_level_1, mayAnyway ? 0 : 1);
  return { level_1, level_2: platform.approvals_level_2 };
}

/** What more time needs. What was opened without anybody's approval is not prolonged without one. */
export function demandsOfExtension(platform: Lending, original: Demands, isBreakGlass: boolean): Demands {
  if (isBreakGlass) {
    return { level_1: Math.max(1, platform.approvals_level_1), level_2: platform.approvals_level_2 };
  }
  return platform.approve_extensions ? original : { level_1: 0, level_2: 0 };
}

export const needsApproval = ({ level_1, level_2 }: Demands): boolean => level_1 + level_2 > 0;

/** Whoever may oversee requests; of one that names no account, administrators alone. */
export interface Overseeing {
  levels: Readonly<Record<Level, ReadonlySet<string>>>;
  all: ReadonlySet<string>;
}

export interface OpenRound extends Demands {
  round: number;
  decisions: readonly { user_id: string; level: number; decision: "approved" | "denied" }[];
}

/** Everything that is known of a request and of the person who looks at it. */
export interface View extends Span {
  user_id: string;
  account_id: string | null;
  is_break_glass: boolean;
  reviewed_at: Date | null;
  /** The account and its safe are active; false without an account. */
  isLendable: boolean;
  /** Minutes that were approved so far, and the most that the platform lends. */
  approvedMinutes: number;
  mostMinutes: number | null;
  round: OpenRound | null;
  overseers: Overseeing;
  viewer: { id: string; isAdmin: boolean };
  now: Date;
}

export interface Progress {
  level: Level;
  needed: number;
  given: number;
  /** Who could decide at this level now. */
  eligible: readonly string[];
}

/**
 * How far the open round is; null without one. INVARIANT: an approval counts as long as who gave it may approve at that level,
 * and never when the requester gave it.
 */
export function progressOf({ round, overseers, user_id: requester }: View): Progress | null {
  if (round === null) return null;
  const decided = new Set(round.decisions.map((decision) => decision.user_id));
  const at = (level: Level, needed: number): Progress => {
    const approvers = overseers.levels[level];
    const given = round.decisions.filter(
      (each) =>
        each.level === level &&
        each.decision === "approved" &&
        each.user_id !== requester &&
        approvers.has(each.user_id),
    ).length;
    const eligible = [...approvers].filter((id) => id !== requester && !decided.has(id));
    return { level, needed, given, eligible };
  };
  const first = at(1, round.level_1);
  return first.given < first.needed || round.level_2 === 0 ? first : at(2, round.level_2);
}

export const isComplete = ({ given, needed }: Progress): boolean => given >= needed;

export type Action = AccessRequest["can"][number];
export interface Obstacle {
  status: 403 | 409;
  code: string;
  message: string;
}

const conflict = (code: string, message: string): Obstacle => ({
  status: 409,
  code: `access-request.${code}`,
  message,
});
const forbidden = (code: string, message: string): Obstacle => ({
  status: 403,
  code: `access-request.${code}`,
  message,
});

const OWN = forbidden("own", "Nobody decides on their own request.");
const isOwn = (view: View): boolean => view.user_id === view.viewer.id;
const isApprover = ({ overseers, viewer }: View): boolean =>
  viewer.isAdmin || overseers.levels[1].has(viewer.id) || overseers.levels[2].has(viewer.id);

const IS: Record<AccessRequestStatus, string> = {
  pending: "waits for a decision",
  approved: "is approved and has not begun",
  active: "is in force",
  expiring_soon: "is in force",
  denied: "was denied",
  expired: "has expired",
  revoked: "was ended",
};
const already = (view: View): Obstacle =>
  conflict("wrong-state", `This is not possible any more: the request ${IS[statusOf(view, view.now)]}.`);

/** JIT-22. */
function obstacleToDecision(view: View, decision: "approve" | "deny"): Obstacle | null {
  const progress = progressOf(view);
  const { viewer } = view;
  if (progress === null || view.round === null || statusOf(view, view.now) === "expired") return already(view);
  if (isOwn(view)) return OWN;
  if (view.account_id === null) {
    if (!viewer.isAdmin) return forbidden("not-approver", "Only an administrator decides on this request.");
    if (decision === "deny") return null;
    return conflict("not-mapped", "Say first which account this request means.");
  }
  if (view.round.decisions.some(({ user_id }) => user_id === viewer.id)) {
    return conflict("already-decided", "You have decided on this already. Somebody else has to.");
  }
  if (progress.eligible.includes(viewer.id)) return null;
  const isLater = isApprover(view) && view.isLendable;
  if (isLater) return forbidden("other-level", `Level ${progress.level} decides now, and you do not approve there.`);
  return forbidden("not-approver", "You do not approve requests in this safe.");
}

/** JIT-23. */
function obstacleToExtension(view: View): Obstacle | null {
  if (!isOwn(view)) return forbidden("not-own", "Only the person who has the access asks for more time.");
  const status = statusOf(view, view.now);
  if (status !== "active" && status !== "expiring_soon") {
    const early = status === "pending" || status === "approved";
    return early ? conflict("wrong-state", "Access that has not begun cannot be extended.") : already(view);
  }
  if (view.round !== null) return conflict("extension-pending", "An extension waits for a decision already.");
  if (view.mostMinutes !== null && view.approvedMinutes + 5 > view.mostMinutes) {
    return conflict("too-long", "This access has lasted as long as its platform allows.");
  }
  return null;
}

function obstacleToRevocation(view: View): Obstacle | null {
  const status = statusOf(view, view.now);
  if (view.state !== "pending" && (view.state !== "granted" || status === "expired")) return already(view);
  if (isOwn(view)) return null;
  if (!isApprover(view)) return forbidden("not-approver", "You do not approve requests in this safe.");
  return view.state === "pending" ? conflict("wrong-state", "This request waits for a decision: deny it.") : null;
}

function obstacleToMapping(view: View): Obstacle | null {
  if (!view.viewer.isAdmin) return forbidden("not-approver", "Only an administrator says which account is meant.");
  if (view.state !== "pending") return already(view);
  if (isOwn(view)) return OWN;
  return view.account_id === null ? null : conflict("mapped", "This request names its account already.");
}

function obstacleToReview(view: View): Obstacle | null {
  if (!view.is_break_glass) return conflict("wrong-state", "Only emergency access is reviewed.");
  if (view.reviewed_at !== null) return conflict("reviewed", "This was reviewed already.");
  if (isOwn(view)) return forbidden("own", "Nobody reviews their own emergency access.");
  return isApprover(view) ? null : forbidden("not-approver", "You do not approve requests in this safe.");
}

function obstacleToRetrieval(view: View): Obstacle | null {
  if (!isOwn(view)) return forbidden("not-own", "This access is somebody else's.");
  const status = statusOf(view, view.now);
  return view.isLendable && (status === "active" || status === "expiring_soon") ? null : already(view);
}

const OBSTACLES: Record<Action, (view: View) => Obstacle | null> = {
  approve: (view) => obstacleToDecision(view, "approve"),
  deny: (view) => obstacleToDecision(view, "deny"),
  extend: obstacleToExtension,
  revoke: obstacleToRevocation,
  map: obstacleToMapping,
  review: obstacleToReview,
  retrieve: obstacleToRetrieval,
};

/** Why this person cannot do this with the request now, in plain words; null when they can. */
export const obstacleTo = (action: Action, view: View): Obstacle | null => OBSTACLES[action](view);

/** What `can` shows: the same rule that refuses. */
export const actionsOf = (view: View): Action[] =>
  (Object.keys(OBSTACLES) as Action[]).filter((action) => obstacleTo(action, view) === null);

/**
 * JIT-16: `medium`, until a feature judges risk by what is known of the account; what was opened in an emergency is
 * `critical` without anybody's judgement.
 */
export const riskOf = (isBreakGlass: boolean): AccessRequest["riskLevel"] => (isBreakGlass ? "critical" : "medium");
