// Decides who may see and use a credential: only its owner may, whatever role other users have.
import { ROLES } from "@strongroom/contract";
import { sql } from "kysely";
import type { ExpressionBuilder, ExpressionWrapper, RawBuilder, SqlBool } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { RolePermissions } from "#kernel/authz/authorise.ts";
import type { Tables } from "#kernel/db/tables.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { isNotDeleted } from "#features/secrets/index.ts";

export const rolePermissions: RolePermissions = {
  "credential.list": ROLES,
  "credential.read": ROLES,
  "credential.create": ROLES,
  "credential.update": ROLES,
  "credential.delete": ROLES,
  "credential.reveal": ROLES,
};

export function mayUse(credential: { user_id: string | null }, actor: Pick<Actor, "id">): boolean {
  return credential.user_id === actor.id;
}

/**
 * Returns null or the refusal 403 `vault.closed`. INVARIANT: while a vault is closed after a reset of its owner's
 * sign-in, no call opens, changes, verifies, rotates or deletes its credentials. New secrets can be stored, and names
 * can be read.
 */
export function closureRefusal({ closure }: Pick<Actor, "closure">): Refusal | null {
  if (closure === null) return null;
  const until = closure.until?.toISOString().slice(0, 16).replace("T", " ");
  const when = until === undefined ? "until you prove an earlier second factor" : `until ${until} UTC`;
  return refuse(
    403,
    "vault.closed",
    `Your vault is closed ${when} because another person reset your sign-in. See your vault for how to open it now.`,
  );
}

export function requireOpenVault(actor: Pick<Actor, "closure">): void {
  const refusal = closureRefusal(actor);
  if (refusal !== null) throw refusal;
}

/** The rule of `mayUse` in SQL, for lists. No user can see a deleted credential. */
export function isUsableBy(actor: Pick<Actor, "id">) {
  return (where: ExpressionBuilder<Tables, "credentials">): ExpressionWrapper<Tables, "credentials", SqlBool> =>
    where.and([where("credentials.user_id", "=", actor.id), where("credentials.deleted_at", "is", null)]);
}

/**
 * The same rule for rows that are found by their id. It is written so that only the index on ids can be used: in a
 * table without statistics, the planner assumes that "not deleted" is rare and would read every row to find one.
 */
export const isFoundAndUsableBy = (actor: Pick<Actor, "id">): RawBuilder<SqlBool> =>
  sql`(credentials.user_id is not distinct from ${actor.id}::uuid and ${isNotDeleted})`;
