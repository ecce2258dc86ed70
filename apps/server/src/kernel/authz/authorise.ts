// The one place that decides whether a role has a permission. What a permission reaches is for the features' policies.
import type { Needs, Permission, Role } from "@strongroom/contract";
import { refuse } from "../http/refuse.ts";
import type { Actor } from "./actor.ts";

/** Which roles have which permission; each feature's policy contributes its own. */
export type Grants = Partial<Record<Permission, readonly Role[]>>;

export interface Authority {
  /** Adds a feature's grants. Throws when a permission is granted twice: two features would disagree. */
  grant(grants: Grants): void;
  /** Whether a role has a permission. */
  allows(permission: Permission, role: Role): boolean;
  /** Throws the refusal that fits: 401 for nobody, 403 for the wrong role. Nothing is allowed by omission. */
  require(needs: Needs, actor: Actor | null): void;
}

export function createAuthority(): Authority {
  const rolesOf = new Map<Permission, readonly Role[]>();
  const allows = (permission: Permission, role: Role) => rolesOf.get(permission)?.includes(role) === true;
  return {
    allows,
    grant(grants) {
      for (const [permission, roles] of Object.entries(grants) as [Permission, readonly Role[]][]) {
        if (rolesOf.has(permission)) throw new Error(`two features grant ${permission}`);
        rolesOf.set(permission, roles);
      }
    },
    require(needs, actor) {
      if (needs === "public") return;
      if (actor === null) throw refuse(401, "session.missing", "Authentication required. Please log in.");
      if (needs === "signed-in") return;
      if (!allows(needs, actor.role)) {
        throw refuse(403, "role.insufficient", "Your role does not allow this.");
      }
    },
  };
}
