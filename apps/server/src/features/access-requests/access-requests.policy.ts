// Pure rules of access requests: the status of a request, the approvals it needs, and who may act on it.
import { ROLES } from "@strongroom/contract";
import type { AccessRequest, AccessRequestStatus, SafePermission } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions: RolePermissions = {
  "access-request.list": ROLES,
  "access-request.create": ROLES,
  "access-request.decide": ROLES,
};

export type RequestState = "pending" | "granted" | "denied" | "ended";
export type EndReason =
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
  state: RequestState;
  starts_at: Date | null;
  ends_at: Date | null;
  ended_how: EndReason | null;
}

/**
 * OPEN-101: how long before its end a grant counts as expiring soon, in milliseconds: 15 minutes or a tenth of the
 * grant, whichever is less.
 */
export const expiryNoticeOf = ({ starts_at, ends_at }: { starts_at: Date; ends_at: Date }): number =>
  Math.min(15 * MINUTE, (ends_at.getTime() - starts_at.getTime()) / 10);

/**
 * JIT-21. A grant is expired from its end time, even if its end is not recorded yet. Throws if a grant has no start or
 * end.
 */
export function statusOf({ state, starts_at, ends_at, ended_how }: Span, now: Date): AccessRequestStatus {
  if (state === "pending" || state === "denied") return state;
  if (state === "ended") return ended_how === "expired" ? "expired" : "revoked";
  if (starts_at === null || ends_at === null) throw new Error("a grant has no start or no end");
  if (ends_at <= now) return "expired";
  if (starts_at > now) return "approved";
  return ends_at.getTime() - now.getTime() <= expiryNoticeOf({ starts_at, ends_at }) ? "expiring_soon" : "active";
}

/** The number of approvals that a request needs at each level. */
export interface ApprovalRequirements {
  level_1: number;
  level_2: number;
}

interface Lending {
  approvals_level_1: number;
  approvals_level_2: number;
  approve_extensions: boolean;
}

/**
 * The approvals that a request for an account needs. INVARIANT: no requester gets access without approval unless they
 * could use and retrieve the account anyway, even if the platform requires no approval. A grant gives both permissions,
 * so having one of them is not enough.
 */
export function approvalsRequired(platform: Lending, permissions: readonly SafePermission[]): ApprovalRequirements {
  const mayAnyway = permissions.includes("use") && permissions.includes("retrieve");
  if (mayAnyway && permissions.includes("access_without_confirmation")) return { level_1: 0, level_2: 0 };
  const level_1 = Math.max(platform.approvals_level_1, mayAnyway ? 0 : 1);
  return { level_1, level_2: platform.approvals_level_2 };
}

/**
 * The approvals that an extension needs. Emergency access started without approval, so extending it needs at least one.
 */
export function approvalsForExtension(
  platform: Lending,
  original: ApprovalRequirements,
  isBreakGlass: boolean,
): ApprovalRequirements {
  if (isBreakGlass) {
    return { level_1: Math.max(1, platform.approvals_level_1), level_2: platform.approvals_level_2 };
  }
  return platform.approve_extensions ? original : { level_1: 0, level_2: 0 };
}

export const needsApproval = ({ level_1, level_2 }: ApprovalRequirements): boolean => level_1 + level_2 > 0;

/** The users who may approve requests. Administrators are included only for a request that names no account. */
export interface RequestApprovers {
  levels: Readonly<Record<Level, ReadonlySet<string>>>;
  all: ReadonlySet<string>;
}

export interface OpenRound extends ApprovalRequirements {
  round: number;
  decisions: readonly { user_id: string; level: number; decision: "approved" | "denied" }[];
}

/** All inputs of the rules: a request and its viewer. */
export interface RequestView extends Span {
  user_id: string;
  account_id: string | null;
  is_break_glass: boolean;
  reviewed_at: Date | null;
  /** Whether the account and its safe are active; false without an account. */
  canBeRequested: boolean;
  /** Whether sessions exist for the account's connection method. */
  canBeConnected: boolean;
  /** The minutes approved so far, and the most that the platform allows. */
  approvedMinutes: number;
  mostMinutes: number | null;
  round: OpenRound | null;
  overseers: RequestApprovers;
  viewer: { id: string; isAdmin: boolean };
  now: Date;
}

export interface ApprovalProgress {
  level: Level;
  needed: number;
  given: number;
  /** The users who could decide at this level now. */
  eligible: readonly string[];
}

/**
 * The progress of the open round; null if no round is open. INVARIANT: an approval counts only while its approver may
 * approve at that level, and never if the requester gave it.
 */
