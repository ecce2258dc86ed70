// Tells people how a rotation ended, or that it needs them: whoever asked, else those who keep the secret.
import type { Tx } from "#kernel/db/database.ts";
import type { RotationRow } from "./rotation.store.ts";
import type { Site } from "./site.ts";

/** Not for what a run does well: that tells its end once, for all of it. */
export async function tellPeople(site: Site, tx: Tx, row: RotationRow): Promise<void> {
  const isGood = row.outcome === "rotated";
  if (!isGood && !row.needs_attention) return;
  if (isGood && (row.run_id !== null || row.asked_by === null)) return;
  const users = await recipientsOf(site, tx, row);
  const { credential_id: id, credential_name: name, user_id } = row;
  const isAccount = user_id === null;
  await site.notify(tx, {
    to: { users },
    type: isGood ? "rotation_completed" : "rotation_attention",
    title: isGood ? `The secret of "${name}" was changed` : `The secret of "${name}" was not changed`,
    message: isGood ? "It was changed on its system, and a fresh login with it succeeded." : row.message,
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

async function recipientsOf({ rotated }: Site, tx: Tx, row: RotationRow): Promise<string[]> {
  if (row.asked_by !== null) return [row.asked_by.id];
  return row.user_id === null ? rotated.keepersOf(tx, row.credential_id) : [row.user_id];
}
