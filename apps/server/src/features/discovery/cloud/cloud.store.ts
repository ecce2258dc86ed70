// Stores the objects of cloud accounts.
import type { CollectedCloud } from "@strongroom/connectors";
import type { CloudProvider, CloudResourceKind } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, RawBuilder, Selectable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import { containing } from "#kernel/db/containing.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { JsonColumn } from "#kernel/db/tables.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { newId } from "#kernel/id.ts";
import { storableJson } from "../storable-json.ts";
import { visibleTargets } from "../targets/targets.store.ts";

export interface CloudResourcesTable {
  id: ColumnType<string, string, never>;
  target_id: ColumnType<string, string, never>;
  provider: CloudProvider;
  account: string | null;
  region: string;
  kind: CloudResourceKind;
  name: string;
  facts: JsonColumn<Record<string, unknown>>;
  discovered_at: Date;
  last_seen_at: Date;
  missing_since: Date | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    discovery_cloud_resources: CloudResourcesTable;
  }
}

/** Stores what a scan collected. Objects that a complete list does not contain are marked as missing. */
export async function recordCloud(
  tx: Tx,
  { target, at }: { target: { id: string }; at: Date },
  cloud: CollectedCloud | undefined,
): Promise<void> {
  if (cloud === undefined) return;
  const rows = cloud.resources.map(({ kind, region, name, facts }) => ({
    id: newId(at.getTime()),
    kind,
    region,
    name,
    facts,
  }));
  await sql`
    insert into discovery_cloud_resources (
      id, target_id, provider, account, region, kind, name, facts, discovered_at, last_seen_at)
    select distinct on (row.region, row.kind, row.name) row.id, ${target.id}::uuid, ${cloud.provider}, ${cloud.account},
      row.region, row.kind, row.name, row.facts, ${at}::timestamptz, ${at}::timestamptz
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as row (
      id uuid, region text, kind text, name text, facts jsonb)
    on conflict (target_id, region, kind, name) do update set
      account = coalesce(excluded.account, discovery_cloud_resources.account), facts = excluded.facts,
      last_seen_at = excluded.last_seen_at, missing_since = null`.execute(tx);
  await sql`
    update discovery_cloud_resources known set missing_since = ${at}
    from jsonb_to_recordset(${storableJson(cloud.complete)}::jsonb) as list (kind text, region text)
    where known.target_id = ${target.id} and known.kind = list.kind and known.region = list.region
      and known.missing_since is null and known.last_seen_at < ${at}`.execute(tx);
}

export type ShownResource = Selectable<CloudResourcesTable> & { target_name: string };

export interface ResourcesQuery {
  provider: CloudProvider | null;
  region: string | null;
  kind: CloudResourceKind | null;
  targetId: string | null;
  text: string | null;
  after: TimePlace | null;
  limit: number;
}

const shown = (actor: Actor, condition: RawBuilder<unknown>, limit: number) => sql<ShownResource>`
  select found.*, target.name as target_name
  from discovery_cloud_resources found
  join ${visibleTargets(actor)} seen on seen.id = found.target_id
  join discovery_targets target on target.id = found.target_id
  where ${condition}
  order by found.discovered_at desc, found.id desc limit ${limit}`;

export async function listResources(db: Db, actor: Actor, query: ResourcesQuery): Promise<ShownResource[]> {
  const { provider, region, kind, targetId, text, after } = query;
  const conditions = [
    sql`true`,
    ...(provider === null ? [] : [sql`found.provider = ${provider}`]),
    ...(region === null ? [] : [sql`found.region = ${region}`]),
    ...(kind === null ? [] : [sql`found.kind = ${kind}`]),
    ...(targetId === null ? [] : [sql`found.target_id = ${targetId}`]),
    ...(text === null ? [] : [sql`found.name ilike ${containing(text)}`]),
    ...(after === null ? [] : [sql`(found.discovered_at, found.id) < (${after.at}, ${after.id}::uuid)`]),
  ];
  return (await shown(actor, sql.join(conditions, sql` and `), query.limit).execute(db)).rows;
}

export async function regionsSeen(db: Db, actor: Actor): Promise<string[]> {
  const { rows } = await sql<{ region: string }>`
    select distinct found.region from discovery_cloud_resources found
    join ${visibleTargets(actor)} seen on seen.id = found.target_id
    order by found.region limit 100`.execute(db);
  return rows.map(({ region }) => region);
}

/** Null when the object does not exist or this user cannot see its target. */
export async function readResource(db: Db, actor: Actor, id: string): Promise<ShownResource | null> {
  return (await shown(actor, sql`found.id = ${id}`, 1).execute(db)).rows[0] ?? null;
}
