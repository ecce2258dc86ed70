// Background jobs of sign-in: end sessions, delete old rows, rotate the signing key, and send reset and invitation
// mails.
import { readPolicy } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { sweepAttempts } from "./attempts/attempts.store.ts";
import { INVITATION_JOB, mailInvitation } from "./passwords/invitations.ts";
import type { InvitationOrder } from "./passwords/invitations.ts";
import { sweepPending } from "./second-step/pending.store.ts";
import { RESET_JOB, fulfilReset } from "./passwords/reset-password.ts";
import type { ResetOrder } from "./passwords/reset-password.ts";
import { sweepResets } from "./passwords/resets.store.ts";
import { deleteSessions, findSessionsToSweep } from "./sessions/sessions.store.ts";
import { announceEnds } from "./sessions/sessions.ts";
import type { SignInContext } from "./context.ts";
import {
  KNOWN_NETWORK_RETENTION,
  ATTEMPT_RETENTION,
  RESET_REQUEST_LIFETIME,
  idleLimit,
  maxSessionLifetime,
  stateOf,
} from "./sign-in.policy.ts";

export function defineJobs(parts: SignInContext): void {
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
    // A skipped run does no harm: another process or the next day's run will do the work.
    if (!kernel.keys.isSealed) await signingKeys.maintain();
  });
}

/** Ends sessions that are over, notifies each user's windows and audits the reason. Returns how many sessions ended. */
export async function sweepSessions(kernel: Kernel): Promise<number> {
  const now = kernel.clock.now();
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);
  const { db } = kernel.database;
  const policy = await readPolicy(db);
  const candidates = await findSessionsToSweep(
    db,
    ago(idleLimit("admin", policy)),
    ago(maxSessionLifetime(false, policy)),
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

/** Deletes old failed attempts, unused networks, and expired sign-ins and resets. */
export async function sweepRest(kernel: Kernel): Promise<void> {
  const now = kernel.clock.now();
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);
  await kernel.database.transaction(async (tx) => {
    await sweepAttempts(tx, ago(ATTEMPT_RETENTION), ago(KNOWN_NETWORK_RETENTION));
    await sweepPending(tx, now);
    await sweepResets(tx, ago(RESET_REQUEST_LIFETIME), now);
  });
}
