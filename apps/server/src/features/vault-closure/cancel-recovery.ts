// Lets the owner cancel a reset that they did not request: all sessions end, the password and later factors stop
// working, and the vault stays closed.
import type { Message, UserId, VaultClosure, cancelRecovery, cancelRecoveryByLink } from "@strongroom/contract";
import { randomBytes } from "node:crypto";
import type { Notify } from "#features/notifications/index.ts";
import { findPasswordHash, lockUser, setPasswordHash } from "#features/users/index.ts";
import type { TokensEnd } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call, SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { hashOf } from "./vault-closure.jobs.ts";
import { deleteLaterFactors, findByCancelHash, findClosure, hasFactorFrom, keepClosed } from "./vault-closure.store.ts";

export interface ClosureDeps {
  kernel: Kernel;
  notify: Notify;
  hashPassword(password: string, signal: AbortSignal): Promise<string>;
  endSessions(tx: Tx, userId: string): Promise<number>;
  endTokens(tx: Tx, userId: string, because: TokensEnd): Promise<number>;
  forgetReset(tx: Tx, userId: string): Promise<void>;
}

export async function describeClosure(
  { clock }: Kernel,
  { actor }: Pick<Call, "actor">,
  db: Db,
): Promise<{ closure: VaultClosure | null }> {
  const row = await findClosure(db, actor.id, clock.now());
  if (row?.blocks_vault !== true) return { closure: null };
  const { cause, closed_by: by, closed_at: closedAt, opens_at: opensAt } = row;
  return {
    closure: {
      cause,
      by,
      closed_at: closedAt.toISOString(),
      opens_at: opensAt?.toISOString() ?? null,
      has_earlier_factor: await hasFactorFrom(db, actor.id, closedAt),
    },
  };
}

/** Only while the vault is closed: a stolen session of a user whose vault was empty must not lock that user out. */
export async function cancelOwn(deps: ClosureDeps, call: SteppedCall<typeof cancelRecovery>, db: Db): Promise<Message> {
  const row = await findClosure(db, call.actor.id, deps.kernel.clock.now());
  if (row?.blocks_vault !== true) throw over(409);
  return cancel(deps, call, call.actor.id);
}

/**
 * Cancels a reset with the mailed link. Gives the same reply for a link that never existed, was used, or has expired.
 */
export async function cancelByLink(
  deps: ClosureDeps,
  call: SteppedCall<typeof cancelRecoveryByLink>,
  db: Db,
): Promise<Message> {
  const row = await findByCancelHash(db, hashOf(call.body.token), deps.kernel.clock.now());
  if (row === undefined) throw over(400);
  return cancel(deps, call, row.user_id as UserId);
}

async function cancel(
  { kernel, notify, ...deps }: ClosureDeps,
  call: SteppedCall<typeof cancelRecovery> | SteppedCall<typeof cancelRecoveryByLink>,
  userId: UserId,
): Promise<Message> {
  // A hash of an unknown password. An empty hash would mean that the owner signs in through an identity provider, and
  // would lock out their passkeys.
  const hash = await deps.hashPassword(randomBytes(48).toString("base64url"), call.signal);
  return call.commit(async (tx) => {
    const person = await lockUser(tx, userId);
    if (person === undefined || !(await keepClosed(tx, userId, kernel.clock.now()))) throw over(409);
    if ((await findPasswordHash(tx, userId)) !== "") await setPasswordHash(tx, userId, hash);
    const factors = await deleteLaterFactors(tx, userId, kernel.clock.now(), "always");
    await deps.forgetReset(tx, userId);
    const sessions = await deps.endSessions(tx, userId);
    const tokens = await deps.endTokens(tx, userId, "sessions-ended");
    call.note({
      actor: { id: person.id, name: person.name, role: person.role },
      target: { type: "user", id: person.id, name: person.email },
      severity: "critical",
      details: { sessions, tokens, factors },
    });
    await notify(tx, {
      to: { users: [person.id], roles: ["admin"] },
      type: "security_alert",
      title: "A user cancelled an unwanted sign-in reset",
      message: `${person.name} (${person.email}) reported that they did not want the reset of their sign-in. Their sessions and API tokens have ended, second factors added since the reset are deleted, and their vault stays closed. Find out who requested the reset. A new reset requires two administrators.`,
      severity: "critical",
      actionRequired: true,
      metadata: { user_id: person.id },
      link: "/admin?tab=users",
      mail: "always",
    });
    return {
      message: "The reset was cancelled. All sessions have ended and the vault stays closed. Contact an administrator.",
    };
  });
}

const over = (status: 400 | 409) =>
  refuse(status, "vault.not-waiting", "There is no reset to cancel. It was already cancelled or has ended.");
