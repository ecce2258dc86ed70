// Notifies users of new SSH keys and of keys that expire soon.
import { notifyOf } from "#features/notifications/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { takeExpiringKeys } from "./ssh-keys.store.ts";
import type { SshKeyRow } from "./ssh-keys.store.ts";

/** INVARIANT: every new key is reported to its user, because it remains a way in until it expires. */
export async function notifyOfNewKey(
  kernel: Kernel,
  tx: Tx,
  { user_id, name, fingerprint }: Pick<SshKeyRow, "user_id" | "name" | "fingerprint">,
): Promise<void> {
  await notifyOf(kernel)(tx, {
    to: { users: [user_id] },
    type: "security_alert",
    title: "An SSH key was added to your account",
    message: `Name: ${name}. Fingerprint: ${fingerprint}. If this was not you, remove the key in your profile, change your password and contact an administrator.`,
    severity: "medium",
    actionRequired: false,
    metadata: { fingerprint },
    link: "/profile",
    // An intruder could turn off email or read the notification first.
    mail: "always",
  });
}

/** Safe to run at any time and in several processes: each notice is sent once. */
export async function notifyOfExpiry(kernel: Kernel, tx: Tx): Promise<void> {
  for (const { id, user_id, name, expires_at } of await takeExpiringKeys(tx)) {
    await notifyOf(kernel)(tx, {
      to: { users: [user_id] },
      type: "security_alert",
      title: "An SSH key expires soon",
      message: `The key "${name}" expires at ${expires_at.toISOString().slice(0, 16).replace("T", " ")} UTC. Add a new one before then.`,
      severity: "medium",
      actionRequired: true,
      metadata: { ssh_key_id: id },
      link: "/profile",
      dedupeKey: `ssh-key.ends:${id}`,
    });
  }
}
