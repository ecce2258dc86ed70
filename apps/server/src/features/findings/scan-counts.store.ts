// Counts enhanced scans for the statistics of findings.
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { visibleTargets } from "#features/discovery/index.ts";

export async function countScansSince(db: Db, actor: Actor, since: Date) {
  const { rows } = await sql<{ total_scans: number; running_scans: number }>`
    select (count(*) filter (where scan.created_at >= ${since}))::integer as total_scans,
      (count(*) filter (where scan.status in ('pending', 'running')))::integer as running_scans
    from scans scan join ${visibleTargets(actor)} seen on seen.id = scan.target_id`.execute(db);
  return rows[0]!;
}
