// SQL conditions that the validation lists share: system family, name, and the permission to validate.
import type { SystemFamily } from "@strongroom/contract";
import { sql } from "kysely";
import type { Sql, Viewer } from "#features/figures/index.ts";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";
import { containing } from "#kernel/db/containing.ts";
import { FAMILIES } from "./validation.policy.ts";

/** Whether the actor may validate the secret in the row of `credentials`. */
export const mayValidate = (actor: Viewer): Sql => sql`(coalesce(credentials.user_id = ${actor.id}, false) or exists (
    select from ${effectivePermissionsOf(actor)} standing
    where standing.safe_id = credentials.safe_id and standing.permissions & ${sql.lit(bitOf("manage_secret"))} <> 0))`;

export const systemType = sql<string>`coalesce(accounts.system_type, credentials.type)`;

const NAMED = Object.values(FAMILIES).flat();

/** `type` is an SQL expression such as `systemType`. */
export function isOfFamily(type: Sql, family: SystemFamily): Sql {
  return family === "Other"
    ? sql`${type} <> all(${[...NAMED]}::text[])`
    : sql`${type} = any(${[...FAMILIES[family]]}::text[])`;
}

/** Matches name, user name or host. `text` is case-folded and not empty. */
export const isNamed = (text: string): Sql => sql`(credentials.search_text like ${containing(text)}
    or credentials.user_id is not null and lower(coalesce(credentials.host, '')) like ${containing(text)})`;
