// Mails the emergency access alarm to all approvers, in addition to the live event.
import { findUser, seesAddresses } from "#features/users/index.ts";
import type { Person } from "#features/users/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { maskedAddress } from "#kernel/masked-address.ts";
import { approversOfRequests, resourceOf } from "../access-requests.ts";
import type { AccessRequestContext } from "../access-requests.ts";
import { readAdmins, readRequests } from "../requests/shown-requests.store.ts";
import type { ShownRequest } from "../requests/shown-requests.store.ts";

const ALARM_JOB = "access-requests.alarm";

interface Alarm {
  requestId: string;
  /** The recipient. */
  userId: string;
}

/** Queues one mail per recipient in the transaction that grants the access. Does nothing without an SMTP server. */
export async function raiseAlarm({ kernel, mail }: AccessRequestContext, tx: Tx, requestId: string): Promise<void> {
  if (!mail.isConfigured) return;
  const rows = await readRequests(tx, [requestId]);
  const [row] = rows;
  if (row === undefined) return;
  const { levels } = (await approversOfRequests(tx, rows))(row);
  const people = new Set([...levels[1], ...levels[2], ...(await readAdmins(tx))]);
  people.delete(row.user_id);
  for (const userId of people) {
    const alarm: Alarm = { requestId, userId };
    await kernel.jobs.enqueue(tx, ALARM_JOB, alarm, { priority: 10 });
  }
}

export function defineAlarm(context: AccessRequestContext): void {
  const { kernel, mail } = context;
  kernel.jobs.define<Alarm>(ALARM_JOB, { concurrency: 2, retryLimit: 8, retryDelay: 2 }, async ({ data }) => {
    const { db } = kernel.database;
    const person = await findUser(db, data.userId);
    const [row] = await readRequests(db, [data.requestId]);
    if (person?.status !== "active" || row === undefined) return;
    await mail.send({ to: person.email, ...alarmMail(row, person, kernel.publicUrl()) });
  });
}

/** Omits the reason, because people other than the recipient may read an email. */
function alarmMail(
  row: ShownRequest,
  { id, name, role }: Person,
  publicUrl: string,
): { subject: string; text: string } {
  const address = seesAddresses({ id, role }) ? row.user_email : maskedAddress(row.user_email);
  const resource = resourceOf(row);
  return {
    subject: `Emergency access to ${resource}`,
    text: [
      `Hello ${name},`,
      "",
      `${row.username} (${address}) opened "${resource}" as emergency access, without approval.`,
      "",
      `Access ends at ${row.ends_at!.toISOString()} at the latest. Another person must review it:`,
      "",
      `${publicUrl}/jit-access`,
      "",
    ].join("\n"),
  };
}
