// Sign-ins between the first and the second step, whose tokens permit only the second step.
import type { SecondStep } from "@strongroom/contract";
import { createHash, randomBytes } from "node:crypto";
import { findUser, findUserByEmail, lockUnchanged } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { clientKey } from "#kernel/http/rate-limits.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { consumePending, countTry, findPending, insertPending } from "./pending.store.ts";
import type { PendingTable } from "./pending.store.ts";
import type { SecondStepDemand, ProofContext, TakeOver } from "../context.ts";
import { MAX_SECOND_STEP_TRIES, PENDING_SIGN_IN_LIFETIME } from "../sign-in.policy.ts";
import { admitAttempt, settleAttempt } from "../attempts/slow-down.ts";
import type { Attempt } from "../attempts/slow-down.ts";
import { refused, requireActive, startSession } from "../sessions/start-session.ts";
import type { ProvenIdentity, SignInCall } from "../sessions/start-session.ts";

/** Saves a sign-in that waits for its second step, in the transaction of its audit entry. */
export async function savePendingSignIn(
  { kernel }: ProofContext,
  call: SignInCall,
  proved: ProvenIdentity,
  demand: SecondStepDemand,
): Promise<{ second_step: SecondStep }> {
  const { user, method, isRemembered, attempt } = proved;
  const now = kernel.clock.now();
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(now.getTime() + PENDING_SIGN_IN_LIFETIME);
  call.note({ event: "session.second-step-required", details: { method, kinds: demand.kinds } });
  await call.commit(async (tx) => {
    // Lock the user first, as for a session: a concurrent reset or role change either sees this row or makes this call
    // fail.
    if (!(await lockUnchanged(tx, user))) throw refused();
    if (attempt !== undefined) await settleAttempt(tx, attempt, now);
    await proved.within?.(tx);
    await proved.afterwards?.(tx);
    await demand.keep(tx);
    const row = { token_hash: sha256(token), user_id: user.id, method, is_remembered: isRemembered, tries: 0 };
    const sshKey = { ssh_key_id: proved.sshKeyId ?? null };
    await insertPending(tx, { ...row, ...sshKey, ...claimOf(proved.takeOver), expires_at: expiresAt });
  });
  const { kinds, passkey } = demand;
  return { second_step: { pending: token, expires_at: expiresAt.toISOString(), kinds, passkey } };
}

/** A sign-in in its second step, with its user. */
export interface PendingSignIn {
  user: UsersTable;
  row: PendingTable;
}

/** Throws 401 when the sign-in has expired, was used, was tried too often, or was deleted by a change of the user. */
export async function requirePendingSignIn({ kernel }: ProofContext, call: SignInCall, db: Db, token: string) {
  return personOf(call, db, await findPending(db, sha256(token), kernel.clock.now()));
}

/**
 * As `requirePendingSignIn`, but counts a try before comparing anything; the sixth try throws 401. Guesses at a second
 * factor are also counted per user and per network across all sign-ins, and slowed down.
 */
export async function trySecondStep(
  { kernel }: ProofContext,
  call: SignInCall,
  db: Db,
  token: string,
): Promise<PendingSignIn & { attempt: Attempt }> {
  const now = kernel.clock.now();
  const { user } = await personOf(call, db, await findPending(db, sha256(token), now));
  const attempt = await admitAttempt(kernel, secondClaim(user, call.request.ip));
  const { row } = await personOf(call, db, await countTry(db, sha256(token), MAX_SECOND_STEP_TRIES, now));
  return { user, row, attempt };
}

/**
 * Guesses at a factor are counted separately from guesses at the password: the colon keeps the two keys apart, because
 * no address contains one.
 */
export const secondClaim = ({ id, email }: Pick<UsersTable, "id" | "email">, ip: string) => ({
  email: `second-step:${email}`,
  userId: id,
  network: clientKey(ip),
});

/** Opens the session of a sign-in whose second step is complete, and consumes the pending sign-in. */
export function finishSignIn(
  parts: ProofContext,
  call: SignInCall,
  { user, row }: PendingSignIn,
  more: { attempt: Attempt; secondStep: string; within: (tx: Tx) => Promise<void> },
): Promise<{ token: string }> {
  return startSession(parts, call, {
    user,
    method: row.method,
    isRemembered: row.is_remembered,
    takeOver: takeOverOf(row),
    sshKeyId: row.ssh_key_id,
    attempt: more.attempt,
    secondStep: more.secondStep,
    async within(tx) {
      if (!(await consumePending(tx, row.token_hash))) throw over();
      await more.within(tx);
    },
  });
}

const claimOf = (wanted: TakeOver | undefined) => ({
  claim_provider_id: wanted?.providerId ?? null,
  claim_subject: wanted?.subject ?? null,
  claim_role: wanted?.role ?? null,
});

const takeOverOf = (row: PendingTable): TakeOver | undefined =>
  row.claim_provider_id === null || row.claim_subject === null
    ? undefined
    : { providerId: row.claim_provider_id, subject: row.claim_subject, role: row.claim_role };

async function personOf(call: SignInCall, db: Db, row: PendingTable | undefined): Promise<PendingSignIn> {
  const person = row && (await findUser(db, row.user_id));
  const user = person && (await findUserByEmail(db, person.email));
  if (row === undefined || user === undefined) throw over();
  requireActive(call, user);
  return { user, row };
}

const over = () => refuse(401, "second-step.over", "This sign-in expired or had too many attempts. Start again.");

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
