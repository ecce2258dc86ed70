// Decides who may see, watch and end a session, and when a live session must end.
import { ROLES, SESSION_ACTIONS } from "@strongroom/contract";
import type { SessionAction } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";
import { decideAccess } from "#features/accounts/index.ts";
import { allows } from "#features/safes/index.ts";
import { isWithin } from "#features/users/index.ts";
import type { Permissions } from "#features/safes/index.ts";
import type { SessionFacts } from "./gateway/session-users.store.ts";
import type { SessionProgram } from "./gateway/session-rules.store.ts";
import type { SessionEnd } from "./sessions.store.ts";

/** Every role: permissions in the safe decide which sessions. */
export const rolePermissions: RolePermissions = {
  "privileged-session.list": ROLES,
  "privileged-session.start": ROLES,
  "privileged-session.watch": ROLES,
  "privileged-session.terminate": ROLES,
  "privileged-session.play": ROLES,
  "privileged-session.export": ROLES,
  "privileged-session.hold": ROLES,
};

/** The facts about a session and a reader that decide what the reader may do with it. */
export interface SessionView {
  isOwn: boolean;
  /** The reader's permissions in the session's safe. */
  permissions: Permissions;
  isLive: boolean;
  hasRecording: boolean;
  /** The recording has a legal hold. */
  isHeld: boolean;
}

/** INVARIANT: users see their own sessions, and those in safes whose audit trail they may view. */
export const isVisible = ({ isOwn, permissions }: Pick<SessionView, "isOwn" | "permissions">): boolean =>
  isOwn || allows(permissions, "view_audit");

/**
 * Members who may view the safe's audit trail can watch and play; those who also manage its members, and so could end
 * the access itself, can pause the input and terminate. Users can terminate and play their own sessions, but export none.
 * INVARIANT: no user releases the legal hold on the recording of their own session.
 */
export function actionsOn({ isOwn, permissions, isLive, hasRecording, isHeld }: SessionView): SessionAction[] {
  const isAuditor = allows(permissions, "view_audit");
  const may: Record<SessionAction, boolean> = {
    watch: isLive && isAuditor && !isOwn,
    message: isLive && isAuditor && !isOwn,
    pause: isLive && !isOwn && isAuditor && allows(permissions, "manage_members"),
    terminate: isLive && (isOwn || (isAuditor && allows(permissions, "manage_members"))),
    play: hasRecording && (isOwn || isAuditor),
    export: hasRecording && isAuditor,
    hold: hasRecording && !isHeld && isAuditor,
    release: hasRecording && isHeld && !isOwn && isAuditor && allows(permissions, "manage_members"),
  };
  return SESSION_ACTIONS.filter((action) => may[action]);
}

/** Returns why a live session must end now; null when it may continue. */
export function endOf(facts: SessionFacts): SessionEnd | null {
  if (facts.terminated_why !== null) {
    const by = facts.terminator ?? "an administrator";
    if (facts.is_own_end) return { reason: "logout", detail: `Ended by ${by}: ${facts.terminated_why}` };
    return { reason: "terminated", detail: `Terminated by ${by}: ${facts.terminated_why}` };
  }
  if (facts.user_status !== "active") return { reason: "user-disabled", detail: null };
  if (facts.is_deleted) return { reason: "account-deleted", detail: null };
  if (facts.now >= facts.ends_at) return { reason: "expired", detail: "The session reached its longest duration." };
  if (facts.is_moved) return { reason: "revoked", detail: "The account was moved to another safe." };
  if (!isWithin(facts.people_from, facts.source_address) || !isWithin(facts.token_from, facts.source_address)) {
    return { reason: "revoked", detail: "Access from this network is no longer allowed." };
  }
  if (facts.is_token_active === false) return { reason: "revoked", detail: "The API token that started it has ended." };
  if (facts.is_key_active === false) {
    return { reason: "revoked", detail: "The SSH key that started it was removed or has expired." };
  }
  const brokenRule = brokenRuleOf(facts);
  if (brokenRule !== null) return { reason: "revoked", detail: brokenRule };
  if (decideAccess("use", accessOf(facts, facts.grant_ends_at !== null)) !== "allowed") return lossOf(facts);
  if (!facts.is_exclusive) return null;
  if (facts.checked_out_until === null) return { reason: "checked-in", detail: null };
  return facts.checked_out_until <= facts.now ? { reason: "expired", detail: "The check-out expired." } : null;
}

/** INVARIANT: a rule of the platform applies to live sessions too, as soon as it is changed. */
function brokenRuleOf(facts: SessionFacts): string | null {
  const { program, allowed_programs: allowed, is_in_zone, needs_watcher } = facts;
  if (facts.forwards_agent && !facts.allows_agent) return "The platform no longer allows agent forwarding.";
  if (!is_in_zone) return "The platform or the safe now requires a gateway of another zone.";
  if (program === null) return null;
  if (!allowed[program]) return `The platform no longer allows ${PROGRAM_NAMES[program]}.`;
  // A command runs without a watcher too, and a forwarded connection shows nothing to watch.
  const isUnwatchable = program === "exec" || program === "forward";
  return needs_watcher && isUnwatchable ? "The platform now requires that another user watches." : null;
}

export const PROGRAM_NAMES: Record<SessionProgram, string> = {
  shell: "shells",
  exec: "single commands",
  sftp: "SFTP",
  forward: "port forwarding",
};

const accessOf = (facts: SessionFacts, isGranted: boolean) => ({
  permissions: facts.permissions,
  safeStatus: facts.safe_status,
  accountStatus: facts.account_status,
  approvals: facts.approvals,
  isGranted,
});

function lossOf(facts: SessionFacts): SessionEnd {
  if (facts.account_status !== "active") return { reason: "revoked", detail: "The account is no longer active." };
  if (facts.safe_status !== "active") return { reason: "revoked", detail: "The safe is no longer active." };
  if (facts.has_grant && facts.has_grant_expired)
    return { reason: "expired", detail: "The granted access has expired." };
  if (!allows(facts.permissions, "list")) return { reason: "membership-removed", detail: null };
  const detail = facts.has_grant ? "The grant was revoked." : "The permission to use the account was removed.";
  return { reason: "revoked", detail };
}

/** The end that is known now: of the session, and of the grant or check-out that it needs. */
export function knownEndOf(facts: SessionFacts): Date {
  const ends = [facts.ends_at];
  const needsGrant = decideAccess("use", accessOf(facts, false)) !== "allowed";
  if (needsGrant && facts.grant_ends_at !== null) ends.push(facts.grant_ends_at);
  if (facts.is_exclusive && facts.checked_out_until !== null) ends.push(facts.checked_out_until);
  return new Date(Math.min(...ends.map(Number)));
}

/** The next moment at which the result of `endOf` may change with time alone. */
export function nextCheckOf(facts: SessionFacts): Date {
  const others = [facts.grant_ends_at, facts.membership_ends_at, facts.token_ends_at, facts.key_ends_at].filter(
    (at) => at !== null,
  );
  return new Date(Math.min(Number(knownEndOf(facts)), ...others.map(Number)));
}
