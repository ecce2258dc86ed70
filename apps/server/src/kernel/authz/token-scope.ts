// What an API token may be used for: never more than its holder may do, and never more than it was made for.
import { scopeOf } from "@strongroom/contract";
import type { Endpoint } from "@strongroom/contract";
import { refuse } from "../http/refuse.ts";
import type { Actor } from "./actor.ts";

/** Throws 403 for a call that needs somebody signed in, and for one whose scope the token was not given. Sessions have no scopes. */
export function requireScope(endpoint: Pick<Endpoint, "needs" | "scope" | "sessionOnly">, actor: Actor | null): void {
  if (actor === null || actor.token === null || endpoint.needs === "public") return;
  const scope = scopeOf(endpoint);
  if (scope === null) throw refuse(403, "token.session-needed", "No API token can do this. Please sign in.");
  if (actor.token.scopes.has(scope)) return;
  throw refuse(403, "token.scope-missing", `This API token was not given the scope ${scope}.`);
}
