// Starts cloud discoveries, and lists what they found.
import { ScanSettings, isCloud } from "@strongroom/contract";
import type {
  CloudResource,
  CloudResourceId,
  DiscoveryScan,
  DiscoveryTargetId,
  listCloudResources,
  readCloudResource,
  startCloudDiscovery,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { queueScan } from "../scans/scans.ts";
import { lockManaged } from "../targets/change-targets.ts";
import * as store from "./cloud.store.ts";
import type { ShownResource } from "./cloud.store.ts";

/** The list of users, keys, roles and names takes many requests. */
const TIMEOUT_MS = 300_000;
const MAX_ACCOUNTS = 10_000;

export async function startDiscovery(
  { kernel }: DiscoveryContext,
  call: Call<typeof startCloudDiscovery>,
  tx: Tx,
): Promise<DiscoveryScan> {
  const { targetId, regions } = call.body;
  const { actor } = call;
  const target = await lockManaged(tx, { actor, note: (note) => call.note(note), params: { id: targetId } });
  if (!isCloud(target.target_type)) {
    const msg = `"${target.name}" is not a cloud account.`;
    throw refuse(422, "discovery.not-a-cloud", msg, { errors: [{ path: "targetId", msg }] });
  }
  if (regions.length > 0 && target.target_type !== "aws") {
    const msg = "Only scans of AWS can be limited to regions.";
    throw refuse(422, "discovery.no-regions", msg, { errors: [{ path: "regions", msg }] });
  }
  const settings = ScanSettings.parse({ timeout: TIMEOUT_MS, maxAccounts: MAX_ACCOUNTS });
  return queueScan(kernel, tx, call, target, { ...settings, regions: [...new Set(regions)] });
}

export async function listResources(call: Call<typeof listCloudResources>, db: Db) {
  const { limit, cursor, provider = null, region = null, kind = null, targetId = null, search } = call.query;
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const text = search === undefined || search === "" ? null : search;
  const filter = { provider, region, kind, targetId, text, after, limit: limit + 1 };
  const rows = await store.listResources(db, call.actor, filter);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next_cursor = last === undefined ? null : writeTimePlace({ at: last.discovered_at, id: last.id });
  return { data: shown.map(toResource), regions: await store.regionsSeen(db, call.actor), next_cursor };
}

export async function readResource(call: Call<typeof readCloudResource>, db: Db): Promise<CloudResource> {
  const row = await store.readResource(db, call.actor, call.params.id);
  if (row === null) throw refuse(404, "discovery.resource-not-found", "Cloud resource not found");
  return toResource(row);
}

const toResource = (row: ShownResource): CloudResource => ({
  id: row.id as CloudResourceId,
  target_id: row.target_id as DiscoveryTargetId,
  target_name: row.target_name,
  provider: row.provider,
  account: row.account,
  region: row.region,
  kind: row.kind,
  name: row.name,
  facts: row.facts,
  discovered_at: row.discovered_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
  missing_since: row.missing_since?.toISOString() ?? null,
});
