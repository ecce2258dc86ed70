// Notifies users that another person may know their password, and that an administrator removed their second factors.
import type { PendingSignIn } from "#features/sign-in/index.ts";
import { isLastTry } from "#features/sign-in/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { FactorsContext } from "./context.ts";

/** Notifies the user when the last allowed attempt at a second step was wrong, because another person may know their password. */
export async function notifyOfGuesses({ kernel, notify }: FactorsContext, { user, row }: PendingSignIn): Promise<void> {
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

export async function notifyOfReset(notify: Notify, tx: Tx, userId: string, by: { name: string }): Promise<void> {
  await notify(tx, {
    to: { users: [userId] },
    type: "security_alert",
    title: "Your second factors were removed",
    message: `${by.name} removed them. Your sessions and API tokens have ended. If you did not ask for this, contact another administrator.`,
    severity: "critical",
    actionRequired: true,
    mail: "always",
    metadata: { by: by.name },
    link: "/profile",
  });
}
