// Notifies users of new factors, of guesses at the second step, and of an administrator who removed their factors.
import type { FactorKind } from "@strongroom/contract";
import type { PendingSignIn } from "#features/sign-in/index.ts";
import { isLastTry } from "#features/sign-in/index.ts";
import type { Notice, Notify } from "#features/notifications/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { FactorProofContext } from "./context.ts";
import type { FactorRow } from "./factors.store.ts";

/**
 * Notifies the user when the last allowed attempt at a second step was wrong, because another person may know their
 * password.
 */
export async function notifyOfGuesses(
  { kernel, notify }: FactorProofContext,
  { user, row }: PendingSignIn,
): Promise<void> {
  if (!isLastTry(row.tries)) return;
  await kernel.database.transaction((tx) =>
    notify(tx, {
      to: { users: [user.id] },
      type: "security_alert",
      title: "Someone with your password failed the second step",
      message: "If this was not you, change your password now and contact an administrator.",
      severity: "critical",
      actionRequired: true,
      metadata: {},
      link: "/profile",
      dedupeKey: `factors.guessed:${user.id}`,
    }),
  );
}

const KINDS: Record<FactorKind, string> = { totp: "An authenticator app", passkey: "A passkey" };

const addedNotice = (userId: string, title: string, message: string): Notice => ({
  to: { users: [userId] },
  type: "security_alert",
  title,
  message,
  severity: "medium",
  actionRequired: false,
  metadata: {},
  link: "/profile",
  // An intruder could turn off email or read the notification first.
  mail: "always",
});

const NOT_YOU = "If this was not you, change your password now and contact an administrator.";

/**
 * INVARIANT: every new factor is reported to its user, because it remains a way to sign in even after the password is
 * changed.
 */
export async function notifyOfNewFactor(
  notify: Notify,
  tx: Tx,
  { user_id: userId, kind, name }: Pick<FactorRow, "user_id" | "kind" | "name">,
  hasNewCodes: boolean,
): Promise<void> {
  const codes = hasNewCodes ? " New recovery codes were created with it." : "";
  const message = `Name: ${name}.${codes} ${NOT_YOU}`;
  await notify(tx, addedNotice(userId, `${KINDS[kind]} was added to your account`, message));
}

export async function notifyOfNewCodes(notify: Notify, tx: Tx, userId: string): Promise<void> {
  const message = `The earlier codes no longer work. ${NOT_YOU}`;
  await notify(tx, addedNotice(userId, "New recovery codes were created", message));
}

export async function notifyOfReset(notify: Notify, tx: Tx, userId: string, by: { name: string }): Promise<void> {
  await notify(tx, {
    to: { users: [userId] },
    type: "security_alert",
    title: "Your second factors were removed",
    message: `${by.name} removed them. Your sessions, API tokens and SSH keys have ended. If you did not ask for this, contact another administrator.`,
    severity: "critical",
    actionRequired: true,
    mail: "always",
    metadata: { by: by.name },
    link: "/profile",
  });
}
