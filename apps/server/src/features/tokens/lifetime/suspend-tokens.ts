// Suspends the tokens of a restored database until an administrator confirms them.
import { TokenId, UserId } from "@strongroom/contract";
import type { SuspendedToken, UserKind } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { changed } from "../tokens.ts";

/** Suspends every usable token of all holders, including those that were revoked after the backup. Returns how many. */
export async function suspendAll(tx: Tx): Promise<number> {
  const result = await sql`
    update tokens set suspended_at = access_time()
    where revoked_at is null and suspended_at is null and expires_at > access_time()`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

interface SuspendedRow {
  id: string;
  name: string;
  begins: string;
  user_id: string;
  holder: string;
  kind: UserKind;
  created_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
  last_used_from: string | null;
}

const MOST_SHOWN = 500;

/** Lists suspended tokens that have neither been revoked nor expired, most recently used first. */
export async function findSuspended(db: Db): Promise<SuspendedToken[]> {
  const { rows } = await sql<SuspendedRow>`
    select token.id, token.name, token.begins, token.user_id, person.name as holder, person.kind, token.created_at,
      token.expires_at, token.last_used_at, token.last_used_from
    from tokens token join users person on person.id = token.user_id
    where token.suspended_at is not null and token.revoked_at is null and token.expires_at > access_time()
    order by token.last_used_at desc nulls last, token.id limit ${MOST_SHOWN}`.execute(db);
  return rows.map((row) => ({
    id: TokenId.parse(row.id),
    name: row.name,
    begins: row.begins,
    holder: { id: UserId.parse(row.user_id), name: row.holder, kind: row.kind },
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    last_used_from: row.last_used_from,
  }));
}

/** Reactivates suspended tokens and returns them. Revoked tokens stay revoked. */
export async function confirmSuspended(
  { events }: Pick<Kernel, "events">,
  tx: Tx,
  ids: readonly string[],
): Promise<{ id: TokenId; name: string }[]> {
  const { rows } = await sql<{ id: TokenId; name: string; user_id: UserId }>`
    with held as materialized (
      select id from tokens where id = any(${[...ids]}::uuid[]) and suspended_at is not null and revoked_at is null
      order by id for no key update)
    update tokens set suspended_at = null where id in (select id from held) returning id, name, user_id`.execute(tx);
  await events.publish(tx, ...rows.map((row) => changed(row.id, row.user_id)));
  return rows.map(({ id, name }) => ({ id, name }));
}
