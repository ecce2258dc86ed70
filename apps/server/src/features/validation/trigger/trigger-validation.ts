// Starts background validation of a selection, checking the permission for each item separately.
import type { triggerValidation } from "@strongroom/contract";
import { closureRefusal } from "#features/vault/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx, Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { verifyAllowed } from "#features/verification/index.ts";
import { sql } from "kysely";
import { isVisibleSecret, visibleSecrets } from "#features/figures/index.ts";
import { mayValidate } from "../list-conditions.store.ts";
import type { GrantQueries, Viewer } from "#features/figures/index.ts";
import type { ValidationContext } from "../validation.ts";

interface Triggered {
  id: string;
  may_validate: boolean;
  /** Whether the secret is a personal credential. */
  is_own: boolean;
  /** Whether the target has rejected this secret. */
  is_refused: boolean;
}

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
    return { run_id: null, queued: 0, failed: refused, message: "None of these entries can be validated" };
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

/** Returns those of the selected secrets that the user can see. */
async function findTriggered(
  db: Db,
  actor: Viewer,
  grants: GrantQueries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Triggered>> {
  const { rows } = await sql<Triggered>`
    with ${visibleSecrets(actor, grants)}
    select credentials.id, ${mayValidate(actor)} as may_validate, credentials.user_id is not null as is_own,
      rejected_revision is not distinct from login_revision as is_refused
    from credentials where credentials.id = any(${[...ids]}::uuid[]) and ${isVisibleSecret(actor)}`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
