// Limits users who wait for activation to the calls that are open to them.
import type { Endpoint } from "@strongroom/contract";
import { refuse } from "../http/refuse.ts";
import type { Actor } from "./actor.ts";

/** INVARIANT: only calls that declare it are open to them. Throws 403 `account.awaiting-activation`. */
export function requireActivated(endpoint: Pick<Endpoint, "whilePending">, actor: Actor | null): void {
  if (actor?.isPending !== true || endpoint.whilePending === true) return;
  throw refuse(
    403,
    "account.awaiting-activation",
    "Your account is waiting for activation. Until an administrator activates it, you can use your profile and your personal vault.",
  );
}
