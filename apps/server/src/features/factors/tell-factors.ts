// What people are told about their second factors: that somebody knows their password, and that an administrator took them away.
import type { PendingSignIn } from "#features/sign-in/index.ts";
import { isLastTry } from "#features/sign-in/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { FactorParts } from "./factor-parts.ts";

/** When the last try of a second step was wrong: the password is known to somebody who may not be its owner. */
export async function tellOfGuesses({ kernel, notify }: FactorParts, { user, row }: PendingSignIn): Promise<void> {
  if (!isLastTry(row.tries)) return;
  await kernel.database.transaction((tx) =>
    notify(tx, {
      to: { users: [user.id] },
      type: "security_alert",
      title: "Somebody with your password failed at the second step",
      message: "If it was not you, change your password now and tell an administrator.",
      severity: "critical",
      actionRequired: true,
      metadata: {},
      link: "/profile",
      dedupeKey: `factors.guessed:${user.id}`,
    }),
  );
}

export async function tellOfReset(notify: Notify, tx: Tx, userId: string, by: { name: string }): Promise<void> {
  await notify(tx, {
    to: { users: [userId] },
    type: "security_alert",
    title: "Your second factors were removed",
    message: `${by.name} removed them. Your sessions and API tokens have ended. If you did not ask for this, tell another administrator.`,
    severity: "critical",
    actionRequired: true,
    mail: "always",
    metadata: { by: by.name },
    link: "/profile",
  });
}
