// Resets rotations of a restored database. Their journals lack the changes sent since the backup.
import { sql } from "kysely";
import type { Tx } from "#kernel/db/database.ts";

const SAYS = "The database was restored. Strongroom verifies which secret is active before it changes anything.";

/**
 * INVARIANT: a restored rotation sends no change before it has verified which secret is active. Its candidate may be
 * live on the target although the journal says it was never sent, and a rejected secret may have become live. So each
 * rotation with a candidate continues as if its last reply had been lost. Returns the number of these rotations.
 */
export async function distrustJournals(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    update rotations set step = 'doubtful', journal = journal || '{"step": "doubtful", "dead": [], "looks": 0}'::jsonb,
      lease_token = null, lease_until = null, message = ${SAYS},
      next_at = case when needs_attention then next_at else access_time() end
    where step in ('stored', 'sent', 'answered', 'doubtful') and journal->>'candidate' is not null
    returning id`.execute(tx);
  await sql`
    insert into rotation_lines (rotation_id, number, step, message, at)
    select id, (select coalesce(max(number), 0) + 1 from rotation_lines where rotation_id = id), 'doubtful', ${SAYS}, access_time()
    from unnest(${rows.map(({ id }) => id)}::uuid[]) id`.execute(tx);
  return rows.length;
}
