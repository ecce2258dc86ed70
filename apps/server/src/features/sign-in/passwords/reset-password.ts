// Forgotten passwords: the request, the link (mailed, or handed over by an administrator) and the new password.
import type { PendingReset, completePasswordReset, requestPasswordReset } from "@strongroom/contract";
import { createHash, randomBytes } from "node:crypto";
import {
  canSignIn,
  findUser,
  findUserByEmail,
  lockUser,
  readPolicy,
  requireAllowedNetwork,
  requireGoodPassword,
  setPasswordHash,
} from "#features/users/index.ts";
import { closeVault, deleteLaterFactors } from "#features/vault-closure/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call, SteppedCall } from "#kernel/http/implement.ts";
import { clientKey } from "#kernel/http/rate-limits.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { fingerprintAddress } from "../fingerprint-address.ts";
import { resetMail } from "./reset-mail.ts";
import { requireOwnPassword } from "./require-own-password.ts";
import {
  consumeReset,
  findPendingResets,
  findReset,
  findResetByToken,
  markMailed,
  writeReset,
} from "./resets.store.ts";
import { endSessions } from "../sessions/sessions.ts";
import { addressOf } from "../sign-in.ts";
import type { SignInContext } from "../context.ts";
import { INVITATION_LIFETIME, RESET_LINK_LIFETIME, RESET_REQUEST_LIFETIME, resetMailWait } from "../sign-in.policy.ts";
import { trustNetwork } from "../attempts/slow-down.ts";

export const RESET_JOB = "sign-in.reset";

/** The job's input. `user_id` is null for an unknown address; the job then ends without doing anything. */
export interface ResetOrder {
  user_id: string | null;
}

/**
 * INVARIANT: whether an account with the address exists changes neither the reply nor the work done before it.
 * Everything else happens in a job.
 */
export async function requestReset(
  { kernel, mail }: SignInContext,
  call: Call<typeof requestPasswordReset>,
  tx: Tx,
): Promise<{ message: string }> {
  const email = addressOf(call.body.email);
  const user = await findUserByEmail(tx, email);
  if (user !== undefined) call.note({ target: { type: "user", id: user.id, name: user.email } });
  const order: ResetOrder = { user_id: user !== undefined && canSignIn(user) ? user.id : null };
  await kernel.jobs.enqueue(tx, RESET_JOB, order, { singletonKey: await fingerprintAddress(kernel, email) });
  return { message: mail.isConfigured ? BY_MAIL : BY_HAND };
}

const BY_MAIL = "If there is an account with this email, a reset link is on its way.";
const BY_HAND = "If there is an account with this email, an administrator can now give you a reset link.";

/**
 * Runs in the job: mails a link, or leaves the request for an administrator. Throws when the mail server does not
 * accept the mail.
 */
export async function fulfilReset(parts: SignInContext, { user_id: userId }: ResetOrder): Promise<void> {
  const { kernel, mail, externalProviders } = parts;
  const { database, clock } = kernel;
  const user = userId === null ? undefined : await findUser(database.db, userId);
  if (
    user === undefined ||
    !canSignIn(user) ||
    user.kind !== "person" ||
    (await externalProviders.current.providerOf(database.db, user.id)) !== null
  )
    return;
  const now = clock.now();
  const before = await findReset(database.db, user.id);
  if (before?.mailed_at && now.getTime() - before.mailed_at.getTime() < resetMailWait(before.mails_sent)) return;
  if (!mail.isConfigured) {
    await database.transaction((tx) => writeReset(tx, user.id, { requested_at: now }));
    return;
  }
  const { token, ...stored } = newResetToken(now);
  await database.transaction((tx) => writeReset(tx, user.id, { requested_at: now, made_by: null, ...stored }));
  await mail.send(resetMail(user, linkOf(kernel, token)));
  await database.transaction((tx) => markMailed(tx, user.id, clock.now()));
}

/** The requests that wait for an administrator because no mail was sent. */
export async function pendingResets(kernel: Kernel, db: Db): Promise<PendingReset[]> {
  const since = new Date(kernel.clock.now().getTime() - RESET_REQUEST_LIFETIME);
  const rows = await findPendingResets(db, since);
  return rows.flatMap(({ requested_at: requestedAt, ...person }) =>
    requestedAt === null
      ? []
      : [
          {
            ...person,
            requested_at: requestedAt.toISOString(),
            expires_at: new Date(requestedAt.getTime() + RESET_REQUEST_LIFETIME).toISOString(),
          },
        ],
  );
}

