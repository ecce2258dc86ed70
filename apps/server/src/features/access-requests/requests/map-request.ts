// Maps a free-text request to an account, after which it is handled like any request for that account.
import type { AccessRequest, mapAccessRequest } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { approvalsRequired } from "../access-requests.policy.ts";
import { finishChange, requireAction, readRequestView } from "../access-requests.ts";
import type { AccessRequestContext } from "../access-requests.ts";
import { lockRequestRow, hasOtherOpenRequest, updateRequest, updateRound } from "../access-requests.store.ts";
import { lockRequestedAccount } from "./create-request.ts";
import { lockOwnUser } from "../lock-request.ts";

/**
 * The requester need not be a member of the safe, so the request needs at least one approval, whatever the platform
 * requires. A duration above the platform's maximum is reduced to it.
 */
export async function mapToAccount(
  context: AccessRequestContext,
  call: Call<typeof mapAccessRequest>,
  tx: Tx,
): Promise<AccessRequest> {
  const { id } = call.params;
  await lockOwnUser(tx, call.actor, "beside others");
  // Checks the permission first, so that a refusal reveals nothing about the account.
  requireAction("map", (await readRequestView(tx, call.actor, id)).view);
  const account = await lockRequestedAccount(tx, call, call.body.account_id);
  await lockRequestRow(tx, id);
  const { row, view } = await readRequestView(tx, call.actor, id);
  requireAction("map", view);
  if (await hasOtherOpenRequest(tx, row.user_id, account.account_id)) {
    throw refuse(409, "access-request.already-open", `${row.username} already has an open request for that account.`);
  }
  const minutes = Math.min(row.duration_minutes, account.max_duration_minutes);
  await updateRequest(tx, id, { account_id: account.account_id, is_mapped: true, duration_minutes: minutes });
  await updateRound(tx, id, 0, { minutes, ...approvalsRequired(account, []) });
  return finishChange(context, tx, call, id, "mapped", {
    asked_for: row.resource,
    asked_minutes: row.duration_minutes,
  });
}
