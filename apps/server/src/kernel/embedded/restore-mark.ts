// Leaves a mark in a restored database of any version, so that the next start knows that it was restored.
import type pg from "pg";

export interface RestoreMark {
  /** `restore` means that `strongroom restore` left the mark; `command` means that an operator ran `strongroom restored`. */
  found_by: "restore" | "command";
  backup_made_at: Date | null;
  is_authenticated: boolean | null;
}

/** The same definition as in migration 0035. */
const TABLE = `create table if not exists restore_marks (
  id               uuid primary key default gen_random_uuid(),
  found_by         text not null,
  backup_made_at   timestamptz,
  is_authenticated boolean,
  marked_at        timestamptz not null default clock_timestamp()
)`;

export async function markRestored(pool: Pick<pg.Pool, "query">, mark: RestoreMark): Promise<void> {
  await pool.query(TABLE);
  await pool.query("insert into restore_marks (found_by, backup_made_at, is_authenticated) values ($1, $2, $3)", [
    mark.found_by,
    mark.backup_made_at,
    mark.is_authenticated,
  ]);
}
