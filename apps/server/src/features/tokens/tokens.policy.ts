// What API tokens may do, how long they live, and who may make and revoke them: rules only, no clock and no database.
import { Permission, ROLES, SCOPES_IN_SAFES, Scope, scopesIn } from "@strongroom/contract";
import type { NewToken, ScopeChoice, TokenPolicy, UserKind } from "@strongroom/contract";
import type { ActingToken, Actor } from "#kernel/authz/actor.ts";
import type { Grants } from "#kernel/authz/authorise.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";

export const grants = { "token.use": ROLES } satisfies Grants;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** A token's last use, and a refused one, is written down at most this often, in milliseconds. */
export const TOUCH_EVERY = MINUTE;
/** How long a token that is over stays in lists. */
export const SHOWN_AFTER_END = 30 * DAY;
/** More than anybody needs at once. */
export const MOST_ACTIVE = 50;

/**
 * What a machine identity never does, whatever its token says: decide on people's requests. Somebody who answers for it would
 * otherwise approve their own.
 */
const NEVER_BY_MACHINES: readonly Scope[] = ["access-request.decide"];

/** What a token may be used for, before its holder's role is asked. */
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

export const longestDays = (kind: UserKind, policy: TokenPolicy): number =>
  kind === "machine" ? policy.machine_days : policy.person_days;

/** When a token ends: as promised when it was made, or earlier when the policy was tightened since. */
export function endOf({ created_at, expires_at }: Times, kind: UserKind, policy: TokenPolicy): Date {
  const byPolicy = created_at.getTime() + longestDays(kind, policy) * DAY;
  return new Date(Math.min(expires_at.getTime(), byPolicy));
}

/** So many days before its end a token is told of. */
export const FIRST_NOTICE = 7;
const NOTICES = [1, FIRST_NOTICE] as const;

interface Told {
  told_days: number | null;
  told_end: Date | null;
}

/**
 * Which notice of its end is due; null: none is, or it was told. What was told of another end, before the policy changed, does
 * not count. A token that lives for less than twice as long has just been made by somebody who knows.
 */
export function noticeDue(
  { end, created_at, told_days, told_end }: Told & { end: Date; created_at: Date },
  now: Date,
): (typeof NOTICES)[number] | null {
  const [left, life] = [end.getTime() - now.getTime(), end.getTime() - created_at.getTime()];
  const due = NOTICES.find((days) => left <= days * DAY && life >= 2 * days * DAY);
  const isTold = told_days !== null && due !== undefined && told_days <= due && told_end?.getTime() === end.getTime();
  return due === undefined || left <= 0 || isTold ? null : due;
}

export interface Judged extends Times {
  kind: UserKind;
  /** Of its holder. */
  status: "active" | "disabled" | "deleted";
  revoked_at: Date | null;
  /** Suspended since the database was restored, until an administrator confirms it. */
  suspended_at: Date | null;
}

export type TokenState = "active" | "expired" | "revoked" | "suspended";

export function stateOf(token: Omit<Judged, "status">, policy: TokenPolicy, now: Date): TokenState {
  if (token.revoked_at !== null) return "revoked";
  if (endOf(token, token.kind, policy) <= now) return "expired";
  return token.suspended_at === null ? "active" : "suspended";
}

/** What keeps a token from being used; null: nothing does. A revoked one gets the answer of one that never was. */
export function objectionTo(token: Judged, policy: TokenPolicy, now: Date): Refusal | null {
  const state = stateOf(token, policy, now);
  if (state === "revoked" || token.status !== "active") return unknown();
  if (state === "suspended") return suspended();
  return state === "expired" ? refuse(401, "token.expired", "This API token has expired.") : null;
}

export const unknown = (): Refusal =>
  refuse(401, "token.unknown", "This API token is not known here, or it was revoked.");

const suspended = (): Refusal =>
  refuse(
    403,
    "token.suspended",
    "This API token is suspended because the database was restored. An administrator has to confirm it.",
  );

export const elsewhere = (): Refusal =>
  refuse(403, "token.network-not-allowed", "This API token may not be used from your network.");

/** It is good again once there is one. */
export const withoutFactor = (): Refusal =>
  refuse(
    403,
    "token.factor-needed",
    "The role of this API token's holder needs a second factor. They have to set one up first.",
  );

const atField = (field: string, message: string, code: string) =>
  refuse(400, code, message, { errors: [{ path: field, msg: message }] });

/** What a new token can be given by name, where its holder's role has these permissions. */
export const choosable = (kind: UserKind, has: (permission: Permission) => boolean): Scope[] =>
  [...effectiveScopes(Scope.options, false, kind)].filter((scope) => isOfRole(scope, has));

/** A scope that is no permission's name is a part of one that every role has. */
function isOfRole(scope: Scope, has: (permission: Permission) => boolean): boolean {
  const permission = Permission.safeParse(scope);
  return !permission.success || has(permission.data);
}

/** Throws 400 for a life longer than the policy allows. */
export function requireAllowedLife({ expires_in_days: days }: NewToken, kind: UserKind, policy: TokenPolicy): void {
  const most = longestDays(kind, policy);
  if (days <= most) return;
  throw atField("expires_in_days", `At most ${most} days here.`, "token.life-too-long");
}

/** Throws 400 for a scope that was chosen by its name and that the holder's role does not have. Sets just give less. */
export function requireScopesOfRole(scopes: readonly ScopeChoice[], has: (permission: Permission) => boolean): void {
  const tooMuch = scopes.filter((choice) => {
    const scope = Scope.safeParse(choice);
    return scope.success && !isOfRole(scope.data, has);
  });
  if (tooMuch.length === 0) return;
  throw atField("scopes", `The role does not allow ${tooMuch.join(", ")}.`, "token.scopes-beyond-role");
}

/** INVARIANT: a token that makes another one gives it nothing that it does not have itself, and no longer life. Throws 403. */
export function requireNoMore(made: NewToken, kind: UserKind, expiresAt: Date, by: ActingToken | null): void {
  if (by === null) return;
  const scopes = effectiveScopes(made.scopes, made.safe_ids !== undefined, kind);
  const keepsSafes = by.safes === null || made.safe_ids?.every((id) => by.safes?.includes(id)) === true;
  const keepsNetworks =
    by.networks.length === 0 ||
    (made.networks.length > 0 && made.networks.every((network) => by.networks.includes(network)));
  if ([...scopes].every((scope) => by.scopes.has(scope)) && keepsSafes && keepsNetworks && expiresAt <= by.expiresAt)
    return;
  throw refuse(403, "token.more-than-own", "A token cannot make one that may do more, or for longer, than itself.");
}

/** Whether somebody may revoke a token that is not theirs: who answers for its holder, and administrators. */
export function mayRevokeOthers(actor: Actor, isResponsible: boolean): boolean {
  if (isResponsible) return true;
  return actor.role === "admin" && (actor.token === null || actor.token.scopes.has("user.manage"));
}
