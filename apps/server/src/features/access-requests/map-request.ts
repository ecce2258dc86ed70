// Says which account a request in free text means; from then on it runs as any request for that account.
import type { AccessRequest, mapAccessRequest } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { demandsOf } from "./access-requests.policy.ts";
import { conclude, demand, look } from "./access-requests.ts";
import type { Site } from "./access-requests.ts";
import { holdRequest, isOpenBesides, updateRequest, updateRound } from "./access-requests.store.ts";
import { holdAsked } from "./create-request.ts";
import { holdOneself } from "./hold-request.ts";

/**
 * The requester need not be a member of the safe, so at least one approval is needed whatever the platform asks for. What was
 * asked for longer than the platform lends is asked for as long as it lends.
 */
export async function mapToAccount(site: Site, call: Call<typeof mapAccessRequest>, tx: Tx): Promise<AccessRequest> {
  const { id } = call.params;
  await holdOneself(tx, call.actor, "beside others");
  // Whether they may at all is said before anything about the account is.
  demand("map", (await look(tx, call.actor, id)).view);
  const account = await holdAsked(tx, call, call.body.account_id);
  await holdRequest(tx, id);
  const { row, view } = await look(tx, call.actor, id);
  demand("map", view);
  if (await isOpenBesides(tx, row.user_id, account.account_id)) {
    throw refuse(409, "access-request.already-open", `${row.username} has asked for that account already.`);
  }
  const minutes = Math.min(row.duration_minutes, account.max_duration_minutes);
  await updateRequest(tx, id, { account_id: account.account_id, is_mapped: true, duration_minutes: minutes });
  await updateRound(tx, id, 0, { minutes, ...demandsOf(account, []) });
  return conclude(site, tx, call, id, "mapped", { asked_for: row.resource, asked_minutes: row.duration_minutes });
}