export function progressOf({ round, overseers, user_id: requester }: RequestView): ApprovalProgress | null {
  if (round === null) return null;
  const decided = new Set(round.decisions.map((decision) => decision.user_id));
  const at = (level: Level, needed: number): ApprovalProgress => {
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

export const isComplete = ({ given, needed }: ApprovalProgress): boolean => given >= needed;

export type RequestAction = AccessRequest["can"][number];
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

const OWN = forbidden("own", "You cannot decide on your own request.");
const isOwn = (view: RequestView): boolean => view.user_id === view.viewer.id;
const isApprover = ({ overseers: approvers, viewer }: RequestView): boolean =>
  viewer.isAdmin || approvers.levels[1].has(viewer.id) || approvers.levels[2].has(viewer.id);

const IS: Record<AccessRequestStatus, string> = {
  pending: "is waiting for a decision",
  approved: "is approved but has not started",
  active: "is active",
  expiring_soon: "is active",
  denied: "was denied",
  expired: "has expired",
  revoked: "was ended",
};
const already = (view: RequestView): Obstacle =>
  conflict("wrong-state", `This is no longer possible: the request ${IS[statusOf(view, view.now)]}.`);

/** JIT-22: why the viewer cannot decide on the request; null when they can. */
function obstacleToDecision(view: RequestView, decision: "approve" | "deny"): Obstacle | null {
  const progress = progressOf(view);
  const { viewer } = view;
  if (progress === null || view.round === null || statusOf(view, view.now) === "expired") return already(view);
  if (isOwn(view)) return OWN;
  if (view.account_id === null) {
    if (!viewer.isAdmin) return forbidden("not-approver", "Only an administrator can decide on this request.");
    if (decision === "deny") return null;
    return conflict("not-mapped", "Choose the account for this request first.");
  }
  if (view.round.decisions.some(({ user_id }) => user_id === viewer.id)) {
    return conflict("already-decided", "You have already decided on this request. Another approver must decide.");
  }
  if (progress.eligible.includes(viewer.id)) return null;
  const isLater = isApprover(view) && view.canBeRequested;
  if (isLater)
    return forbidden(
      "other-level",
      `This request is waiting for level ${progress.level}, and you are not an approver at that level.`,
    );
  return forbidden("not-approver", "You cannot approve requests in this safe.");
}

/** JIT-23: why the viewer cannot extend the grant; null when they can. */
function obstacleToExtension(view: RequestView): Obstacle | null {
  if (!isOwn(view)) return forbidden("not-own", "Only the requester can extend this access.");
  const status = statusOf(view, view.now);
  if (status !== "active" && status !== "expiring_soon") {
    const early = status === "pending" || status === "approved";
    return early ? conflict("wrong-state", "Access that has not started cannot be extended.") : already(view);
  }
  if (view.round !== null) return conflict("extension-pending", "An extension is already waiting for a decision.");
  if (view.mostMinutes !== null && view.approvedMinutes + 5 > view.mostMinutes) {
    return conflict("too-long", "This access has reached the platform's maximum duration.");
  }
  return null;
}

function obstacleToRevocation(view: RequestView): Obstacle | null {
  const status = statusOf(view, view.now);
  if (view.state !== "pending" && (view.state !== "granted" || status === "expired")) return already(view);
  if (isOwn(view)) return null;
  if (!isApprover(view)) return forbidden("not-approver", "You cannot approve requests in this safe.");
  return view.state === "pending"
    ? conflict("wrong-state", "This request is waiting for a decision. Deny it instead.")
    : null;
}

function obstacleToMapping(view: RequestView): Obstacle | null {
  if (!view.viewer.isAdmin) return forbidden("not-approver", "Only an administrator can choose the account.");
  if (view.state !== "pending") return already(view);
  if (isOwn(view)) return OWN;
  return view.account_id === null ? null : conflict("mapped", "This request already has an account.");
}

function obstacleToReview(view: RequestView): Obstacle | null {
  if (!view.is_break_glass) return conflict("wrong-state", "Only emergency access can be reviewed.");
  if (view.reviewed_at !== null) return conflict("reviewed", "This access has already been reviewed.");
  if (isOwn(view)) return forbidden("own", "You cannot review your own emergency access.");
  return isApprover(view) ? null : forbidden("not-approver", "You cannot approve requests in this safe.");
}

function obstacleToRetrieval(view: RequestView): Obstacle | null {
  if (!isOwn(view)) return forbidden("not-own", "This access belongs to another user.");
  const status = statusOf(view, view.now);
  return view.canBeRequested && (status === "active" || status === "expiring_soon") ? null : already(view);
}

function obstacleToConnection(view: RequestView): Obstacle | null {
  if (view.canBeConnected) return obstacleToRetrieval(view);
  return conflict("no-sessions", "Sessions are available only for accounts with the connection method SSH.");
}

const OBSTACLES: Record<RequestAction, (view: RequestView) => Obstacle | null> = {
  approve: (view) => obstacleToDecision(view, "approve"),
  deny: (view) => obstacleToDecision(view, "deny"),
  extend: obstacleToExtension,
  revoke: obstacleToRevocation,
  map: obstacleToMapping,
  review: obstacleToReview,
  retrieve: obstacleToRetrieval,
  connect: obstacleToConnection,
};

/** The reason why the viewer cannot perform this action on the request now; null when they can. */
export const obstacleFor = (action: RequestAction, view: RequestView): Obstacle | null => OBSTACLES[action](view);

/** The actions that the viewer can perform, by the same rules that refuse calls. */
export const actionsOf = (view: RequestView): RequestAction[] =>
  (Object.keys(OBSTACLES) as RequestAction[]).filter((action) => obstacleFor(action, view) === null);

/**
 * JIT-16: emergency access has `critical` risk. Every other request has `medium` risk until a feature rates the risk from account
 * data.
 */
export const riskOf = (isBreakGlass: boolean): AccessRequest["riskLevel"] => (isBreakGlass ? "critical" : "medium");
