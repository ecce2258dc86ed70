// Stores another secret as the one in force, in the product's own name: what was proved of the one before says nothing of it.
import type { Kek, Secret } from "@strongroom/keys";
import type { Tx } from "#kernel/db/database.ts";
import { scheduledFirst } from "./credentials.ts";
import { nextVersion, updateCredential } from "./credentials.store.ts";
import type { CredentialRow } from "./credentials.store.ts";
import { unproven } from "./edit-stored.ts";
import { searchKeys } from "./index-credential.ts";
import { storeVersion } from "./store-version.ts";

/** The row is held, and no rotation has it in hand. The listeners of logins are to be told. */
export async function replaceSecret(
  tx: Tx,
  before: CredentialRow,
  { kek, secret, at }: { kek: Kek; secret: Secret; at: Date },
): Promise<CredentialRow> {
  const version = await nextVersion(tx, before.id);
  await storeVersion(tx, { id: before.id, version, kek, secret, at, by: null, reason: "rotated" });
  return updateCredential(tx, before.id, {
    ...unproven(before),
    secret_version: version,
    verify_after: scheduledFirst(at),
    updated_at: at,
    search_keys: searchKeys({ ...before, verification_status: "pending" }),
  });
}
