// Reviews an emergency opening afterwards: somebody else says whether it was justified.
import type { AccessRequest, reviewBreakGlass } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { conclude, demand } from "./access-requests.ts";
import type { Site } from "./access-requests.ts";
import { updateRequest } from "./access-requests.store.ts";
import { hold } from "./hold-request.ts";

export async function review(site: Site, call: Call<typeof reviewBreakGlass>, tx: Tx): Promise<AccessRequest> {
  const { id } = call.params;
  const { verdict, comment } = call.body;
  call.note({ target: { type: "access-request", id } });
  const { row, view } = await hold(tx, call.actor, id);
  demand("review", view);
  await updateRequest(tx, id, {
    review_verdict: verdict,
    review_comment: comment,
    reviewed_by: call.actor.id,
    reviewed_at: row.now,
  });
  if (verdict === "not_justified") call.note({ result: "warning" });
  return conclude(site, tx, call, id, "reviewed", { verdict });
}
