// Emails unread notifications (OPEN-142) to users who want emails, if an SMTP server is configured.
import type { Tx } from "#kernel/db/database.ts";
import type { NotificationRow } from "./notifications.store.ts";
import { findOne } from "./notifications.store.ts";
import type { NotificationContext } from "./notifications.ts";

const MAIL_JOB = "notifications.mail";
const MAIL_AT_ONCE_JOB = "notifications.mail-at-once";
/** The delay before an email is sent. The email includes changes made to the notification in the meantime. */
const MAIL_AFTER_MS = 5_000;

interface MailJob {
  notificationId: string;
}

/** Includes the text, because the user may read or delete the notification before the email is sent. */
type MailAtOnceJob = Pick<NotificationRow, "user_id" | "title" | "message" | "link">;

/** Queues one email per new notification. Changes to an unread notification do not cause another email. */
export async function queueMails(
  { kernel, mail }: NotificationContext,
  tx: Tx,
  added: readonly NotificationRow[],
  isWantedBy: (userId: string) => boolean,
): Promise<void> {
  if (!mail.isConfigured) return;
  const startAfter = new Date(kernel.clock.now().getTime() + MAIL_AFTER_MS);
  for (const { id, user_id } of added) {
    if (!isWantedBy(user_id)) continue;
    const job: MailJob = { notificationId: id };
    await kernel.jobs.enqueue(tx, MAIL_JOB, job, { startAfter });
  }
}

/**
 * Queues security emails. They are sent regardless of the user's preferences, even if an intruder is using the user's
 * session.
 */
export async function mailAtOnce(
  { kernel, mail }: NotificationContext,
  tx: Tx,
  added: readonly NotificationRow[],
): Promise<void> {
  if (!mail.isConfigured) return;
  for (const { user_id, title, message, link } of added) {
    const job: MailAtOnceJob = { user_id, title, message, link };
    await kernel.jobs.enqueue(tx, MAIL_AT_ONCE_JOB, job);
  }
}

export function defineMails({ kernel, mail, recipientOf }: NotificationContext): void {
  kernel.jobs.define<MailJob>(MAIL_JOB, { concurrency: 2, retryLimit: 5 }, async ({ data }) => {
    const { db } = kernel.database;
    const row = await findOne(db, data.notificationId);
    if (row === null || row.read_at !== null) return;
    const person = await recipientOf(db, row.user_id);
    if (person === null || !person.canSignIn) return;
    const { subject, text } = textOf(row, person.name, kernel.publicUrl());
    await mail.send({ to: person.email, subject, text: `${text}${reasonFor(kernel.publicUrl())}` });
  });
  kernel.jobs.define<MailAtOnceJob>(MAIL_AT_ONCE_JOB, { concurrency: 2, retryLimit: 5 }, async ({ data }) => {
    const person = await recipientOf(kernel.database.db, data.user_id);
    if (person === null) return;
    await mail.send({ to: person.email, ...textOf(data, person.name, kernel.publicUrl()) });
  });
}

function textOf(
  row: Pick<NotificationRow, "title" | "message" | "link">,
  name: string,
  publicUrl: string,
): { subject: string; text: string } {
  const link = `Open in Strongroom: ${publicUrl}${row.link ?? ""}`;
  const lines = [`Hello ${name},`, "", `${row.title}.`, "", row.message, "", link, ""];
  return { subject: row.title, text: lines.join("\n") };
}

/** Not for security emails, which cannot be turned off. */
const reasonFor = (publicUrl: string): string =>
  `\nYou receive this email because you turned on email notifications. To turn them off: ${publicUrl}/settings#notifications\n`;
