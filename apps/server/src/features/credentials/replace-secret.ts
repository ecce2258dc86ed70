// Stores another secret as the active one on behalf of the product, and resets the verification status.
import type { Kek, Secret } from "@strongroom/keys";
import type { Tx } from "#kernel/db/database.ts";
import { bindActive } from "./active-version.ts";
import { scheduledFirst } from "./credentials.ts";
import { nextVersion, updateCredential } from "./credentials.store.ts";
import type { CredentialRow } from "./credentials.store.ts";
import { resetVerification } from "./edit-stored.ts";
import { searchKeys } from "./index-credential.ts";
import { storeVersion } from "./store-version.ts";

/** The row must be locked, and no rotation may be working on it. The caller must call the login listeners. */
export async function replaceSecret(
  tx: Tx,
  before: CredentialRow,
  { kek, secret, at }: { kek: Kek; secret: Secret; at: Date },
): Promise<CredentialRow> {
  const version = await nextVersion(tx, before.id);
  await storeVersion(tx, { id: before.id, version, kek, secret, at, by: null, reason: "rotated" });
  return updateCredential(tx, before.id, {
    ...resetVerification(before),
    ...bindActive(kek, before.id, version, before),
    verify_after: scheduledFirst(at),
    updated_at: at,
    search_keys: searchKeys({ ...before, verification_status: "pending" }),
  });
}
