// Delivers notices to their recipients, filtered by their preferences and grouped.
import type { UserId } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import type { NoticeRow } from "./notices.store.ts";
import { takeNotices } from "./notices.store.ts";
import { mailAtOnce, queueMails } from "./mail-notification.ts";
import { NO_SUBJECTS, countOf, isWanted, namesOf, withSubject, moreSevere } from "./notifications.policy.ts";
import type { Subjects } from "./notifications.policy.ts";
import {
  findRecipients,
  findUnread,
  keepNewest,
  putNotifications,
  settleNotifications,
} from "./notifications.store.ts";
import type { NotificationRow } from "./notifications.store.ts";
import { changed } from "./notifications.ts";
import type { NotificationContext } from "./notifications.ts";

const MOST_AT_ONCE = 1_000;

/** Delivers all pending notices, one batch per transaction. */
export async function deliverAll(context: NotificationContext): Promise<void> {
  const { database } = context.kernel;
  let taken: number;
  do {
    taken = await database.transaction((tx) => deliverSome(context, tx));
  } while (taken === MOST_AT_ONCE);
}

async function deliverSome(context: NotificationContext, tx: Tx): Promise<number> {
  const notices = await takeNotices(tx, MOST_AT_ONCE);
  const notified = new Set<string>();
  for (const group of groupsOf(notices))
    for (const userId of await deliverGroup(context, tx, group)) notified.add(userId);
  if (notified.size > 0) {
    await keepNewest(tx, [...notified]);
    await context.kernel.events.publish(tx, changed([...notified]));
  }
  return notices.length;
}

/** Groups notices that have the same audience and are delivered as one notification. */
function groupsOf(notices: readonly NoticeRow[]): NoticeRow[][] {
  const keyOf = (notice: NoticeRow) =>
    notice.fold === null ? notice.id : JSON.stringify([notice.type, notice.fold.key, notice.audience]);
  return [...Map.groupBy(notices, keyOf).values()];
}

/** Returns the ids of the recipients. */
async function deliverGroup(context: NotificationContext, tx: Tx, group: readonly NoticeRow[]): Promise<string[]> {
  const latest = group.at(-1)!;
  const recipients = await findRecipients(tx, latest.audience);
  if (recipients.length === 0) return [];
  if (latest.settles) return settleNotifications(tx, recipients, keyOf(latest)!, latest);
  const preferences = await context.notificationsOf(tx, recipients as UserId[]);
  const wanted = recipients
    .map((id) => ({
      id,
      heard: group.filter((each) => each.mail === "always" || isWanted(each, preferences(id as UserId))),
    }))
    .filter(({ heard }) => heard.length > 0);
  if (wanted.length === 0) return [];
  const key = keyOf(latest);
  const ids = wanted.map(({ id }) => id);
  const unread = latest.fold === null || key === null ? new Map() : await findUnread(tx, ids, key);
  const rows = wanted.map(({ id, heard }) => toRow(id, heard, unread.get(id) ?? null));
  const added = await putNotifications(tx, rows);
  if (latest.mail === "always") await mailAtOnce(context, tx, added);
  else if (latest.metadata["is_mailed"] !== true)
    await queueMails(context, tx, added, (id) => preferences(id as UserId).emailNotifications);
  return ids;
}

const keyOf = ({ type, fold, dedupe_key }: NoticeRow): string | null => {
  const key = fold === null ? dedupe_key : fold.key;
  return key === null ? null : `${type} ${key}`;
};

function toRow(userId: string, heard: readonly NoticeRow[], before: NotificationRow | null): NotificationRow {
  const latest = heard.at(-1)!;
  const { type, title, message, action_required, metadata, link, created_at, fold } = latest;
  const known = {
    id: newId(created_at.getTime()),
    user_id: userId,
    type,
    key: keyOf(latest),
    read_at: null,
    created_at,
  };
  const alone = { ...known, severity: latest.severity, title, message, action_required, metadata, link };
  if (fold === null) return { ...alone, subjects: null };
  const subjects = heard.reduce<Subjects>(
    (all, each) => (each.fold === null ? all : withSubject(all, each.fold.subject.key, each.fold.subject.name)),
    before?.subjects ?? NO_SUBJECTS,
  );
  const count = countOf(subjects);
  if (count === 1) return { ...alone, subjects };
  const mostSevere = heard.reduce(
    (worst, each) => moreSevere(worst, each.severity),
    before?.severity ?? latest.severity,
  );
  return {
    ...alone,
    severity: mostSevere,
    title: fold.title.replace("{n}", count.toLocaleString("en")),
    message: namesOf(subjects),
    metadata: { ...withoutOne(metadata), count },
    link: fold.link ?? "/validation-dashboard",
    subjects,
  };
}

/** Removes metadata about a single account or user from a notification about several. */
function withoutOne(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !/^(account|user)_/.test(name)));
}
