// Some calls ask for a fresh proof of who sits there: an open session alone is not enough for what does most harm.
import { refuse } from "../http/refuse.ts";
import type { Actor } from "./actor.ts";

/**
 * An API token cannot prove who sits there: what it was given by name it may do. For a session, throws 403 `step-up.required` when the last proof is too old; the
 * browser then asks for one and repeats the call.
 */
export function requireStepUp(actor: Actor, now: Date): void {
  if (actor.token !== null || now < actor.provedUntil) return;
  throw refuse(403, "step-up.required", "Please prove again that it is you. This call needs a fresh proof.");
}
