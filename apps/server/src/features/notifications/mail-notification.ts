// Mails what somebody was told and has not read (OPEN-142), for those who want mails, where an SMTP server is configured.
import { findUser } from "#features/users/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { NotificationRow } from "./notifications.store.ts";
import { findOne } from "./notifications.store.ts";
import type { Site } from "./notifications.ts";

const MAIL_JOB = "notifications.mail";
/** What comes in the meantime is in the same mail. */
const MAIL_AFTER_MS = 5_000;

interface MailJob {
  notificationId: string;
}

/** One mail for each that is new; what was added to one that is unread goes with it. */
export async function queueMails(
  { kernel, mail }: Site,
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

export function defineMails({ kernel, mail }: Site): void {
  kernel.jobs.define<MailJob>(MAIL_JOB, { concurrency: 2, retryLimit: 5 }, async ({ data }) => {
    const { db } = kernel.database;
    const row = await findOne(db, data.notificationId);
    if (row === null || row.read_at !== null) return;
    const person = await findUser(db, row.user_id);
    if (person?.status !== "active") return;
    await mail.send({ to: person.email, ...textOf(row, person.name, kernel.publicUrl()) });
  });
}

function textOf(row: NotificationRow, name: string, publicUrl: string): { subject: string; text: string } {
  const lines = [`Hello ${name},`, "", `${row.title}.`, "", row.message, "", `${publicUrl}${row.link ?? ""}`, ""];
  return { subject: row.title, text: lines.join("\n") };
}
