// Notices: what waits to be delivered.
import type { NotificationType, Severity } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, JSONColumnType, Selectable } from "kysely";
import type { Tx } from "#kernel/db/database.ts";

/** Whom a notice is for; both add up. */
export interface NoticeAudience {
  users: readonly string[];
  roles?: readonly string[];
}

export interface Fold {
  /** What has the same key is told in one as long as it is unread. */
  key: string;
  /** The title for several; `{n}` stands for how many. */
  title: string;
  /** The link of a summary of several; default: the validation dashboard. */
  link?: string;
  subject: { key: string; name: string };
}

/** Whether a notice is mailed only to people who want mails, or to everyone it is for. */
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
  fold: ColumnType<Fold | null, string | null, never>;
  /** It tells what came of what was told under the same key. */
  settles: boolean;
  created_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    notices: NoticesTable;
  }
}

export type NoticeRow = Selectable<NoticesTable>;

/** By one statement, below the number of values that it can take. */
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

/** Any number shared by all deliveries and by nothing else. */
const DELIVERY_LOCK = 7_305_808_871;

/** Takes the oldest notices, at most so many. Deliveries follow each other, in all processes. */
export async function takeNotices(tx: Tx, limit: number): Promise<NoticeRow[]> {
  await sql`select pg_advisory_xact_lock(${DELIVERY_LOCK})`.execute(tx);
  const oldest = tx.selectFrom("notices").select("id").orderBy("created_at").orderBy("id").limit(limit);
  const taken = await tx.deleteFrom("notices").where("id", "in", oldest).returningAll().execute();
  return taken.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime());
}
