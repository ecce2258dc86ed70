// Lets a gateway log in with an account's active secret under the rules of a retrieval, without returning the secret to the user.
import type { Secret } from "@strongroom/keys";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { activeError, lockSecret, openEnvelope, readEnvelope, unreadable } from "#features/secrets/index.ts";
import { refuseBlocked } from "./access-block.ts";
import { recordAccess, requireNotCheckedOut, requireRight } from "./access-rules.ts";
import { notFound, readShown } from "./accounts.ts";
import type { LockedCheckOut } from "./checkout/check-outs.store.ts";
import { isOneTime, refuseTaken, takeOneTime } from "./checkout/one-time.ts";
import type { GrantsPort } from "./deps.ts";
import type { ShownRow } from "./shown-accounts.store.ts";

export interface UseContext {
  kernel: ProcessKernel;
  grants: GrantsPort;
}

type User = Pick<Actor, "id" | "role">;

/**
 * Locks the account and decides whether this user may use it now; writes nothing. `confirm` runs after the permission check and
 * before the other checks, and asks for re-authentication and justification. Throws 404 when the user may not see the account.
 */
export async function requireUse(
  { kernel, grants }: UseContext,
  tx: Tx,
  user: User,
  id: string,
  confirm: (row: ShownRow) => void = () => {},
): Promise<{ row: ShownRow; held: LockedCheckOut | null }> {
  if ((await lockSecret(tx, id)) === null) throw notFound();
  const row = await readShown(tx, user, id, grants.grantsInForce);
  requireRight(row, "use");
  confirm(row);
  const held = await requireNotCheckedOut(tx, row, user.id);
  const error = await activeError(kernel, { ...row, user_id: null });
  if (error !== null) throw unreadable(kernel, id, error);
  refuseBlocked(row);
  refuseTaken(row);
  return { row, held };
}

/** Like `useAccount`, for a login that does not need the account's secret: it stays sealed. */
export async function recordUse(context: UseContext, tx: Tx, user: User, id: string): Promise<ShownRow> {
  const { row, held } = await requireUse(context, tx, user, id);
  await recordAccess(context, tx, { row, held, userId: user.id, isActive: true });
  return row;
}

/**
 * Decides again, opens the active secret and records the use, as a retrieval does. The caller must dispose of the secret, and
 * writes the audit entry in the same transaction.
 */
export async function useAccount(
  context: UseContext,
  tx: Tx,
  user: User,
  id: string,
): Promise<{ row: ShownRow; secret: Secret }> {
  const { row, held } = await requireUse(context, tx, user, id);
  const version = row.secret_version;
  const envelope = await readEnvelope(tx, id, version);
  if (envelope === null) throw notFound();
  const secret = await openEnvelope(context.kernel, {
    id,
    user_id: null,
    safe_id: row.safe_id,
    version,
    envelope,
  }).catch((error: unknown) => {
    throw unreadable(context.kernel, id, error);
  });
  try {
    if (isOneTime(row)) await takeOneTime(tx, row, { version, userId: user.id });
    await recordAccess(context, tx, { row, held, userId: user.id, isActive: true });
  } catch (error) {
    secret[Symbol.dispose]();
    throw error;
  }
  return { row, secret };
}
