// Deletes the SSH keys of users who are locked out, and those of all users after a restore.
import type { TokensEnd } from "#features/users/index.ts";
import { notifyOf } from "#features/notifications/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { deleteAllKeys, deleteKeysOf } from "./ssh-keys.store.ts";

/** Why all SSH keys of a user end: for the same reasons as their API tokens. */
const REASONS: Record<TokensEnd, string> = {
  disabled: "The key's owner was disabled.",
  deleted: "The key's owner was deleted.",
  "password-reset": "The password of the key's owner was reset.",
  "password-changed": "The key's owner changed their password and did not keep the key.",
  "factors-reset": "The second factors of the key's owner were reset.",
  "sessions-ended": "All sessions of the key's owner were ended.",
  "provider-changed": "The identity provider of the key's owner was added or removed.",
};

/** Their sign-ins and live sessions end with them. Returns how many keys there were. */
export async function endKeysOf(
  { clock }: Pick<Kernel, "clock">,
  tx: Tx,
  userId: string,
  because: TokensEnd,
): Promise<number> {
  const gone = await deleteKeysOf(tx, userId);
  await appendAudit(
    tx,
    gone.map(({ id, name, fingerprint }) => {
      const note = {
        target: { type: "ssh-key", id, name },
        reason: REASONS[because],
        details: { fingerprint, owner: userId },
      };
      return systemEntry("ssh-key.removed", "ssh-keys", note, clock.now());
    }),
  );
  return gone.length;
}

/**
 * INVARIANT: a key that was removed after the backup does not work again after a restore. The removed keys are unknown,
 * so all of them are deleted and their owners are notified. Returns how many there were.
 */
export async function endAllKeys(kernel: Kernel, tx: Tx): Promise<number> {
  const gone = await deleteAllKeys(tx);
  const owners = [...new Set(gone.map(({ user_id }) => user_id))];
  if (owners.length > 0) {
    await notifyOf(kernel)(tx, {
      to: { users: owners },
      type: "security_alert",
      title: "Your SSH keys were removed",
      message:
        "The database was restored from a backup, so all SSH keys were removed. Add yours again in your profile.",
      severity: "medium",
      actionRequired: true,
      metadata: {},
      link: "/profile",
    });
  }
  return gone.length;
}
