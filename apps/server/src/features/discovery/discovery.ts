// The context of discovery, its refusals and events.
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { NetworkPolicy } from "@strongroom/connectors";
import type { AccountsFeature } from "#features/accounts/index.ts";
import type { FirstRotations } from "#features/rotation/index.ts";
import { membersWho } from "#features/safes/index.ts";

export interface DiscoveryContext {
  kernel: Kernel;
  network: NetworkPolicy;
  accounts: Pick<AccountsFeature, "discardUnknown" | "hold" | "insert" | "requireSecret">;
  firstRotations: FirstRotations;
}

/** The actor of every call. */
export type Caller = Actor;

/** The same refusal for a target that does not exist and one that this user cannot see. */
export const targetNotFound = (): Refusal => refuse(404, "discovery.target-not-found", "Discovery target not found");

export const scanNotFound = (): Refusal => refuse(404, "discovery.scan-not-found", "Scan not found");

export const mayNotManage = (): Refusal =>
  refuse(403, "discovery.not-allowed", "You need permission to add accounts to the target's safe.");

/** The target of audit entries. */
export const auditTarget = ({ id, name }: { id: string; name: string }) => ({ type: "discovery-target", id, name });

/** The event for the users who see the target. */
export const changed = (db: Db, { id, safe_id }: { id: string; safe_id: string }): Promise<NewEvent> =>
  changedInSafe(db, safe_id, id);

/** The event for the users who see what discovery found in the safe. */
export async function changedInSafe(db: Db, safe_id: string, targetId: string | null = null): Promise<NewEvent> {
  const users = new Set([...(await membersWho(db, safe_id, "add")), ...(await membersWho(db, safe_id, "view_audit"))]);
  return {
    type: "discovery.changed",
    audience: { users: [...users], roles: ["admin"] },
    data: { target_id: targetId },
  };
}
