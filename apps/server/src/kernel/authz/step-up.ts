// Requires re-authentication for sensitive calls: an open session alone is not enough.
import type { Endpoint } from "@strongroom/contract";
import { refuse } from "../http/refuse.ts";
import type { Refusal } from "../http/refuse.ts";
import type { Actor } from "./actor.ts";
import { refusalToGive } from "./token-scope.ts";

/**
 * Returns 403 `step-up.required` if the session's last authentication is too old, otherwise null. The browser then asks the user
 * to re-authenticate and repeats the call. An API token cannot prove that its owner is present: giving access to other
 * users needs the scope that the endpoint names, and a call whose result only the owner receives needs no proof.
 */
export function stepUpRefusal(endpoint: Endpoint, actor: Actor, now: Date): Refusal | null {
  if (actor.token !== null) return refusalToGive(endpoint, actor.token);
  if (now < actor.provedUntil) return null;
  return refuse(403, "step-up.required", "Please authenticate again. This call requires recent authentication.");
}

/** Throws the refusal that `stepUpRefusal` returns, if any. */
export function requireStepUp(endpoint: Endpoint, actor: Actor, now: Date): void {
  const refusal = stepUpRefusal(endpoint, actor, now);
  if (refusal !== null) throw refusal;
}
