// Database queries for notices, which are queued for delivery.
import type { NotificationType, Severity } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, JSONColumnType, Selectable } from "kysely";
import type { Tx } from "#kernel/db/database.ts";

/** The audience of a notice: the listed users and all users with the listed roles. */
export interface NoticeAudience {
  users: readonly string[];
  roles?: readonly string[];
}

export interface NoticeGrouping {
  /** Unread notices with the same key are merged into one notification. */
  key: string;
  /** The title of the summary; `{n}` is replaced with the number of subjects. */
  title: string;
  /** The link of the summary; default: the validation dashboard. */
  link?: string;
  subject: { key: string; name: string };
}

/** Whether a notice is emailed only to users who want emails, or to every recipient. */
export type NoticeMail = "wanted" | "always";

interface NoticesTable {
  id: string;
  audience: JSONColumnType<NoticeAudience>;
  type: NotificationType;
  severity: Severity;
  title: string;
  message: string;
  action_required: boolean;
  metadata: JSONColumnType<Record<string, unknown>>;
  link: string | null;
  mail: NoticeMail;
  dedupe_key: string | null;
  fold: ColumnType<NoticeGrouping | null, string | null, never>;
  /** Whether the notice settles the notification with the same key instead of adding a new one. */
  settles: boolean;
  created_at: Date;
  /** Preserves the order in which notices were written, even within a millisecond. */
  seq: ColumnType<string, never, never>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    notices: NoticesTable;
  }
}

export type NoticeRow = Omit<Selectable<NoticesTable>, "seq">;

/** The number of rows per insert. Stays below PostgreSQL's limit of parameters per statement. */
const AT_ONCE = 1000;

export async function insertNotices(tx: Tx, rows: readonly NoticeRow[]): Promise<void> {
  for (let begin = 0; begin < rows.length; begin += AT_ONCE) {
    const values = rows.slice(begin, begin + AT_ONCE).map(({ audience, metadata, fold, ...row }) => ({
      ...row,
      audience: JSON.stringify(audience),
      metadata: JSON.stringify(metadata),
      fold: fold === null ? null : JSON.stringify(fold),
    }));
    await tx.insertInto("notices").values(values).execute();
  }
}

/** An arbitrary number for the advisory lock that all deliveries share. */
const DELIVERY_LOCK = 7_305_808_871;

/**
 * Takes the oldest notices, up to the limit. A lock ensures that only one delivery runs at a time across all processes.
 */
export async function takeNotices(tx: Tx, limit: number): Promise<NoticeRow[]> {
  await sql`select pg_advisory_xact_lock(${DELIVERY_LOCK})`.execute(tx);
  const oldest = tx.selectFrom("notices").select("id").orderBy("seq").limit(limit);
  const taken = await tx.deleteFrom("notices").where("id", "in", oldest).returningAll().execute();
  return taken.toSorted((a, b) => Number(a.seq) - Number(b.seq));
}
