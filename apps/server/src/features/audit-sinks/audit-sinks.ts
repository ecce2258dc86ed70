// Lists sinks with their settings and positions.
import { AuditSinkId } from "@strongroom/contract";
import type { AuditSink, ReplyOf, listAuditSinks } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { isLagging, stateOf } from "./audit-sinks.policy.ts";
import { listSinks } from "./audit-sinks.store.ts";
import type { SinkRow } from "./audit-sinks.store.ts";
import type { AuditSinkContext } from "./context.ts";

export async function showSinks(context: AuditSinkContext, db: Db): Promise<ReplyOf<typeof listAuditSinks>> {
  const rows = await listSinks(db);
  const { size } = await context.outlet.reach(db);
  return { sinks: await Promise.all(rows.map((row) => showSink(context, db, row))), size, folder: context.folder };
}

export async function showSink(context: AuditSinkContext, db: Db, row: SinkRow): Promise<AuditSink> {
  const behind = await behindOf(context, db, row);
  const { cursor, delivered, last_error: lastError } = row;
  const has = (name: string) => row.secret_names.includes(name);
  return {
    id: AuditSinkId.parse(row.id),
    name: row.name,
    content: row.content,
    format: row.format,
    every_seconds: row.every_seconds,
    config: row.config,
    has_hmac_key: has("hmac_key"),
    has_authorization: has("authorization"),
    has_client_key: has("client_key"),
    is_enabled: row.is_enabled,
    status: {
      state: stateOf(row, behind.seconds),
      cursor,
      behind_entries: behind.entries,
      behind_seconds: behind.seconds,
      delivered,
      last_success_at: row.last_success_at?.toISOString() ?? null,
      last_error: lastError,
      last_error_at: row.last_error_at?.toISOString() ?? null,
      next_attempt_at: row.is_enabled ? (row.retry_at?.toISOString() ?? null) : null,
    },
    cosigned_checkpoint: row.cosigned,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/**
 * How many entries the sink has not received yet, and the age of the oldest (for checkpoints: the oldest that covers
 * such an entry).
 */
async function behindOf({ outlet, kernel }: AuditSinkContext, db: Db, { content, cursor }: SinkRow) {
  const { size, signed } = await outlet.reach(db);
  const entries = Math.max(0, (content === "entries" ? size : signed) - cursor);
  if (entries === 0) return { entries, seconds: 0 };
  const since =
    content === "entries"
      ? await outlet.recordedAt(db, cursor)
      : ((await outlet.checkpointAfter(db, cursor))?.signed_at ?? null);
  const age = since === null ? 0 : kernel.clock.now().getTime() - since.getTime();
  return { entries, seconds: Math.max(0, Math.floor(age / 1000)) };
}

/** The problem for the server's health. It names no sink, because health is public. */
export async function problemOf(context: AuditSinkContext): Promise<string | null> {
  const { db } = context.kernel.database;
  const enabled = (await listSinks(db)).filter(({ is_enabled: isEnabled }) => isEnabled);
  const behind = await Promise.all(
    enabled.map(async (row) => isLagging(row, (await behindOf(context, db, row)).seconds)),
  );
  const count = behind.filter(Boolean).length;
  if (count === 0) return null;
  return count === 1
    ? "An audit sink is more than 5 minutes behind"
    : `${count} audit sinks are more than 5 minutes behind`;
}

export const notFound = () => refuse(404, "audit-sink.not-found", "Audit sink not found");
