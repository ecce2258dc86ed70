// How long sessions live and how much guessing costs: rules only, no clock and no database.
import type { Role, SignInPolicy } from "@strongroom/contract";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How somebody proved who they are. */
export type SignInMethod = "password" | "oidc" | "ldap" | "passkey";

/** How long a sign-in waits for its second step, and how often that may be tried. */
export const PENDING_LIFE = 5 * MINUTE;
export const MOST_SECOND_TRIES = 5;
export const isLastTry = (tries: number): boolean => tries >= MOST_SECOND_TRIES;

/** Until when a proof of who one is opens what asks for a fresh one. */
export const provedUntil = (provedAt: Date, limits: Pick<SignInPolicy, "step_up_minutes">): Date =>
  new Date(provedAt.getTime() + limits.step_up_minutes * MINUTE);

/** A session's last activity is written down at most this often, in milliseconds. */
export const TOUCH_EVERY = 30 * SECOND;

type Limits = Pick<
  SignInPolicy,
  "timeout_minutes" | "privileged_timeout_minutes" | "session_hours" | "remembered_days"
>;

/** Milliseconds without activity after which a session ends; admins and managers have the tighter of two limits. */
export function idleLimit(role: Role, limits: Limits): number {
  const minutes = role === "user" ? limits.timeout_minutes : tighter(limits);
  return minutes * MINUTE;
}

const tighter = (limits: Limits): number => Math.min(limits.timeout_minutes, limits.privileged_timeout_minutes);

/** The longest life of a session, however active, in milliseconds (OPEN-08). */
export const longestLife = (isRemembered: boolean, limits: Limits): number =>
  isRemembered ? limits.remembered_days * DAY : limits.session_hours * HOUR;

export interface SessionTimes {
  role: Role;
  is_remembered: boolean;
  created_at: Date;
  last_active_at: Date;
  expires_at: Date;
}

/** When a session ends whatever happens: as promised at sign-in, or earlier when the policy was tightened since. */
export function endOf(session: SessionTimes, limits: Limits): Date {
  const byPolicy = session.created_at.getTime() + longestLife(session.is_remembered, limits);
  return new Date(Math.min(session.expires_at.getTime(), byPolicy));
}

/**
 * Whether a session still counts. Activity may be up to `TOUCH_EVERY` more recent than what is written down, so that
 * much is granted: no session ends before the time that the browser counts down to.
 */
export function stateOf(session: SessionTimes, limits: Limits, now: Date): "open" | "idle" | "expired" {
  if (now >= endOf(session, limits)) return "expired";
  const idle = now.getTime() - session.last_active_at.getTime();
  return idle > idleLimit(session.role, limits) + TOUCH_EVERY ? "idle" : "open";
}

export const isTouchDue = (lastActiveAt: Date, now: Date): boolean =>
  now.getTime() - lastActiveAt.getTime() >= TOUCH_EVERY;

/**
 * The keys that failed attempts are counted by. `pair` is one person on a network where they have signed in before, `tried` the
 * same person there within the hour, and `spread` the number of such people who failed on that network.
 */
export const ATTEMPT_KINDS = ["account", "network", "pair", "spread", "tried"] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];

/** Failures that cost nothing yet. Many people share a network, so it gets more. */
const FREE: Record<AttemptKind, number> = { account: 5, pair: 5, network: 30, spread: 30, tried: Infinity };
/** Milliseconds without a failure after which all is forgotten. */
const FORGET_AFTER: Record<AttemptKind, number> = { account: DAY, pair: DAY, network: HOUR, spread: HOUR, tried: HOUR };
export const LONGEST_WAIT = 15 * MINUTE;
/** The longest wait that other people's failures cause a person who signed in on this network before. */
const LONGEST_SPREAD_WAIT = 30 * SECOND;
export const LONGEST_MEMORY = DAY;

/** Milliseconds until the next attempt is looked at, after this many failures in a row: 2 s, 4 s, 8 s … 15 min. */
export function waitAfter(kind: AttemptKind, failures: number): number {
  const beyond = failures - FREE[kind];
  const longest = kind === "spread" ? LONGEST_SPREAD_WAIT : LONGEST_WAIT;
  return beyond < 0 ? 0 : Math.min(2 ** (beyond + 1) * SECOND, longest);
}

export const isForgotten = (kind: AttemptKind, failedAt: Date, now: Date): boolean =>
  now.getTime() - failedAt.getTime() >= FORGET_AFTER[kind];

/** How long a reset link works, in milliseconds (OPEN-09). */
export const RESET_LINK_LIFE = 30 * MINUTE;
/** How long the link of an invitation works. */
export const INVITATION_LIFE = 7 * DAY;
/** How long a reset waits for an administrator to hand over the link. */
export const RESET_REQUEST_LIFE = DAY;
/**
 * How long nobody is mailed another reset link, after so many since a whole day passed without one: nobody fills another
 * person's inbox, or keeps replacing their link. 2 minutes, 4, 8 … an hour.
 */
export const resetMailWait = (sent: number): number => (sent === 0 ? 0 : Math.min(2 ** sent * MINUTE, HOUR));

/** How long a token signing key is used, and how long after that what it signed can still be checked. */
export const SIGNING_KEY_USE = 90 * DAY;
export const SIGNING_KEY_KEEP = 31 * DAY;
/** A network on which nobody signed in for so long is no longer a known one. */
export const KNOWN_NETWORK_LIFE = 90 * DAY;
