// Shows the review after a restore, confirms suspended tokens and finishes the review.
import type { Message, RestoreReview, SuspendedToken, confirmTokens, finishRestoreReview } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { RestoreDeps } from "./restored-database.ts";
import { findOpenRestores, finishRestores } from "./restores.store.ts";

export async function readReview(
  { tokens }: RestoreDeps,
  db: Db,
): Promise<{ open: RestoreReview[]; suspended_tokens: SuspendedToken[] }> {
  const rows = await findOpenRestores(db);
  const open = rows.map((row) => ({
    found_by: row.found_by,
    backup_made_at: row.backup_made_at?.toISOString() ?? null,
    is_authenticated: row.is_authenticated,
    restored_at: row.restored_at.toISOString(),
    missing_entries: row.missing_entries,
    ended: row.ended,
    changes: row.changes,
  }));
  return { open, suspended_tokens: await tokens.find(db) };
}

export async function confirm({ tokens }: RestoreDeps, call: Call<typeof confirmTokens>, tx: Tx): Promise<Message> {
  const confirmed = await tokens.confirm(tx, call.body.token_ids);
  if (confirmed.length === 0) throw refuse(404, "token.not-suspended", "None of these tokens is suspended.");
  call.note({ details: { tokens: confirmed.map(({ id, name }) => ({ id, name })) } });
  const [first] = confirmed;
  return {
    message:
      confirmed.length === 1 ? `The token ${first?.name} works again.` : `${confirmed.length} tokens work again.`,
  };
}

export async function finish(
  { clock }: Kernel,
  { tokens }: RestoreDeps,
  call: Call<typeof finishRestoreReview>,
  tx: Tx,
): Promise<Message> {
  const ids = await finishRestores(tx, call.actor.name, clock.now());
  if (ids.length === 0) throw refuse(409, "restore.nothing-to-review", "No restore is waiting for review.");
  const { length: left } = await tokens.find(tx);
  call.note({ details: { restores: ids, still_suspended: left } });
  return { message: "The review is finished." };
}
