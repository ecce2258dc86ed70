// Cancels a rotation that has sent nothing to its target.
import type { Rotation, cancelRotation as cancelEndpoint } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { lockSecret } from "#features/secrets/index.ts";
import { ownerOf } from "#features/verification/index.ts";
import { countEnded } from "./runs/count-ended.ts";
import { seen } from "./read-rotations.ts";
import { changed, targetIn, toRotation } from "./rotation.ts";
import { endCancelled, readRotation } from "./rotation.store.ts";
import type { RotationContext } from "./context.ts";

export async function cancelRotation(
  context: RotationContext,
  call: Call<typeof cancelEndpoint>,
  tx: Tx,
): Promise<Rotation> {
  const { id } = call.params;
  call.note({ target: { type: "rotation", id } });
  const found = await seen(context, tx, call.actor, id);
  call.note({ target: targetIn(found), details: { rotation: id } });
  if (found.user_id === null) await context.rotated.hold(tx, call.actor, found.credential_id, "manage_secret");
  else await lockSecret(tx, found.credential_id);
  const at = context.kernel.clock.now();
  const message = `${call.actor.name} cancelled the rotation before anything was sent.`;
  if (!(await endCancelled(tx, [id], message, at)).includes(id)) throw await tooLate(tx, id);
  const row = (await readRotation(tx, id))!;
  const { audience } = await ownerOf(context, tx, row);
  await context.kernel.events.publish(tx, changed(row, row.state, row.message, audience));
  await countEnded(context, tx, row, at);
  return toRotation(row);
}

async function tooLate(tx: Tx, id: string) {
  const row = await readRotation(tx, id);
  return row?.step === "ended"
    ? refuse(409, "rotation.ended", "This rotation has already ended.")
    : refuse(
        409,
        "rotation.sent",
        "The new secret may already have reached the target, so this rotation can no longer be cancelled.",
      );
}
