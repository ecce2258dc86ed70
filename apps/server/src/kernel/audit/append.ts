// Appends entries to the audit trail, in the transaction of the recorded action.
import type { AuditEntry } from "@strongroom/auditlog";
import { encodeEntry, grantOf } from "@strongroom/auditlog";
import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { pipelined } from "../db/pipelined-pool.ts";
import { afterCommit } from "../db/transaction-hooks.ts";
import { awaitPlaces, pendingKeysOf, stamp } from "./pending-keys.ts";

/**
 * Appends any number of entries in one statement. Each entry is durable when the transaction commits, and marked as pending, so
 * that the sequencer finds it whatever the order of commits. The statement is pipelined with the next one, usually the commit.
 *
 * This is the hottest write. It is prepared once per connection, and its arrays are behind a `select`, so that PostgreSQL does
 * not see their lengths and settles on one plan instead of planning each call again.
 */
export async function appendAudit(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const column = <T>(pick: (entry: AuditEntry) => T): T[] => entries.map(pick);
  const encoded = entries.map((entry) => ({ id: entry.id, canonical: encodeEntry(entry) }));
  const keys = pendingKeysOf(tx);
  const { name, macs } = stamp(keys, encoded);
  const statement = sql`
    with entry as materialized (
      select nextval('audit_seq') as seq, * from unnest(
        (select ${column((entry) => entry.id)}::uuid[]),
        (select ${column((entry) => entry.at)}::timestamptz[]),
        (select ${column((entry) => entry.event)}::text[]),
        (select ${column((entry) => ("id" in entry.actor ? entry.actor.id : null))}::uuid[]),
        (select ${column((entry) => ("id" in entry.actor ? entry.actor.name : entry.actor.system))}::text[]),
        (select ${column((entry) => entry.target?.type ?? null)}::text[]),
        (select ${column((entry) => entry.target?.id ?? null)}::text[]),
        (select ${column((entry) => entry.result)}::text[]),
        (select ${column((entry) => entry.severity ?? null)}::text[]),
        (select ${column(grantOf)}::uuid[]),
        (select ${encoded.map(({ canonical }) => canonical)}::bytea[]),
        (select ${macs}::bytea[])
      ) as entry (id, at, event, actor_id, actor_name, target_type, target_id, result, severity, grant_id, canonical, mac)
    ), added as (
      insert into audit_entries
        (seq, id, at, event, actor_id, actor_name, target_type, target_id, result, severity, grant_id, canonical)
      select seq, id, at, event, actor_id, actor_name, target_type, target_id, result, severity, grant_id, canonical from entry
    )
    insert into audit_pending (entry_id, seq, mac, mac_key) select id, seq, mac, (select ${name}::text) from entry
  `;
  await tx.executeQuery(pipelined("audit.append", statement.compile(tx)));
  if (keys === null) return;
  const ids = entries.map(({ id }) => id);
  afterCommit(tx, () => awaitPlaces(keys, ids, performance.now()));
}
