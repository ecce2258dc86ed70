// Names the keys that seal stored secrets: one key for each vault and for each safe.
import type { SecretRow } from "./secrets.store.ts";

/** The purpose that is bound into the envelopes of stored secrets. */
export const ENVELOPE_PURPOSE = "credential";

/** The key-encryption key of a user's vault. */
export const keyOfVault = (userId: string): string => `vault:${userId}`;

/** The key-encryption key of a safe. */
export const keyOfSafe = (safeId: string): string => `safe:${safeId}`;

/** The key-encryption key for an owner's secrets: the key of a user's vault or of a safe. */
export function keyOfOwner({ user_id, safe_id }: Pick<SecretRow, "user_id" | "safe_id">): string {
  if (user_id !== null) return keyOfVault(user_id);
  if (safe_id !== null) return keyOfSafe(safe_id);
  throw new Error("a secret has no owner");
}
