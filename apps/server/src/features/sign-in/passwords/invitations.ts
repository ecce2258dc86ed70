// Invitations: the link for a user's first sign-in, sent by mail or handed over by the administrator.
import { findUser } from "#features/users/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { issueInvitation } from "./reset-password.ts";
import { invitationMail } from "./reset-mail.ts";
import { markMailed } from "./resets.store.ts";
import { INVITATION_LIFETIME } from "../sign-in.policy.ts";
import type { SignInContext } from "../context.ts";

export const INVITATION_JOB = "sign-in.invitation";

export interface InvitationOrder {
  user_id: string;
}

/** Implements `SignInOfUsers.invite`. */
export async function invite(
  { kernel, mail }: SignInContext,
  tx: Tx,
  userId: string,
  by: "mail" | "link",
): Promise<{ link: string | null; expiresAt: Date }> {
  if (by === "link") return issueInvitation(kernel, tx, userId);
  if (!mail.isConfigured) {
    throw refuse(409, "mail.not-configured", "No mail server is configured. Send the link to the user yourself.");
  }
  const order: InvitationOrder = { user_id: userId };
  await kernel.jobs.enqueue(tx, INVITATION_JOB, order);
  return { link: null, expiresAt: new Date(kernel.clock.now().getTime() + INVITATION_LIFETIME) };
}

/**
 * Runs in the job. Throws when the mail server does not accept the mail. Sends nothing to a user who has already used
 * an invitation.
 */
export async function mailInvitation({ kernel, mail }: SignInContext, { user_id: id }: InvitationOrder): Promise<void> {
  const { database, clock } = kernel;
  const user = await findUser(database.db, id);
  if (user?.status !== "active" || user.invited_at === null) return;
  const { link } = await database.transaction((tx) => issueInvitation(kernel, tx, id));
  await mail.send(invitationMail(user, link));
  await database.transaction((tx) => markMailed(tx, id, clock.now()));
}
