// Reviews emergency access afterwards: another user states whether it was justified.
import type { AccessRequest, reviewBreakGlass } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { finishChange, requireAction } from "../access-requests.ts";
import type { AccessRequestContext } from "../access-requests.ts";
import { updateRequest } from "../access-requests.store.ts";
import { lockRequest } from "../lock-request.ts";

export async function review(
  context: AccessRequestContext,
  call: Call<typeof reviewBreakGlass>,
  tx: Tx,
): Promise<AccessRequest> {
  const { id } = call.params;
  const { verdict, comment } = call.body;
  call.note({ target: { type: "access-request", id } });
  const { row, view } = await lockRequest(tx, call.actor, id);
  requireAction("review", view);
  await updateRequest(tx, id, {
    review_verdict: verdict,
    review_comment: comment,
    reviewed_by: call.actor.id,
    reviewed_at: row.now,
  });
  if (verdict === "not_justified") call.note({ result: "warning" });
  return finishChange(context, tx, call, id, "reviewed", { verdict });
}
