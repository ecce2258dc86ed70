// Concludes an attempt: stores its result, updates the secret and publishes the event, all in the audit entry's
// transaction.
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { lockSecret, updateSecret } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { ownerOf } from "../owner-of.ts";
import type { Concluded, VerificationContext } from "../context.ts";
import { isOutdated } from "../verification.policy.ts";
import { changesAfter, completed, noteOf } from "../verification.ts";
import type { Result } from "../verification.ts";
import { endAttempt, readAttempt } from "../verification.store.ts";
import type { AttemptRow } from "../verification.store.ts";

export interface FinishedAttempt {
  kind: "tried";
  attempt: AttemptRow;
  /** The current row; null when it was deleted in the meantime. */
  secretRow: SecretRow | null;
}

export async function finishAttempt(
  context: VerificationContext,
  tx: Tx,
  started: AttemptRow,
  result: Result,
  askedBy: string | null,
): Promise<{ note: AuditNote; value: FinishedAttempt }> {
  const { clock, events } = context.kernel;
  const at = clock.now();
  const before = await lockSecret(tx, started.credential_id);
  const owner = await ownerOf(context, tx, started);
  const ended = await endAttempt(tx, started.id, { ...result, at, isOutdated: isOutdated(started, before) });
  // `ended` is null if the attempt outlived its lease and another process has ended it. The result of that process is
  // kept.
  const attempt = ended ?? (await readAttempt(tx, started.id));
  const isCurrent = ended !== null && before !== null && !ended.is_outdated;
  const secretRow = isCurrent
    ? await updateSecret(tx, before.id, changesAfter(before, result, at, owner.verifyEveryMs))
    : before;
  const note = noteOf(attempt, result.isAlarm);
  if (ended !== null) {
    await events.publish(tx, ...completed(ended, owner, result.isAlarm));
    const known = isCurrent ? { before, after: secretRow } : { before: null, after: null };
    const news = { attempt: ended, askedBy, ...known, owner, isAlarm: result.isAlarm };
    return { note: await concluded(context, tx, news, note), value: { kind: "tried", attempt, secretRow } };
  }
  return { note, value: { kind: "tried", attempt, secretRow } };
}

/** Calls the listeners in order; returns the audit note with their remarks. */
export async function concluded(
  { watchers }: Pick<VerificationContext, "watchers">,
  tx: Tx,
  news: Concluded,
  note: AuditNote,
): Promise<AuditNote> {
  let remarked = note;
  for (const watcher of watchers) {
    const remark = await watcher.concluded(tx, news);
    if (remark === null) continue;
    const { severity, details } = remark;
    remarked = {
      ...remarked,
      ...(severity === null ? {} : { severity }),
      details: { ...remarked.details, ...details },
    };
  }
  return remarked;
}
