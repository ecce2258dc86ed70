// Between the first proof of a sign-in and the second: a token that opens nothing but the second step.
import type { SecondStep } from "@strongroom/contract";
import { createHash, randomBytes } from "node:crypto";
import { findUser, findUserByEmail, holdUnchanged } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { clientKey } from "#kernel/http/rate-limits.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { consumePending, countTry, findPending, insertPending } from "./pending.store.ts";
import type { PendingTable } from "./pending.store.ts";
import type { Demand, SignInParts, TakeOver } from "./sign-in-parts.ts";
import { MOST_SECOND_TRIES, PENDING_LIFE } from "./sign-in.policy.ts";
import { admitAttempt, settleAttempt } from "./slow-down.ts";
import type { Attempt } from "./slow-down.ts";
import { refused, requireActive, startSession } from "./start-session.ts";
import type { Proved, SignInCall } from "./start-session.ts";

/** Leaves a sign-in waiting for its second step, in a transaction with an entry that says so. */
export async function holdSignIn(
  { kernel }: SignInParts,
  call: SignInCall,
  proved: Proved,
  demand: Demand,
): Promise<{ second_step: SecondStep }> {
  const { user, method, isRemembered, attempt } = proved;
  const now = kernel.clock.now();
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(now.getTime() + PENDING_LIFE);
  call.note({ event: "session.second-step-required", details: { method, kinds: demand.kinds } });
  await call.commit(async (tx) => {
    // As with a session: a reset or a role change under way either sees this row or makes it fail.
    if (!(await holdUnchanged(tx, user))) throw refused();
    if (attempt !== undefined) await settleAttempt(tx, attempt, now);
    await proved.within?.(tx);
    await proved.afterwards?.(tx);
    await demand.keep(tx);
    const row = { token_hash: sha256(token), user_id: user.id, method, is_remembered: isRemembered, tries: 0 };
    await insertPending(tx, { ...row, ...claimOf(proved.takeOver), expires_at: expiresAt });
  });
  const { kinds, passkey } = demand;
  return { second_step: { pending: token, expires_at: expiresAt.toISOString(), kinds, passkey } };
}

/** A sign-in in its second step, and whose it is. */
export interface PendingSignIn {
  user: UsersTable;
  row: PendingTable;
}

/** Throws 401 when it is over: too old, used, tried too often, or taken away by a change of the person. */
export async function pendingSignIn({ kernel }: SignInParts, call: SignInCall, db: Db, token: string) {
  return personOf(call, db, await findPending(db, sha256(token), kernel.clock.now()));
}

/**
 * As `pendingSignIn`, and counts a try on it before anything is compared: the sixth finds nothing. Guesses at a second
 * factor are also counted for the person and for the network, over all their sign-ins, and slowed down.
 */
export async function trySecondStep(
  { kernel }: SignInParts,
  call: SignInCall,
  db: Db,
  token: string,
): Promise<PendingSignIn & { attempt: Attempt }> {
  const now = kernel.clock.now();
  const { user } = await personOf(call, db, await findPending(db, sha256(token), now));
  const attempt = await admitAttempt(kernel, secondClaim(user, call.request.ip));
  const { row } = await personOf(call, db, await countTry(db, sha256(token), MOST_SECOND_TRIES, now));
  return { user, row, attempt };
}

/** Guesses at a factor are counted apart from guesses at the password: no address contains a colon. */
export const secondClaim = ({ id, email }: Pick<UsersTable, "id" | "email">, ip: string) => ({
  email: `second-step:${email}`,
  userId: id,
  network: clientKey(ip),
});

/** Opens the session of a sign-in whose second step is done, and uses it up. */
export function finishSignIn(
  parts: SignInParts,
  call: SignInCall,
  { user, row }: PendingSignIn,
  more: { attempt: Attempt; secondStep: string; within: (tx: Tx) => Promise<void> },
): Promise<{ token: string }> {
  return startSession(parts, call, {
    user,
    method: row.method,
    isRemembered: row.is_remembered,
    takeOver: takeOverOf(row),
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

const over = () => refuse(401, "second-step.over", "This sign-in took too long or was tried too often. Start again.");

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
