// Rules for the scopes, lifetime, creation and revocation of API tokens, without a clock and without a database.
import { Permission, ROLES, SCOPES_IN_SAFES, Scope, scopesIn } from "@strongroom/contract";
import type { NewToken, ScopeChoice, TokenPolicy, UserKind } from "@strongroom/contract";
import type { ActingToken, Actor } from "#kernel/authz/actor.ts";
import type { RolePermissions } from "#kernel/authz/authorise.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";

export const rolePermissions = { "token.use": ROLES } satisfies RolePermissions;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** The minimum interval between writes of a token's last use or last refused use, in milliseconds. */
export const USE_WRITE_INTERVAL = MINUTE;
/** How long an expired or revoked token stays in lists, in milliseconds. */
export const RETENTION_AFTER_END = 30 * DAY;
/** More tokens than any user needs at once. */
export const MAX_ACTIVE_TOKENS = 50;

/**
 * Scopes that a machine identity never has, regardless of its token's scopes. Otherwise, its responsible users could
 * approve their own requests.
 */
const NEVER_BY_MACHINES: readonly Scope[] = ["access-request.decide"];

/** The scopes that a token effectively has, before its holder's role is checked. */
export function effectiveScopes(
  choices: readonly ScopeChoice[],
  isLimitedToSafes: boolean,
  kind: UserKind,
): ReadonlySet<Scope> {
  return new Set(
    scopesIn(choices)
      .filter((scope) => !isLimitedToSafes || SCOPES_IN_SAFES.includes(scope))
      .filter((scope) => kind === "person" || !NEVER_BY_MACHINES.includes(scope)),
  );
}

interface Times {
  created_at: Date;
  expires_at: Date;
}

export const maxLifetimeDays = (kind: UserKind, policy: TokenPolicy): number =>
  kind === "machine" ? policy.machine_days : policy.person_days;

/** When a token expires: at the time set at creation, or earlier if the policy has been tightened since. */
export function endOf({ created_at, expires_at }: Times, kind: UserKind, policy: TokenPolicy): Date {
  const byPolicy = created_at.getTime() + maxLifetimeDays(kind, policy) * DAY;
  return new Date(Math.min(expires_at.getTime(), byPolicy));
}

/** Days before a token's expiry at which notices are sent. */
export const FIRST_NOTICE = 7;
const NOTICES = [1, FIRST_NOTICE] as const;

interface LastNotice {
  told_days: number | null;
  told_end: Date | null;
}

/**
 * Returns the notice of expiry that is due; null when none is due or it was already sent. Notices of an earlier expiry,
 * before the policy changed, do not count. A token whose lifetime is less than twice the notice period gets no notice,
 * because it was created recently.
 */
export function noticeDue(
  { end, created_at, told_days, told_end }: LastNotice & { end: Date; created_at: Date },
  now: Date,
): (typeof NOTICES)[number] | null {
  const [left, life] = [end.getTime() - now.getTime(), end.getTime() - created_at.getTime()];
  const due = NOTICES.find((days) => left <= days * DAY && life >= 2 * days * DAY);
  const isNotified =
    told_days !== null && due !== undefined && told_days <= due && told_end?.getTime() === end.getTime();
  return due === undefined || left <= 0 || isNotified ? null : due;
}

export interface TokenFacts extends Times {
  kind: UserKind;
  /** The status of the token's holder. */
  status: "active" | "disabled" | "deleted";
  revoked_at: Date | null;
  /** Suspended since the database was restored, until an administrator confirms it. */
  suspended_at: Date | null;
}

export type TokenState = "active" | "expired" | "revoked" | "suspended";

export function stateOf(token: Omit<TokenFacts, "status">, policy: TokenPolicy, now: Date): TokenState {
  if (token.revoked_at !== null) return "revoked";
  if (endOf(token, token.kind, policy) <= now) return "expired";
  return token.suspended_at === null ? "active" : "suspended";
}

