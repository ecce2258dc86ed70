// Limits API tokens to their scopes. A token never exceeds its owner's permissions.
import { scopeOf } from "@strongroom/contract";
import type { Endpoint, Scope } from "@strongroom/contract";
import { refuse } from "../http/refuse.ts";
import type { Refusal } from "../http/refuse.ts";
import type { ActingToken, Actor } from "./actor.ts";

/** Throws 403 for a call that needs a session, and for a call whose scope the token lacks. Sessions have no scopes. */
export function requireScope(
  endpoint: Pick<Endpoint, "needs" | "scope" | "sessionOnly" | "gives" | "stepUp" | "givesByToken">,
  actor: Actor | null,
): void {
  if (actor === null || actor.token === null || endpoint.needs === "public") return;
  const scope = scopeOf(endpoint);
  if (scope === null) throw sessionNeeded();
  if (actor.token.scopes.has(scope)) return;
  throw scopeMissing(scope);
}

/**
 * Null if this call, with this input, gives no access to other users, or if the token has the scope for giving it.
 * INVARIANT: a scope for changing objects never includes giving other users access to them.
 */
export function refusalToGive({ gives, givesByToken }: Endpoint, { scopes }: ActingToken): Refusal | null {
  if (gives === undefined || gives === "nothing") return null;
  if (givesByToken === undefined) return sessionNeeded();
  return scopes.has(givesByToken) ? null : scopeMissing(givesByToken);
}

const sessionNeeded = (): Refusal =>
  refuse(403, "token.session-needed", "API tokens cannot make this call. Please sign in.");

const scopeMissing = (scope: Scope): Refusal =>
  refuse(403, "token.scope-missing", `This API token does not have the scope ${scope}.`);
