// Queues notices: one row in the caller's transaction, delivered to each recipient afterwards.
import type { NotificationType, Severity } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { insertNotices } from "./notices.store.ts";
import type { NoticeGrouping, NoticeAudience, NoticeMail, NoticeRow } from "./notices.store.ts";

/** INVARIANT: a notice contains no secret. It is stored, shown and emailed. */
export interface Notice {
  to: NoticeAudience;
  type: NotificationType;
  title: string;
  message: string;
  severity: Severity;
  actionRequired: boolean;
  /** If the metadata contains `is_mailed: true`, no email is sent, because the recipients get a separate one. */
  metadata: Record<string, unknown>;
  /** The path that the notification links to, such as `/accounts/…`. */
  link?: string | null;
  /**
   * `always`: emailed immediately, regardless of the user's preferences and even if the notification was already read.
   * Default: `wanted`.
   */
  mail?: NoticeMail;
  /** A notice with the same key replaces the unread notification. */
  dedupeKey?: string;
  /** Merges any number of notices of the same kind into one notification, such as "… and 37 more". */
  fold?: NoticeGrouping;
}

/**
 * Notifies each recipient whose preferences allow it, once, soon after the transaction has committed. Many notices take
 * no longer than a single one.
 */
export type Notify = (tx: Tx, ...notices: Notice[]) => Promise<void>;

export interface Settlement {
  to: NoticeAudience;
  type: NotificationType;
  /** The `dedupeKey` of the notices to settle. */
  dedupeKey: string;
  /** The result, which replaces the message. */
  message: string;
}

/**
 * Settles notifications that asked for an action: marks them as read and shows the result. Processed in the same order
 * as `Notify`.
 */
export type Settle = (tx: Tx, settlement: Settlement) => Promise<void>;

/** Wakes the delivery of every process. No client of the event stream receives it. */
export const noticeQueued: NewEvent = { type: "notification.noticed", audience: { users: [] }, data: {} };

export const notifyOf =
  ({ clock, events }: Pick<Kernel, "clock" | "events">): Notify =>
  async (tx, ...notices) => {
    const heard = notices.filter(({ to }) => to.users.length > 0 || (to.roles ?? []).length > 0);
    if (heard.length === 0) return;
    const at = clock.now();
    await insertNotices(
      tx,
      heard.map((notice) => rowOf(notice, at)),
    );
    await events.publish(tx, noticeQueued);
  };

const rowOf = (
  { to, type, title, message, severity, actionRequired, metadata, link, mail, dedupeKey, fold }: Notice,
  at: Date,
): NoticeRow => ({
  id: newId(at.getTime()),
  // Sorted, so that notices for the same users are grouped.
  audience: { ...to, users: [...new Set(to.users)].toSorted() },
  type,
  severity,
  title,
  message,
  action_required: actionRequired,
  metadata,
  link: link ?? null,
  mail: mail ?? "wanted",
  dedupe_key: dedupeKey ?? null,
  fold: fold ?? null,
  settles: false,
  created_at: at,
});

export const settleOf =
  ({ clock, events }: Pick<Kernel, "clock" | "events">): Settle =>
  async (tx, { to, type, dedupeKey, message }) => {
    const at = clock.now();
    const row: NoticeRow = {
      id: newId(at.getTime()),
      audience: to,
      type,
      severity: "low",
      title: "",
      message,
      action_required: false,
      metadata: {},
      link: null,
      mail: "wanted",
      dedupe_key: dedupeKey,
      fold: null,
      settles: true,
      created_at: at,
    };
    await insertNotices(tx, [row]);
    await events.publish(tx, noticeQueued);
  };