/** Returns why a token cannot be used, or null. A revoked token gets the same reply as an unknown one. */
export function refusalFor(token: TokenFacts, policy: TokenPolicy, now: Date): Refusal | null {
  const state = stateOf(token, policy, now);
  if (state === "revoked" || token.status !== "active") return unknown();
  if (state === "suspended") return suspended();
  return state === "expired" ? refuse(401, "token.expired", "This API token has expired.") : null;
}

export const unknown = (): Refusal => refuse(401, "token.unknown", "This API token is unknown or was revoked.");

const suspended = (): Refusal =>
  refuse(
    403,
    "token.suspended",
    "This API token is suspended because the database was restored. An administrator must confirm it.",
  );

export const addressNotAllowed = (): Refusal =>
  refuse(403, "token.network-not-allowed", "This API token cannot be used from your network.");

/** The token works again once its holder has a factor. */
export const withoutFactor = (): Refusal =>
  refuse(
    403,
    "token.factor-needed",
    "The role of this API token's holder requires a second factor. The holder must set one up first.",
  );

const atField = (field: string, message: string, code: string) =>
  refuse(400, code, message, { errors: [{ path: field, msg: message }] });

/** The scopes that a new token can be given individually, limited by its holder's role. */
export const choosable = (kind: UserKind, has: (permission: Permission) => boolean): Scope[] =>
  [...effectiveScopes(Scope.options, false, kind)].filter((scope) => isOfRole(scope, has));

/** A scope that is not the name of a permission belongs to a permission that every role has. */
function isOfRole(scope: Scope, has: (permission: Permission) => boolean): boolean {
  const permission = Permission.safeParse(scope);
  return !permission.success || has(permission.data);
}

/** Throws 400 for a lifetime longer than the policy allows. */
export function requireAllowedLife({ expires_in_days: days }: NewToken, kind: UserKind, policy: TokenPolicy): void {
  const most = maxLifetimeDays(kind, policy);
  if (days <= most) return;
  throw atField("expires_in_days", `The lifetime can be at most ${most} days.`, "token.life-too-long");
}

/** Throws 400 for an individually chosen scope that the holder's role lacks. Sets of scopes are reduced instead. */
export function requireScopesOfRole(scopes: readonly ScopeChoice[], has: (permission: Permission) => boolean): void {
  const tooMuch = scopes.filter((choice) => {
    const scope = Scope.safeParse(choice);
    return scope.success && !isOfRole(scope.data, has);
  });
  if (tooMuch.length === 0) return;
  throw atField("scopes", `The holder's role does not allow ${tooMuch.join(", ")}.`, "token.scopes-beyond-role");
}

/**
 * INVARIANT: a token cannot create a token with more permissions than it has itself or with a later expiry. Throws 403.
 */
export function requireNoMore(made: NewToken, kind: UserKind, expiresAt: Date, by: ActingToken | null): void {
  if (by === null) return;
  const scopes = effectiveScopes(made.scopes, made.safe_ids !== undefined, kind);
  const keepsSafes = by.safes === null || made.safe_ids?.every((id) => by.safes?.includes(id)) === true;
  const keepsNetworks =
    by.networks.length === 0 ||
    (made.networks.length > 0 && made.networks.every((network) => by.networks.includes(network)));
  if ([...scopes].every((scope) => by.scopes.has(scope)) && keepsSafes && keepsNetworks && expiresAt <= by.expiresAt)
    return;
  throw refuse(
    403,
    "token.more-than-own",
    "A token cannot create one with more rights or a later expiry than its own.",
  );
}

/** Whether a user may revoke another holder's token: only that holder's responsible users and administrators may. */
export function mayRevokeOthers(actor: Actor, isResponsible: boolean): boolean {
  if (isResponsible) return true;
  return actor.role === "admin" && (actor.token === null || actor.token.scopes.has("user.manage"));
}
