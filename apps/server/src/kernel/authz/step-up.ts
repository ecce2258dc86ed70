// Some calls ask for a fresh proof of who sits there: an open session alone is not enough for what does most harm.
import { refuse } from "../http/refuse.ts";
import type { Refusal } from "../http/refuse.ts";
import type { Actor } from "./actor.ts";

/**
 * Null, or the refusal 403 `step-up.required` when the last proof of a session is too old; the browser then asks for one and
 * repeats the call. An API token cannot prove who sits there: what it was given by name it may do.
 */
export function stepUpRefusal(actor: Actor, now: Date): Refusal | null {
  if (actor.token !== null || now < actor.provedUntil) return null;
  return refuse(403, "step-up.required", "Please prove again that it is you. This call needs a fresh proof.");
}

/** Throws what `stepUpRefusal` answers. */
export function requireStepUp(actor: Actor, now: Date): void {
  const refusal = stepUpRefusal(actor, now);
  if (refusal !== null) throw refusal;
}
