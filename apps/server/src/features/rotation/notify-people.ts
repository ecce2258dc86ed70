// Notifies the requester, or else the secret managers, when a rotation ends or needs attention.
import type { Tx } from "#kernel/db/database.ts";
import type { RotationRow } from "./rotation.store.ts";
import type { RotationContext } from "./context.ts";

/** Skips successful rotations of a run: the run sends one notification when it ends. */
export async function notifyPeople(context: RotationContext, tx: Tx, row: RotationRow): Promise<void> {
  const isGood = row.outcome === "rotated";
  if (!isGood && !row.needs_attention) return;
  if (isGood && (row.run_id !== null || row.asked_by === null)) return;
  const users = await recipientsOf(context, tx, row);
  const { credential_id: id, credential_name: name, user_id } = row;
  const isAccount = user_id === null;
  await context.notify(tx, {
    to: { users },
    type: isGood ? "rotation_completed" : "rotation_attention",
    title: isGood ? `The secret of "${name}" was changed` : `The secret of "${name}" was not changed`,
    message: isGood ? "The secret was changed on the target, and a new login with it succeeded." : row.message,
    severity: isGood ? "low" : "high",
    actionRequired: !isGood,
    metadata: { rotation_id: row.id, ...(isAccount ? { account_id: id, account_name: name } : { credential_id: id }) },
    link: isAccount ? `/accounts/${id}` : `/vault/${id}`,
    ...(row.run_id === null && row.asked_by !== null
      ? { dedupeKey: row.id }
      : {
          fold: {
            key: row.run_id ?? "scheduled",
            title: "{n} secrets were not changed",
            subject: { key: id, name },
          },
        }),
  });
}

/** Notifies secret managers that the rotation after a use cannot start. */
export async function notifyOfHindrance(
  { notify, rotated }: RotationContext,
  tx: Tx,
  { id, name }: { id: string; name: string },
  reason: string,
): Promise<void> {
  await notify(tx, {
    to: { users: await rotated.secretManagersOf(tx, id) },
    type: "rotation_attention",
    title: `The secret of "${name}" could not be changed after its use`,
    message: `${reason} Change the secret on the target and store it here, or fix the cause.`,
    severity: "high",
    actionRequired: true,
    metadata: { account_id: id, account_name: name },
    link: `/accounts/${id}`,
    fold: { key: "after-use", title: "{n} secrets could not be changed after their use", subject: { key: id, name } },
  });
}

async function recipientsOf({ rotated }: RotationContext, tx: Tx, row: RotationRow): Promise<string[]> {
  if (row.asked_by !== null) return [row.asked_by.id];
  return row.user_id === null ? rotated.secretManagersOf(tx, row.credential_id) : [row.user_id];
}
