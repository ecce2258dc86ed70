// Concludes an attempt: its row, what it makes of the credential, and the event, in the transaction of its audit entry.
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { lockAnyCredential, updateCredential } from "#features/credentials/index.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { ownerOf } from "./owner-of.ts";
import type { Concluded, Site } from "./site.ts";
import { isOutdated } from "./verification.policy.ts";
import { changesAfter, completed, noteOf } from "./verification.ts";
import type { Result } from "./verification.ts";
import { endAttempt, readAttempt } from "./verification.store.ts";
import type { AttemptRow } from "./verification.store.ts";

export interface Tried {
  kind: "tried";
  attempt: AttemptRow;
  /** As it is now; null when it was deleted meanwhile. */
  credential: CredentialRow | null;
}

export async function concludeAttempt(
  site: Site,
  tx: Tx,
  begun: AttemptRow,
  result: Result,
  askedBy: string | null,
): Promise<{ note: AuditNote; value: Tried }> {
  const { clock, events } = site.kernel;
  const at = clock.now();
  const before = await lockAnyCredential(tx, begun.credential_id);
  const owner = await ownerOf(site, tx, begun);
  const ended = await endAttempt(tx, begun.id, { ...result, at, isOutdated: isOutdated(begun, before) });
  // Null: it took longer than its lease, and another process has ended it. That stands.
  const attempt = ended ?? (await readAttempt(tx, begun.id));
  const isCurrent = ended !== null && before !== null && !ended.is_outdated;
  const credential = isCurrent
    ? await updateCredential(tx, before.id, changesAfter(before, result, at, owner.verifyEveryMs))
    : before;
  const note = noteOf(attempt, result.isAlarm);
  if (ended !== null) {
    await events.publish(tx, ...completed(ended, owner, result.isAlarm));
    const known = isCurrent ? { before, after: credential } : { before: null, after: null };
    const news = { attempt: ended, askedBy, ...known, owner, isAlarm: result.isAlarm };
    return { note: await concluded(site, tx, news, note), value: { kind: "tried", attempt, credential } };
  }
  return { note, value: { kind: "tried", attempt, credential } };
}

/** Tells those who watch, each in its turn; the answer is the note with what they know about it. */
export async function concluded(
  { watchers }: Pick<Site, "watchers">,
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
