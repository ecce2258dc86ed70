// Which of these stored secrets a person may have validated.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { isSeen, mayValidate, seen } from "./seen.store.ts";
import type { GrantQueries, Who } from "./seen.store.ts";

export interface Triggered {
  id: string;
  may_validate: boolean;
  /** It belongs to one person. */
  is_own: boolean;
  /** Its target has refused this very secret. */
  is_refused: boolean;
}

/** Those of them that the person sees. */
export async function findTriggered(
  db: Db,
  actor: Who,
  grants: GrantQueries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Triggered>> {
  const { rows } = await sql<Triggered>`
    with ${seen(actor, grants)}
    select credentials.id, ${mayValidate(actor)} as may_validate, credentials.user_id is not null as is_own,
      rejected_revision is not distinct from login_revision as is_refused
    from credentials where credentials.id = any(${[...ids]}::uuid[]) and ${isSeen(actor)}`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
