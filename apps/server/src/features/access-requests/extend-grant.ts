// Asks for more time: given at once, or a round of its own that waits for the approvers (JIT-20, OPEN-21).
import type { AccessRequest, extendAccessRequest } from "@strongroom/contract";
import { namesOf } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { demandsOf, demandsOfExtension, needsApproval } from "./access-requests.policy.ts";
import { conclude, demand } from "./access-requests.ts";
import type { Site } from "./access-requests.ts";
import { insertRound, updateRequest } from "./access-requests.store.ts";
import { tooLong } from "./create-request.ts";
import { prolonged } from "./decide.ts";
import { hold } from "./hold-request.ts";
import { readLent } from "./requestable.store.ts";

export async function extend(site: Site, call: Call<typeof extendAccessRequest>, tx: Tx): Promise<AccessRequest> {
  const { id } = call.params;
  const minutes = call.body.extensionMinutes;
  call.note({ target: { type: "access-request", id } });
  const { row, view } = await hold(tx, call.actor, id);
  demand("extend", view);
  const account = await readLent(tx, call.actor, row.account_id!);
  if (account === null) throw refuse(409, "access-request.wrong-state", "This account cannot be lent any longer now.");
  const left = account.max_duration_minutes - view.approvedMinutes;
  if (minutes > left) {
    const most = account.max_duration_minutes;
    throw tooLong(
      "extensionMinutes",
      `This account is lent for ${most} minutes at most; ${Math.max(0, left)} are left.`,
    );
  }
  const demands = demandsOfExtension(account, demandsOf(account, namesOf(account.permissions)), row.is_break_glass);
  const isGranted = !needsApproval(demands);
  const decided = isGranted ? ({ state: "approved", decided_at: row.now } as const) : ({ state: "pending" } as const);
  const round = row.rounds.length;
  await insertRound(tx, { request_id: id, round, minutes, ...demands, asked_at: row.now, ...decided });
  if (isGranted) await updateRequest(tx, id, { ends_at: prolonged(row, minutes) });
  const said = { extension_minutes: minutes, is_granted: isGranted };
  return conclude(site, tx, call, id, isGranted ? "extended" : "created", said);
}
