// Fingerprints: find equal secrets without revealing any of them.
import { kekKeyObject, type Kek } from "./kek.ts";
import { deriveKey, hmacSha256 } from "./primitives.ts";
import type { Secret } from "./secret.ts";

const LABEL = "strongroom/fingerprint/v1";

/**
 * HMAC-SHA-256 of the secret under a key derived from `kek`, as 43 characters of base64url. Two fingerprints under one
 * KEK are equal exactly when the secrets' bytes are. Without the KEK, guesses cannot be tested against a fingerprint.
 */
export function fingerprint(kek: Kek, value: Secret): string {
  const key = deriveKey(kekKeyObject(kek), Buffer.alloc(0), LABEL);
  const bytes = value.revealBytes();
  const mac = hmacSha256(key, bytes);
  bytes.fill(0);
  return mac.toString("base64url");
}
