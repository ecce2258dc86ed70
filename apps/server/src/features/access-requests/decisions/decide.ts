// Approves or denies a request or its pending extension.
import type { AccessRequest, approveAccessRequest, denyAccessRequest } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { MINUTE, isComplete, progressOf } from "../access-requests.policy.ts";
import type { RequestView } from "../access-requests.policy.ts";
import { finishChange, requireAction, readRequestView } from "../access-requests.ts";
import type { AccessRequestContext } from "../access-requests.ts";
import { insertDecision, updateRequest, updateRound } from "../access-requests.store.ts";
import { grantNow } from "../requests/create-request.ts";
import { lockRequest } from "../lock-request.ts";
import type { ShownRequest } from "../requests/shown-requests.store.ts";

/** Records one approval. The last required approval grants or extends the access. */
export async function approve(
  context: AccessRequestContext,
  call: Call<typeof approveAccessRequest>,
  tx: Tx,
): Promise<AccessRequest> {
  const { view, level, round } = await begin(call, tx, "approve");
  await insertDecision(tx, decisionOf(call, view, { level, round, decision: "approved" }));
  const { row, view: after } = await readRequestView(tx, call.actor, view.id);
  const progress = progressOf(after)!;
  if (!isComplete(progress)) {
    const { given, needed } = progress;
    return finishChange(context, tx, call, view.id, "approved", { level, given, needed, is_granted: false });
  }
  await updateRound(tx, view.id, round, { state: "approved", decided_at: row.now });
  const minutes = row.rounds.find((each) => each.round === round)!.minutes;
  if (round === 0) {
    await updateRequest(tx, view.id, grantNow(row.asked_start_at, minutes, row.now));
    return finishChange(context, tx, call, view.id, "granted", { level, is_granted: true });
  }
  await updateRequest(tx, view.id, { ends_at: extendedEnd(row, minutes) });
  return finishChange(context, tx, call, view.id, "extended", { level, is_granted: true, extension_minutes: minutes });
}

/** Denies the request; one denial is enough. Denying an extension leaves the existing access unchanged. */
export async function deny(
  context: AccessRequestContext,
  call: Call<typeof denyAccessRequest>,
  tx: Tx,
): Promise<AccessRequest> {
  const { view, level, round } = await begin(call, tx, "deny");
  await insertDecision(tx, decisionOf(call, view, { level, round, decision: "denied" }));
  await updateRound(tx, view.id, round, { state: "denied", decided_at: view.now });
  if (round === 0) await updateRequest(tx, view.id, { state: "denied" });
  return finishChange(context, tx, call, view.id, "denied", { level, is_extension: round > 0 });
}

/** INVARIANT: an extension adds time to the granted end; no other change moves the end. */
export const extendedEnd = ({ ends_at }: Pick<ShownRequest, "ends_at">, minutes: number): Date =>
  new Date(ends_at!.getTime() + minutes * MINUTE);

type Deciding = Call<typeof approveAccessRequest> | Call<typeof denyAccessRequest>;

async function begin(call: Deciding, tx: Tx, action: "approve" | "deny") {
  const { id } = call.params;
  call.note({ target: { type: "access-request", id } });
  const { row, view } = await lockRequest(tx, call.actor, id);
  requireAction(action, view);
  return { view: { ...view, id: row.id }, level: progressOf(view)!.level, round: view.round!.round };
}

const decisionOf = (
  { actor, body }: Deciding,
  { id, now }: RequestView & { id: string },
  made: { level: number; round: number; decision: "approved" | "denied" },
) => ({ request_id: id, user_id: actor.id, comment: body.comment, decided_at: now, ...made });
