// Invitations: the link that lets somebody in for the first time, by mail or by the hand of whoever invites.
import { findUser } from "#features/users/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { issueInvitation } from "./reset-password.ts";
import { invitationMail } from "./reset-mail.ts";
import { markMailed } from "./resets.store.ts";
import { INVITATION_LIFE } from "./sign-in.policy.ts";
import type { SignInParts } from "./sign-in-parts.ts";

export const INVITATION_JOB = "sign-in.invitation";

export interface InvitationOrder {
  user_id: string;
}

/** As `SignInOfUsers.invite` says. */
export async function invite(
  { kernel, mail }: SignInParts,
  tx: Tx,
  userId: string,
  by: "mail" | "link",
): Promise<{ link: string | null; expiresAt: Date }> {
  if (by === "link") return issueInvitation(kernel, tx, userId);
  if (!mail.isConfigured) {
    throw refuse(409, "mail.not-configured", "No mail server is configured. Hand over the link yourself.");
  }
  const order: InvitationOrder = { user_id: userId };
  await kernel.jobs.enqueue(tx, INVITATION_JOB, order);
  return { link: null, expiresAt: new Date(kernel.clock.now().getTime() + INVITATION_LIFE) };
}

/** What the job does. Throws when the mail was not taken; somebody who has answered meanwhile gets none. */
export async function mailInvitation({ kernel, mail }: SignInParts, { user_id: id }: InvitationOrder): Promise<void> {
  const { database, clock } = kernel;
  const user = await findUser(database.db, id);
  if (user?.status !== "active" || user.invited_at === null) return;
  const { link } = await database.transaction((tx) => issueInvitation(kernel, tx, id));
  await mail.send(invitationMail(user, link));
  await database.transaction((tx) => markMailed(tx, id, clock.now()));
}
