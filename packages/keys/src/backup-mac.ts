// Authenticates backup manifests with a key that only the holder of the root key can derive.
import { deriveKey, hmacSha256 } from "./primitives.ts";
import { rootKeyObject, type RootKey } from "./root-key.ts";

const LABEL = "strongroom/backup-manifest/v1";

/** HMAC-SHA-256 of a manifest under a key derived from `root` for this purpose alone. Throws SealedError after `dispose`. */
export function backupMac(root: RootKey, manifest: Uint8Array): Buffer {
  return hmacSha256(deriveKey(rootKeyObject(root), Buffer.alloc(0), LABEL), manifest);
}
