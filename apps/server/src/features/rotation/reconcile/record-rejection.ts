// Enforces the lockout budget of reconcile accounts: a reconcile account that a target rejected is not tried on the
// next account.
import type { VerifyResult } from "@strongroom/connectors";
import { lockSecret, updateSecret } from "#features/secrets/index.ts";
import { changesAfter, ownerOf, resultOf } from "#features/verification/index.ts";
import type { Reconciler } from "../engine/engine.store.ts";
import type { RotationContext } from "../context.ts";

/** Stores a wrong-password rejection on the reconcile account's row, as a verification would. */
export async function recordReconcilerRejection(
  context: RotationContext,
  { id, version }: Reconciler,
  result: VerifyResult,
): Promise<void> {
  if (result.outcome !== "rejected" || result.code !== "wrong-password") return;
  const { database, clock } = context.kernel;
  await database.transaction(async (tx) => {
    const row = await lockSecret(tx, id);
    if (row === null || row.secret_version !== version) return;
    const { verifyEveryMs } = await ownerOf(context, tx, { user_id: row.user_id, credential_id: id });
    await updateSecret(tx, id, changesAfter(row, resultOf(result), clock.now(), verifyEveryMs));
  });
}
