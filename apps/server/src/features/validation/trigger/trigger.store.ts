// Reads which of the selected secrets a user may validate.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { isVisibleSecret, visibleSecrets } from "#features/figures/index.ts";
import { mayValidate } from "../narrowing.store.ts";
import type { GrantQueries, Viewer } from "#features/figures/index.ts";

export interface Triggered {
  id: string;
  may_validate: boolean;
  /** Whether the secret is a personal credential. */
  is_own: boolean;
  /** Whether the target has rejected this secret. */
  is_refused: boolean;
}

/** Returns those of the selected secrets that the user can see. */
export async function findTriggered(
  db: Db,
  actor: Viewer,
  grants: GrantQueries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Triggered>> {
  const { rows } = await sql<Triggered>`
    with ${visibleSecrets(actor, grants)}
    select credentials.id, ${mayValidate(actor)} as may_validate, credentials.user_id is not null as is_own,
      rejected_revision is not distinct from login_revision as is_refused
    from credentials where credentials.id = any(${[...ids]}::uuid[]) and ${isVisibleSecret(actor)}`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
