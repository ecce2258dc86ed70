// Rules for session lifetimes and for slowing down guesses, without a clock and without a database.
import type { Role, SignInPolicy } from "@strongroom/contract";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How a user authenticated. */
export type SignInMethod = "password" | "oidc" | "ldap" | "passkey" | "ssh-key";

/** How long a sign-in waits for its second step, in milliseconds, and how many tries the step allows. */
export const PENDING_SIGN_IN_LIFETIME = 5 * MINUTE;
export const MAX_SECOND_STEP_TRIES = 5;
export const isLastTry = (tries: number): boolean => tries >= MAX_SECOND_STEP_TRIES;

/** When a proof stops satisfying calls that require re-authentication. */
export const provedUntil = (provedAt: Date, limits: Pick<SignInPolicy, "step_up_minutes">): Date =>
  new Date(provedAt.getTime() + limits.step_up_minutes * MINUTE);

/** A session's last activity is written at most this often, in milliseconds. */
export const ACTIVITY_WRITE_INTERVAL = 30 * SECOND;

type Limits = Pick<
  SignInPolicy,
  "timeout_minutes" | "privileged_timeout_minutes" | "session_hours" | "remembered_days"
>;

/** How long a session may be inactive, in milliseconds. Admins and managers have the tighter of two limits. */
export function idleLimit(role: Role, limits: Limits): number {
  const minutes = role === "user" ? limits.timeout_minutes : tighter(limits);
  return minutes * MINUTE;
}

const tighter = (limits: Limits): number => Math.min(limits.timeout_minutes, limits.privileged_timeout_minutes);

/** The maximum lifetime of a session, however active, in milliseconds (OPEN-08). */
export const maxSessionLifetime = (isRemembered: boolean, limits: Limits): number =>
  isRemembered ? limits.remembered_days * DAY : limits.session_hours * HOUR;

export interface SessionTimes {
  role: Role;
  is_remembered: boolean;
  created_at: Date;
  last_active_at: Date;
  expires_at: Date;
}

/**
 * When a session ends regardless of activity: at the time set at sign-in, or earlier if the policy has been tightened since.
 */
export function endOf(session: SessionTimes, limits: Limits): Date {
  const byPolicy = session.created_at.getTime() + maxSessionLifetime(session.is_remembered, limits);
  return new Date(Math.min(session.expires_at.getTime(), byPolicy));
}

/**
 * Whether a session is open. The actual last activity may be up to `ACTIVITY_WRITE_INTERVAL` later than the stored
 * time. Adding that interval ensures that no session ends before the time that the browser counts down to.
 */
export function stateOf(session: SessionTimes, limits: Limits, now: Date): "open" | "idle" | "expired" {
  if (now >= endOf(session, limits)) return "expired";
  const idle = now.getTime() - session.last_active_at.getTime();
  return idle > idleLimit(session.role, limits) + ACTIVITY_WRITE_INTERVAL ? "idle" : "open";
}

export const isTouchDue = (lastActiveAt: Date, now: Date): boolean =>
  now.getTime() - lastActiveAt.getTime() >= ACTIVITY_WRITE_INTERVAL;

/**
 * The kinds of counters for failed attempts. `pair` is one user on a network where they have signed in before, `tried`
 * is the same user there within the last hour, and `spread` is the number of such users who failed on that network.
 */
export const ATTEMPT_KINDS = ["account", "network", "pair", "spread", "tried"] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];

/** The number of failures before any wait. Networks have more, because many users share one. */
const FREE: Record<AttemptKind, number> = { account: 5, pair: 5, network: 30, spread: 30, tried: Infinity };
/** Milliseconds without a failure after which a count resets. */
const FORGET_AFTER: Record<AttemptKind, number> = { account: DAY, pair: DAY, network: HOUR, spread: HOUR, tried: HOUR };
/** Administrators are notified of the failures on one network at most this often, in milliseconds. */
export const ALERT_EVERY = HOUR;
/** Whether there are more failures than the typing errors of users sharing a network can explain. */
export const isAlarming = (kind: AttemptKind, failures: number): boolean =>
  (kind === "network" || kind === "spread") && failures >= FREE[kind];
export const MAX_WAIT = 15 * MINUTE;
/**
 * The longest delay that other users' failures can cause for a user who has signed in on this network before, in
 * milliseconds.
 */
const LONGEST_SPREAD_WAIT = 30 * SECOND;
export const ATTEMPT_RETENTION = DAY;

/** Milliseconds until the next attempt is admitted, after this many failures: 2 s, 4 s, 8 s … 15 min. */
export function waitAfter(kind: AttemptKind, failures: number): number {
  const beyond = failures - FREE[kind];
  const longest = kind === "spread" ? LONGEST_SPREAD_WAIT : MAX_WAIT;
  return beyond < 0 ? 0 : Math.min(2 ** (beyond + 1) * SECOND, longest);
}

export const isForgotten = (kind: AttemptKind, failedAt: Date, now: Date): boolean =>
  now.getTime() - failedAt.getTime() >= FORGET_AFTER[kind];

/** How long a reset link works, in milliseconds (OPEN-09). */
export const RESET_LINK_LIFETIME = 30 * MINUTE;
/** How long an invitation link works, in milliseconds. */
export const INVITATION_LIFETIME = 7 * DAY;
/** How long a reset request waits for an administrator, in milliseconds. */
export const RESET_REQUEST_LIFETIME = DAY;
/**
 * Milliseconds between reset emails to one user, after `sent` emails since the last full day without one: 2 minutes, 4, 8
 * … an hour. Prevents flooding a user's inbox and repeatedly replacing their link.
 */
export const resetMailWait = (sent: number): number => (sent === 0 ? 0 : Math.min(2 ** sent * MINUTE, HOUR));

/** How long a token signing key is active, and how long afterwards it still verifies tokens, in milliseconds. */
export const SIGNING_KEY_LIFETIME = 90 * DAY;
export const SIGNING_KEY_RETENTION = 31 * DAY;
/** A network is forgotten after this many milliseconds without a sign-in. */
export const KNOWN_NETWORK_RETENTION = 90 * DAY;
