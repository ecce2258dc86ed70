// Notes that people are to be told something: one row in the caller's transaction, delivered to each of them afterwards.
import type { NotificationType, Severity } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { insertNotices } from "./notices.store.ts";
import type { Fold, NoticeAudience, NoticeMail, NoticeRow } from "./notices.store.ts";

/** INVARIANT: nothing of it is a secret. It is stored, shown and mailed. */
export interface Notice {
  to: NoticeAudience;
  type: NotificationType;
  title: string;
  message: string;
  severity: Severity;
  actionRequired: boolean;
  /** With `is_mailed: true` it is mailed to nobody: another mail tells them of it. */
  metadata: Record<string, unknown>;
  /** Where in the product it leads, such as `/accounts/…`. */
  link?: string | null;
  /** `always`: mailed at once, whatever the person's preferences and even if it was read. Default `wanted`. */
  mail?: NoticeMail;
  /** Told again while it is unread, it takes the place of what was told before. */
  dedupeKey?: string;
  /** What is told in one with others like it, "… and 37 more", however many there are. */
  fold?: Fold;
}

/**
 * Tells each to those who want to hear it (their preferences), once each, soon after the transaction has committed. Many take
 * no longer than one.
 */
export type Notify = (tx: Tx, ...notices: Notice[]) => Promise<void>;

export interface Settlement {
  to: NoticeAudience;
  type: NotificationType;
  /** The `dedupeKey` of what these people were told. */
  dedupeKey: string;
  /** What came of it. */
  message: string;
}

/** What waited for somebody waits no more: it counts as read, and says what came of it. In order with what is told. */
export type Settle = (tx: Tx, settlement: Settlement) => Promise<void>;

/** Wakes the delivery of every process. No reader of the event stream sees it. */
export const noticed: NewEvent = { type: "notification.noticed", audience: { users: [] }, data: {} };

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
    await events.publish(tx, noticed);
  };

const rowOf = (
  { to, type, title, message, severity, actionRequired, metadata, link, mail, dedupeKey, fold }: Notice,
  at: Date,
): NoticeRow => ({
  id: newId(at.getTime()),
  // In one order, so that the same people are told in one.
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
    await events.publish(tx, noticed);
  };
