// Some calls ask for a fresh proof of who sits there: an open session alone is not enough for what does most harm.
import type { Endpoint } from "@strongroom/contract";
import { refuse } from "../http/refuse.ts";
import type { Refusal } from "../http/refuse.ts";
import type { Actor } from "./actor.ts";
import { giftRefusal } from "./token-scope.ts";

/**
 * Null, or the refusal 403 `step-up.required` when the last proof of a session is too old; the browser then asks for one and
 * repeats the call. An API token cannot prove that its holder is present: giving something to someone else needs the scope that
 * the endpoint names, and a call whose result only the holder receives needs no proof.
 */
export function stepUpRefusal(endpoint: Endpoint, actor: Actor, now: Date): Refusal | null {
  if (actor.token !== null) return giftRefusal(endpoint, actor.token);
  if (now < actor.provedUntil) return null;
  return refuse(403, "step-up.required", "Please prove again that it is you. This call needs a fresh proof.");
}

/** Throws what `stepUpRefusal` answers. */
export function requireStepUp(endpoint: Endpoint, actor: Actor, now: Date): void {
  const refusal = stepUpRefusal(endpoint, actor, now);
  if (refusal !== null) throw refusal;
}
