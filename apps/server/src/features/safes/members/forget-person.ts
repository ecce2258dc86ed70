// Removes a deleted user from every safe. Safes that they own must be transferred first.
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { countOwned, deleteMemberships, safesOfMember } from "./members.store.ts";
import { audienceOfSafe, changed } from "../safes.ts";
import { lockSafes } from "../safes.store.ts";

/** Throws 409 for the owner of a safe, so that no shared safe is lost with a user. */
export async function removePersonFromSafes(kernel: Kernel, tx: Tx, userId: string): Promise<void> {
  const ids = await safesOfMember(tx, userId);
  await lockSafes(tx, ids, "no key update");
  const owned = await countOwned(tx, userId);
  if (owned > 0) {
    const safes = owned === 1 ? "a safe" : `${owned} safes`;
    throw refuse(409, "user.owns-safes", `This user owns ${safes}. Choose another owner first.`);
  }
  await deleteMemberships(tx, userId);
  for (const id of ids) await kernel.events.publish(tx, changed(id, await audienceOfSafe(tx, id)));
}
