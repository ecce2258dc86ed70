// Requests an extension, which is granted immediately or starts a new round that waits for approval (JIT-20, OPEN-21).
import type { AccessRequest, extendAccessRequest } from "@strongroom/contract";
import { namesOf } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { approvalsRequired, approvalsForExtension, needsApproval } from "../access-requests.policy.ts";
import { finishChange, requireAction } from "../access-requests.ts";
import type { AccessRequestContext } from "../access-requests.ts";
import { insertRound, updateRequest } from "../access-requests.store.ts";
import { durationTooLong } from "../requests/create-request.ts";
import { extendedEnd } from "./decide.ts";
import { lockRequest } from "../lock-request.ts";
import { readGrantedAccount } from "../requests/requestable.store.ts";

export async function extend(
  context: AccessRequestContext,
  call: Call<typeof extendAccessRequest>,
  tx: Tx,
): Promise<AccessRequest> {
  const { id } = call.params;
  const minutes = call.body.extensionMinutes;
  call.note({ target: { type: "access-request", id } });
  const { row, view } = await lockRequest(tx, call.actor, id);
  requireAction("extend", view);
  const account = await readGrantedAccount(tx, call.actor, row.account_id!);
  if (account === null)
    throw refuse(409, "access-request.wrong-state", "Access to this account can no longer be extended.");
  const left = account.max_duration_minutes - view.approvedMinutes;
  if (minutes > left) {
    const most = account.max_duration_minutes;
    throw durationTooLong(
      "extensionMinutes",
      `Access to this account is limited to ${most} minutes. ${Math.max(0, left)} minutes are left.`,
    );
  }
  const demands = approvalsForExtension(
    account,
    approvalsRequired(account, namesOf(account.permissions)),
    row.is_break_glass,
  );
  const isGranted = !needsApproval(demands);
  const decided = isGranted ? ({ state: "approved", decided_at: row.now } as const) : ({ state: "pending" } as const);
  const round = row.rounds.length;
  await insertRound(tx, { request_id: id, round, minutes, ...demands, asked_at: row.now, ...decided });
  if (isGranted) await updateRequest(tx, id, { ends_at: extendedEnd(row, minutes) });
  const said = { extension_minutes: minutes, is_granted: isGranted };
  return finishChange(context, tx, call, id, isGranted ? "extended" : "created", said);
}
