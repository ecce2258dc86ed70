// Approves or denies a request, or the extension that it waits for.
import type { AccessRequest, approveAccessRequest, denyAccessRequest } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { MINUTE, isComplete, progressOf } from "./access-requests.policy.ts";
import type { View } from "./access-requests.policy.ts";
import { conclude, demand, look } from "./access-requests.ts";
import type { Site } from "./access-requests.ts";
import { insertDecision, updateRequest, updateRound } from "./access-requests.store.ts";
import { grantOf } from "./create-request.ts";
import { hold } from "./hold-request.ts";
import type { ShownRequest } from "./shown-requests.store.ts";

/** One person's approval; the last one that is needed grants the access, or prolongs it. */
export async function approve(site: Site, call: Call<typeof approveAccessRequest>, tx: Tx): Promise<AccessRequest> {
  const { view, level, round } = await begin(call, tx, "approve");
  await insertDecision(tx, decisionOf(call, view, { level, round, decision: "approved" }));
  const { row, view: after } = await look(tx, call.actor, view.id);
  const progress = progressOf(after)!;
  if (!isComplete(progress)) {
    const { given, needed } = progress;
    return conclude(site, tx, call, view.id, "approved", { level, given, needed, is_granted: false });
  }
  await updateRound(tx, view.id, round, { state: "approved", decided_at: row.now });
  const minutes = row.rounds.find((each) => each.round === round)!.minutes;
  if (round === 0) {
    await updateRequest(tx, view.id, grantOf(row.asked_start_at, minutes, row.now));
    return conclude(site, tx, call, view.id, "granted", { level, is_granted: true });
  }
  await updateRequest(tx, view.id, { ends_at: prolonged(row, minutes) });
  return conclude(site, tx, call, view.id, "extended", { level, is_granted: true, extension_minutes: minutes });
}

/** One denial is enough. An extension that is denied leaves the access as it was. */
export async function deny(site: Site, call: Call<typeof denyAccessRequest>, tx: Tx): Promise<AccessRequest> {
  const { view, level, round } = await begin(call, tx, "deny");
  await insertDecision(tx, decisionOf(call, view, { level, round, decision: "denied" }));
  await updateRound(tx, view.id, round, { state: "denied", decided_at: view.now });
  if (round === 0) await updateRequest(tx, view.id, { state: "denied" });
  return conclude(site, tx, call, view.id, "denied", { level, is_extension: round > 0 });
}

/** INVARIANT: time is added to the end that was granted; nothing else moves it. */
export const prolonged = ({ ends_at }: Pick<ShownRequest, "ends_at">, minutes: number): Date =>
  new Date(ends_at!.getTime() + minutes * MINUTE);

type Deciding = Call<typeof approveAccessRequest> | Call<typeof denyAccessRequest>;

async function begin(call: Deciding, tx: Tx, action: "approve" | "deny") {
  const { id } = call.params;
  call.note({ target: { type: "access-request", id } });
  const { row, view } = await hold(tx, call.actor, id);
  demand(action, view);
  return { view: { ...view, id: row.id }, level: progressOf(view)!.level, round: view.round!.round };
}

const decisionOf = (
  { actor, body }: Deciding,
  { id, now }: View & { id: string },
  made: { level: number; round: number; decision: "approved" | "denied" },
) => ({ request_id: id, user_id: actor.id, comment: body.comment, decided_at: now, ...made });