/**
 * Creates the link that an administrator hands over, and closes the open request, if any. `by` names the link's
 * creator.
 */
export async function issueResetLink(
  kernel: Pick<Kernel, "clock" | "publicUrl">,
  tx: Tx,
  userId: string,
  by: string,
): Promise<{ link: string; expiresAt: Date }> {
  return newLink(kernel, tx, userId, { by, life: RESET_LINK_LIFETIME });
}

/** As `issueResetLink`, but for an invited user and with a longer lifetime. */
export const issueInvitation = (kernel: Pick<Kernel, "clock" | "publicUrl">, tx: Tx, userId: string) =>
  newLink(kernel, tx, userId, { by: "An administrator", life: INVITATION_LIFETIME });

async function newLink(
  kernel: Pick<Kernel, "clock" | "publicUrl">,
  tx: Tx,
  userId: string,
  { by, life }: { by: string; life: number },
): Promise<{ link: string; expiresAt: Date }> {
  const { token, ...stored } = newResetToken(kernel.clock.now(), life);
  await writeReset(tx, userId, { requested_at: null, made_by: by, ...stored });
  return { link: linkOf(kernel, token), expiresAt: stored.token_expires_at };
}

/** Sets the new password. Ends every session and API token, so that anyone who knew the old password is locked out. */
export async function completeReset(
  parts: SignInContext,
  call: SteppedCall<typeof completePasswordReset>,
  db: Db,
): Promise<{ message: string }> {
  const { kernel, passwords } = parts;
  const policy = await readPolicy(db);
  requireAllowedNetwork(policy, call.request.ip);
  const tokenHash = sha256(call.body.token);
  const userId = await findResetByToken(db, tokenHash, kernel.clock.now());
  const person = userId === null ? undefined : await findUser(db, userId);
  if (userId === null || person === undefined) throw invalid();
  const { role, email, name } = person;
  requireGoodPassword(policy, { password: call.body.password, role, email, name });
  const hash = await passwords.hash(call.body.password, call.signal);
  await call.commit(async (tx) => {
    const now = kernel.clock.now();
    const user = await lockUser(tx, userId);
    if (user === undefined || !canSignIn(user)) throw invalid();
    await requireOwnPassword(parts, tx, userId);
    const reset = await consumeReset(tx, userId, tokenHash, now);
    if (reset === undefined) throw invalid();
    await setPasswordHash(tx, userId, hash);
    const sessions = await endSessions(kernel, tx, userId);
    const tokens = await parts.endTokens.current(tx, userId, "password-reset");
    // Another person may have used the account since an earlier reset. Delete the factors added since then, so that
    // they keep no way in. If the vault is open, access to the mailbox alone must not remove second factors.
    const isOwnRequest = reset.made_by === null;
    const factors = await deleteLaterFactors(tx, userId, now, isOwnRequest ? "while-closed" : "always");
    // A link mailed to the user's own mailbox proves as much as before; any other link passed through another person's
    // hands.
    if (reset.made_by !== null) {
      const isInvitation = user.invited_at !== null;
      await closeVault(kernel, tx, { person: user, cause: "reset-link", by: reset.made_by, isInvitation });
    }
    // The link's holder has proved their identity, so other people's guesses must not slow them down on this network.
    await trustNetwork(kernel, tx, { email: user.email, userId, network: clientKey(call.request.ip) });
    call.note({
      actor: { id: user.id, name: user.name, role: user.role },
      target: { type: "user", id: user.id, name: user.email },
      details: { sessions_ended: sessions, tokens_ended: tokens, factors_deleted: factors },
    });
  });
  return { message: "Your password has been changed. Please sign in with the new one." };
}

const invalid = () =>
  refuse(400, "password-reset.link-invalid", "This reset link is no longer valid. Please request a new one.");

function newResetToken(
  now: Date,
  life = RESET_LINK_LIFETIME,
): { token: string; token_hash: Buffer; token_expires_at: Date } {
  const token = randomBytes(32).toString("base64url");
  return { token, token_hash: sha256(token), token_expires_at: new Date(now.getTime() + life) };
}

/** Browsers do not send the part after the `#` to a server. */
const linkOf = ({ publicUrl }: Pick<Kernel, "publicUrl">, token: string): string =>
  `${publicUrl()}/reset-password#token=${token}`;

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
