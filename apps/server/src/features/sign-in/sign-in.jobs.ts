// What signing in does by itself: ends sessions that are over, forgets what is old, renews the signing key, sends resets.
import { readPolicy } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { sweepAttempts } from "./attempts.store.ts";
import { INVITATION_JOB, mailInvitation } from "./invitations.ts";
import type { InvitationOrder } from "./invitations.ts";
import { sweepPending } from "./pending.store.ts";
import { RESET_JOB, fulfilReset } from "./reset-password.ts";
import type { ResetOrder } from "./reset-password.ts";
import { sweepResets } from "./resets.store.ts";
import { deleteSessions, findSessionsToSweep } from "./sessions.store.ts";
import { announceEnds } from "./sessions.ts";
import type { SignInParts } from "./sign-in-parts.ts";
import {
  KNOWN_NETWORK_LIFE,
  LONGEST_MEMORY,
  RESET_REQUEST_LIFE,
  idleLimit,
  longestLife,
  stateOf,
} from "./sign-in.policy.ts";

export function defineJobs(parts: SignInParts): void {
  const { kernel, signingKeys } = parts;
  kernel.jobs.define<ResetOrder>(RESET_JOB, { policy: "exclusive", retryLimit: 8, retryDelay: 2 }, (job) =>
    fulfilReset(parts, job.data),
  );
  kernel.jobs.define<InvitationOrder>(INVITATION_JOB, { retryLimit: 8, retryDelay: 2 }, (job) =>
    mailInvitation(parts, job.data),
  );
  kernel.jobs.define("sign-in.sweep", { schedule: "* * * * *" }, async () => {
    await sweepSessions(kernel);
    await sweepRest(kernel);
  });
  kernel.jobs.define("sign-in.keys", { schedule: "17 3 * * *" }, async () => {
    // Another process, or tomorrow, will do: nothing depends on the day.
    if (!kernel.keys.isSealed) await signingKeys.maintain();
  });
}

/** Ends what is over, tells the person's windows and puts on record why. Answers how many sessions ended. */
export async function sweepSessions(kernel: Kernel): Promise<number> {
  const now = kernel.clock.now();
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);
  const { db } = kernel.database;
  const policy = await readPolicy(db);
  const candidates = await findSessionsToSweep(
    db,
    ago(idleLimit("admin", policy)),
    ago(longestLife(false, policy)),
    now,
  );
  const over = candidates
    .map((session) => ({ session, state: stateOf(session, session, now) }))
    .filter(({ state }) => state !== "open");
  if (over.length === 0) return 0;
  return kernel.database.transaction(async (tx) => {
    const ids = over.map(({ session }) => session.id);
    const gone = await deleteSessions(tx, ids);
    const isGone = new Set(gone.map(({ id }) => id));
    const entries = over
      .filter(({ session }) => isGone.has(session.id))
      .map(({ session, state }) => {
        const details = { user: session.user_id, name: session.email };
        const note = { target: { type: "session", id: session.id }, reason: state, details };
        return systemEntry("session.ended", "sign-in", note, now);
      });
    await appendAudit(tx, entries);
    await announceEnds(kernel, tx, gone);
    return gone.length;
  });
}

/** Deletes what no longer counts: failed attempts, networks nobody uses, resets nobody finished. */
export async function sweepRest(kernel: Kernel): Promise<void> {
  const now = kernel.clock.now();
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);
  await kernel.database.transaction(async (tx) => {
    await sweepAttempts(tx, ago(LONGEST_MEMORY), ago(KNOWN_NETWORK_LIFE));
    await sweepPending(tx, now);
    await sweepResets(tx, ago(RESET_REQUEST_LIFE), now);
  });
}
