// Locks findings together with the findings of the same secret that other users see.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { visibleTargets } from "#features/discovery/index.ts";
import type { FindingRow } from "./findings.store.ts";
import { isShownTo } from "./visible-findings.store.ts";

export interface LockedFinding extends FindingRow {
  can_manage: boolean;
  safe_id: string;
  /** The findings of the same secret in the same place that other users see. */
  twins: readonly FindingRow[];
}

/** Locks those of the findings that this user can see, and their twins, by id. */
export async function lockFindings(tx: Tx, actor: Actor, ids: readonly string[]): Promise<LockedFinding[]> {
  const { rows } = await sql<Omit<LockedFinding, "twins"> & { is_chosen: boolean }>`
    with chosen as materialized (
      select f.id, f.target_id, f.path_key, f.path, f.fingerprint, f.fixed_scan_id from findings f
      where f.id = any(${[...ids]}::uuid[]) and ${isShownTo(actor, "f")})
    select f.*, seen.can_manage, target.safe_id, f.id in (select id from chosen) as is_chosen from findings f
    join ${visibleTargets(actor)} seen on seen.id = f.target_id
    join discovery_targets target on target.id = f.target_id
    where f.id = any(array(
      select id from chosen union select twin.id from chosen join findings twin on ${areTwins("chosen")}))
    order by f.id for no key update of f`.execute(tx);
  const placeOf = ({ target_id, path, fingerprint }: FindingRow) => JSON.stringify([target_id, path, fingerprint]);
  const byPlace = Map.groupBy(rows, placeOf);
  return rows
    .filter(({ is_chosen }) => is_chosen)
    .map((row) => ({
      ...row,
      twins: row.fingerprint === null ? [] : byPlace.get(placeOf(row))!.filter(({ id }) => id !== row.id),
    }));
}

/** Locks the twins of a finding. */
export async function lockTwins(tx: Tx, id: string): Promise<FindingRow[]> {
  const { rows } = await sql<FindingRow>`
    select twin.* from findings own join findings twin on ${areTwins("own")}
    where own.id = ${id} order by twin.id for no key update of twin`.execute(tx);
  return rows;
}

/** A twin that is gone from its place stays as it is. */
function areTwins(alias: "chosen" | "own"): RawBuilder<boolean> {
  const own = sql.raw(alias);
  return sql<boolean>`twin.target_id = ${own}.target_id and twin.path_key = ${own}.path_key and twin.path = ${own}.path
    and twin.fingerprint = ${own}.fingerprint and twin.id <> ${own}.id
    and (twin.fixed_scan_id is null) = (${own}.fixed_scan_id is null)`;
}
