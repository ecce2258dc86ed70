// Database queries for sinks: their settings, positions and leases.
import type { AuditSink, AuditSinkConfig, AuditSinkFormat } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Generated, Insertable, Selectable, Updateable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface AuditSinksTable {
  id: string;
  name: string;
  content: AuditSink["content"];
  format: AuditSinkFormat;
  every_seconds: number;
  config: ColumnType<AuditSinkConfig, string, string>;
  sealed_secrets: Buffer | null;
  secret_names: string[];
  is_enabled: boolean;
  revision: Generated<number>;
  cursor: number;
  settled: number;
  delivered: Generated<number>;
  failures: Generated<number>;
  last_success_at: ColumnType<Date | null, undefined, Date>;
  last_error: ColumnType<string | null, undefined, string>;
  last_error_at: ColumnType<Date | null, undefined, Date>;
  retry_at: ColumnType<Date | null, undefined, Date | null>;
  cosigned: ColumnType<string | null, undefined, string>;
  lease_by: ColumnType<string | null, undefined, string | null>;
  lease_until: ColumnType<Date | null, undefined, Date | null>;
  created_at: Date;
  updated_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    audit_sinks: AuditSinksTable;
  }
}

export type SinkRow = Selectable<AuditSinksTable>;

/** Returns all sinks, sorted by name. */
export const listSinks = (db: Db): Promise<SinkRow[]> =>
  db
    .selectFrom("audit_sinks")
    .selectAll()
    .orderBy(sql`lower(name)`)
    .execute();

export const findSink = (db: Db, id: string): Promise<SinkRow | undefined> =>
  db.selectFrom("audit_sinks").selectAll().where("id", "=", id).executeTakeFirst();

/** Locks a sink before a change. */
export const lockSink = (tx: Tx, id: string): Promise<SinkRow | undefined> =>
  tx.selectFrom("audit_sinks").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();

/** Serialises checks that span all sinks, such as unique names. */
export async function lockSinks(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(7305808875)`.execute(tx);
}

export const insertSink = (tx: Tx, row: Insertable<AuditSinksTable>): Promise<SinkRow> =>
  tx.insertInto("audit_sinks").values(row).returningAll().executeTakeFirstOrThrow();

/** Changes a sink, ends any current lease on it and makes it due immediately. */
export const changeSink = (tx: Tx, id: string, changes: Updateable<AuditSinksTable>): Promise<SinkRow> =>
  tx
    .updateTable("audit_sinks")
    .set({ ...changes, failures: 0, retry_at: null, lease_by: null, lease_until: null })
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

export async function removeSink(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("audit_sinks").where("id", "=", id).execute();
}

/** Longer than any single attempt takes. */
const LEASE = sql<Date>`now() + interval '60 seconds'`;

/** Leases the sinks that are behind the log and that no process delivers to. */
export async function claimSinks(
  tx: Tx,
  process: string,
  reach: { size: number; signed: number },
  now: Date,
): Promise<SinkRow[]> {
  return tx
    .updateTable("audit_sinks")
    .set({ lease_by: process, lease_until: LEASE })
    .where("id", "in", (from) =>
      from.selectFrom("audit_sinks").select("id").where(isDue(reach, now)).forUpdate().skipLocked(),
    )
    .returningAll()
    .execute();
}

/** Checks for due sinks with a read, so that an idle server writes nothing. */
export async function isAnyDue(db: Db, reach: { size: number; signed: number }, now: Date): Promise<boolean> {
  const found = await db.selectFrom("audit_sinks").select("id").where(isDue(reach, now)).limit(1).executeTakeFirst();
  return found !== undefined;
}

const isDue = ({ size, signed }: { size: number; signed: number }, now: Date) => sql<boolean>`
  is_enabled and (lease_until is null or lease_until < now()) and (retry_at is null or retry_at <= ${now})
  and case content
    when 'entries' then cursor <> ${size}
    else cursor <> ${signed}
      and (last_success_at is null or last_success_at <= ${now}::timestamptz - every_seconds * interval '1 second')
  end`;

export interface Progress {
  cursor: number;
  settled: number;
  count: number;
  at: Date;
  cosigned?: string;
}

/**
 * Records progress and renews the lease. Null if the caller lost the sink: it was changed, disabled, deleted, or
 * claimed by another process.
 */
export async function recordProgress(tx: Tx, sink: SinkRow, progress: Progress): Promise<SinkRow | null> {
  const { cursor, settled, count, at, cosigned } = progress;
  const row = await tx
    .updateTable("audit_sinks")
    .set({ cursor, settled, failures: 0, retry_at: null, last_success_at: at, lease_until: LEASE })
    .set((own) => ({ delivered: own("delivered", "+", count) }))
    .$if(cosigned !== undefined, (query) => query.set({ cosigned: cosigned! }))
    .where(isOurs(sink))
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Records the failure and releases the lease. False if the caller lost the sink. */
export async function recordFailure(
  tx: Tx,
  sink: SinkRow,
  failure: { cursor: number; message: string; at: Date; retryAt: Date },
): Promise<boolean> {
  const { cursor, message, at, retryAt } = failure;
  const { numUpdatedRows } = await tx
    .updateTable("audit_sinks")
    .set({ cursor, settled: cursor, last_error: message, last_error_at: at, retry_at: retryAt })
    .set({ failures: sink.failures + 1, lease_by: null, lease_until: null })
    .where(isOurs(sink))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function releaseSink(tx: Tx, sink: SinkRow): Promise<void> {
  await tx.updateTable("audit_sinks").set({ lease_by: null, lease_until: null }).where(isOurs(sink)).execute();
}

const isOurs = ({ id, lease_by: process, revision }: SinkRow) =>
  sql<boolean>`id = ${id} and lease_by = ${process} and revision = ${revision} and is_enabled`;
