// Starts background validation of a selection, checking the permission for each item separately.
import type { triggerValidation } from "@strongroom/contract";
import { closureRefusal } from "#features/vault/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { verifyAllowed } from "#features/verification/index.ts";
import { findTriggered } from "./trigger.store.ts";
import type { Triggered } from "./trigger.store.ts";
import type { ValidationContext } from "../validation.ts";

/** OPEN-125 to OPEN-128, VAL-73. */
export async function trigger({ kernel, grants }: ValidationContext, call: Call<typeof triggerValidation>, tx: Tx) {
  const { accountIds, force } = call.body;
  const ids = [...new Set(accountIds)];
  const known = await findTriggered(tx, call.actor, grants, ids);
  const refused = ids.flatMap((id) => {
    const why = refusalOf(known.get(id), force, call.actor);
    return why === null ? [] : [{ id, ...why }];
  });
  const others = new Set(refused.map(({ id }) => id));
  const allowed = ids.filter((id) => !others.has(id));
  call.note({ details: { asked: ids.length, refused: refused.length, force } });
  if (allowed.length === 0) {
    call.note({ result: "failure" });
    return { run_id: null, queued: 0, failed: refused, message: "None of these can be validated" };
  }
  const { run_id, queued } = await verifyAllowed(kernel, call, tx, allowed);
  const message = `${queued === 1 ? "1 validation" : `${queued} validations`} started`;
  return { run_id, queued, failed: refused, message };
}

function refusalOf(
  found: Triggered | undefined,
  force: boolean,
  actor: Pick<Actor, "closure">,
): { code: string; message: string } | null {
  if (found === undefined) return { code: "validation.not-found", message: "Not found" };
  const closed = found.is_own ? closureRefusal(actor) : null;
  if (closed !== null) return { code: closed.code, message: closed.message };
  if (!found.may_validate)
    return { code: "safe.permission-missing", message: "You do not have permission to manage its secret" };
  if (found.is_refused && !force) {
    const message = "The target has already refused this secret. Another attempt could lock the account";
    return { code: "validation.held-back", message };
  }
  return null;
}
