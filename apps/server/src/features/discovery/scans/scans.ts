// Starts, lists and cancels scans.
import { DiscoveryScanId, hasAccounts } from "@strongroom/contract";
import type {
  DiscoveryScan,
  DiscoveryTargetId,
  ScanSettings,
  cancelDiscoveryScan,
  listDiscoveryScans,
  readDiscoveryScan,
  startDiscoveryScan,
  startDiscoveryScans,
} from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { pageInOrder, readPlace } from "#kernel/db/list-order.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { auditTarget, changed, mayNotManage, scanNotFound } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { lockManaged } from "../targets/change-targets.ts";
import { fewVisibleTargets, lockTarget } from "../targets/targets.store.ts";
import type { TargetRow } from "../targets/targets.store.ts";
import { orderOf } from "./scan-order.ts";
import * as store from "./scans.store.ts";
import { startSeveral } from "./start-several.ts";
import type { ShownScan } from "./scans.store.ts";

export const SCAN_JOB = "discovery.scan";

export async function startScan(
  { kernel }: DiscoveryContext,
  call: Call<typeof startDiscoveryScan>,
  tx: Tx,
): Promise<DiscoveryScan> {
  const target = await lockManaged(tx, call);
  return queueScan(kernel, tx, call, target, call.body.scanSettings);
}

/** Starts a scan of each target. */
export const startScans = ({ kernel }: DiscoveryContext, call: Call<typeof startDiscoveryScans>, tx: Tx) =>
  startSeveral(kernel, tx, call, {
    targetIds: call.body.targetIds,
    event: "discovery.scan-requested",
    start: async (target) =>
      DiscoveryScanId.parse(await enqueueScan(kernel, tx, call.actor, target, call.body.scanSettings)),
  });

type Settings = ScanSettings & { regions?: string[] };

/** Starts a scan of the target, which the caller can manage. Throws 409 for an inactive target and while a scan is open. */
export async function queueScan(
  kernel: DiscoveryContext["kernel"],
  tx: Tx,
  call: Pick<Call, "actor" | "note">,
  target: TargetRow,
  settings: Settings,
): Promise<DiscoveryScan> {
  const id = await enqueueScan(kernel, tx, call.actor, target, settings);
  const { regions = [] } = settings;
  call.note({ details: { scan: id, ...(regions.length > 0 ? { regions } : {}) } });
  await kernel.events.publish(tx, await changed(tx, target));
  return toScan((await store.readScan(tx, call.actor, id))!);
}

/** Returns the scan's id. Publishes no event. */
async function enqueueScan(
  kernel: DiscoveryContext["kernel"],
  tx: Tx,
  actor: Actor,
  target: TargetRow,
  { includeSystemAccounts, timeout, maxAccounts, regions = [] }: Settings,
): Promise<string> {
  if (!hasAccounts(target.target_type)) {
    throw refuse(422, "discovery.no-accounts", `"${target.name}" has no accounts to list. Start an enhanced scan.`);
  }
  if (!target.is_active) {
    throw refuse(409, "discovery.target-inactive", `"${target.name}" is disabled. Enable it before you scan it.`);
  }
  if (await store.hasOpenScan(tx, target.id)) {
    throw refuse(409, "discovery.scan-open", `A scan of "${target.name}" is already pending or running.`);
  }
  const id = (await kernel.jobs.enqueue(tx, SCAN_JOB, {}, { group: actor.id }))!;
  await store.insertScan(tx, {
    id,
    target_id: target.id,
    status: "pending",
    include_system_accounts: includeSystemAccounts,
    timeout_ms: timeout,
    max_accounts: maxAccounts,
    regions,
    requested_by: actor.name,
    created_at: kernel.clock.now(),
  });
  return id;
}

export async function listScans(call: Call<typeof listDiscoveryScans>, db: Db) {
  const { limit, cursor, offset = 0, sort, targetId, status = null } = call.query;
  const order = orderOf(sort);
  const targets = targetId === undefined ? await fewVisibleTargets(db, call.actor) : [targetId];
  const after = cursor === undefined ? null : readPlace(order, cursor);
  const rows = await store.listScans(db, call.actor, { order, targets, status, after, offset, limit: limit + 1 });
  const { shown, next_cursor } = pageInOrder(rows, limit);
  return { data: shown.map(toScan), next_cursor };
}

export async function readScan(call: Call<typeof readDiscoveryScan>, db: Db): Promise<DiscoveryScan> {
  const row = await store.readScan(db, call.actor, call.params.id);
  if (row === null) throw scanNotFound();
  return toScan(row);
}

export async function cancelScan(
  { kernel }: DiscoveryContext,
  call: Call<typeof cancelDiscoveryScan>,
  tx: Tx,
): Promise<DiscoveryScan> {
  const { id } = call.params;
  call.note({ target: { type: "discovery-scan", id } });
  const scan = await store.lockScan(tx, id);
  const before = await store.readScan(tx, call.actor, id);
  if (scan === null || before === null) throw scanNotFound();
  call.note({ target: auditTarget({ id: scan.target_id, name: before.target_name }), details: { scan: id } });
  if (!before.can_manage) throw mayNotManage();
  if (scan.status !== "pending" && scan.status !== "running") {
    throw refuse(409, "discovery.scan-ended", "The scan has already ended.");
  }
  await kernel.jobs.cancel(tx, id);
  await store.updateScan(tx, id, { status: "cancelled", completed_at: kernel.clock.now() });
  await kernel.events.publish(tx, await changed(tx, (await lockTarget(tx, scan.target_id))!));
  return toScan((await store.readScan(tx, call.actor, id))!);
}

function toScan(row: ShownScan): DiscoveryScan {
  const { started_at, completed_at } = row;
  return {
    id: row.id as DiscoveryScanId,
    target_id: row.target_id as DiscoveryTargetId,
    status: row.status,
    created_at: row.created_at.toISOString(),
    started_at: started_at?.toISOString() ?? null,
    completed_at: completed_at?.toISOString() ?? null,
    discovery_targets: { name: row.target_name, hostname: row.hostname, target_type: row.target_type },
    metadata:
      completed_at === null && row.accounts_discovered === null
        ? null
        : {
            accounts_discovered: row.accounts_discovered,
            accounts_stored: row.accounts_stored,
            scan_duration: started_at === null || completed_at === null ? null : +completed_at - +started_at,
            total_connections: row.logins,
            error: row.error_code,
            error_message: row.error_message,
            is_complete: row.is_complete,
            incomplete_reason: row.incomplete_reason,
            commands: row.commands,
          },
    progress:
      row.status === "running" && row.phase !== null ? { phase: row.phase, accounts: row.accounts_so_far } : null,
    settings: {
      includeSystemAccounts: row.include_system_accounts,
      timeout: row.timeout_ms,
      maxAccounts: row.max_accounts,
    },
    requested_by: row.requested_by,
    is_scheduled: row.is_scheduled,
    can_manage: row.can_manage,
  };
}
