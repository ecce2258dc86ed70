// The lock-out budget of reconcile accounts: one that its system has refused is not tried on the next account.
import type { VerifyResult } from "@strongroom/connectors";
import { lockAnyCredential, updateCredential } from "#features/credentials/index.ts";
import { changesAfter, ownerOf, resultOf } from "#features/verification/index.ts";
import type { Reconciler } from "./sight.store.ts";
import type { Site } from "./site.ts";

/** Notes on the reconcile account that its secret was refused, if it was, as a verification of it would. */
export async function holdBack(site: Site, { id, version }: Reconciler, result: VerifyResult): Promise<void> {
  if (result.outcome !== "rejected" || result.code !== "wrong-password") return;
  const { database, clock } = site.kernel;
  await database.transaction(async (tx) => {
    const row = await lockAnyCredential(tx, id);
    if (row === null || row.secret_version !== version) return;
    const { verifyEveryMs } = await ownerOf(site, tx, { user_id: row.user_id, credential_id: id });
    await updateCredential(tx, id, changesAfter(row, resultOf(result), clock.now(), verifyEveryMs));
  });
}
