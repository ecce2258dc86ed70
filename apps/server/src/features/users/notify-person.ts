// Notifies users, in the product and by mail, when another person changes how they sign in or their permissions.
import type { Role } from "@strongroom/contract";
import type { Notice, Notify } from "#features/notifications/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { canSignIn } from "./users.policy.ts";
import { findUser } from "./users.store.ts";

/** The name and address for emails to a user; null if the user does not exist. */
export async function recipientOf(db: Db, userId: string) {
  const person = await findUser(db, userId);
  return person === undefined ? null : { name: person.name, email: person.email, canSignIn: canSignIn(person) };
}

interface Change {
  person: { id: string; name: string };
  /** The name of the user who made the change. */
  by: string;
}

/** INVARIANT: this notification is always sent by email too, because an intruder could turn off emails or read it first. */
const securityNotice = (notice: Pick<Notice, "to" | "title" | "message"> & Partial<Notice>): Notice => ({
  type: "security_alert",
  severity: "critical",
  actionRequired: false,
  metadata: {},
  link: "/profile",
  mail: "always",
  ...notice,
});

const NOT_YOU = "If you did not expect this, contact another administrator.";

export async function notifyOfResetLink(notify: Notify, tx: Tx, { person, by }: Change): Promise<void> {
  await notify(
    tx,
    securityNotice({
      to: { users: [person.id] },
      title: "A reset link was created for your account",
      message: `${by} created a link that sets a new password for your account. ${NOT_YOU}`,
      metadata: { by },
    }),
  );
}

export async function notifyOfEndedSessions(notify: Notify, tx: Tx, { person, by }: Change): Promise<void> {
  await notify(
    tx,
    securityNotice({
      to: { users: [person.id] },
      title: "Your sessions and API tokens were ended",
      message: `${by} ended all of them. Sign in again, and create new API tokens and add SSH keys where you need them. ${NOT_YOU}`,
      metadata: { by },
    }),
  );
}

/**
 * If the user became an administrator, also notifies all administrators, so that an account with all permissions is never added
 * unnoticed.
 */
export async function notifyOfRole(notify: Notify, tx: Tx, change: Change & { role: Role }): Promise<void> {
  const { person, by, role } = change;
  await notify(
    tx,
    securityNotice({
      to: { users: [person.id] },
      title: "Your role was changed",
      message: `${by} changed it to ${role}. Your sessions have ended. ${NOT_YOU}`,
      metadata: { by, role },
    }),
  );
  if (role === "admin") await notifyOfNewAdmin(notify, tx, change);
}

export async function notifyOfNewAdmin(notify: Notify, tx: Tx, { person, by }: Change): Promise<void> {
  await notify(
    tx,
    securityNotice({
      to: { users: [], roles: ["admin"] },
      title: "New administrator",
      message: `${by} made ${person.name} an administrator.`,
      metadata: { by, user_id: person.id },
      link: "/admin?tab=users",
    }),
  );
}
