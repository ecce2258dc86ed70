// Decides whether a role has a permission. The features' policies decide which objects the permission covers.
import type { Needs, Permission, Role, Scope } from "@strongroom/contract";
import { refuse } from "../http/refuse.ts";
import type { Actor } from "./actor.ts";

/** The roles of each permission. Each feature's policy contributes its own permissions. */
export type RolePermissions = Partial<Record<Permission, readonly Role[]>>;

export interface Authority {
  /** Adds a feature's role permissions. Throws if two features define the same permission. */
  grant(grants: RolePermissions): void;
  /** Whether a role has a permission. */
  allows(permission: Permission, role: Role): boolean;
  /** Throws 401 for an anonymous caller and 403 for the wrong role. Permissions are denied by default. */
  require(needs: Needs, actor: Actor | null): void;
}

/** Whether the caller's role has a permission, and the caller's token has it as a scope. */
export const hasPermission = (
  authority: Authority,
  { role, token }: Pick<Actor, "role" | "token">,
  permission: Permission & Scope,
): boolean => authority.allows(permission, role) && (token === null || token.scopes.has(permission));

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
