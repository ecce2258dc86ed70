// Starts, lists and cancels enhanced scans.
import { MOST_COUNTED, ScanId } from "@strongroom/contract";
import type {
  DiscoveryTargetId,
  EnhancedScan,
  EnhancedScanDetails,
  cancelEnhancedScan,
  listEnhancedScans,
  readEnhancedScan,
  startEnhancedScan,
  startEnhancedScans,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import {
  auditTarget,
  changed,
  fewVisibleTargets,
  lockManaged,
  lockTarget,
  mayNotManage,
  startSeveral,
} from "#features/discovery/index.ts";
import type { TargetRow } from "#features/discovery/index.ts";
import { enqueueScan, queueScan, requireScannable } from "./queue-scan.ts";
import { orderOf } from "./scan-order.ts";
import { scanNotFound } from "./scans.ts";
import type { ScansContext } from "./scans.ts";
import { progressOf } from "./scans.policy.ts";
import * as store from "./scans.store.ts";
import type { ShownScan } from "./scans.store.ts";

export async function startScan(
  context: ScansContext,
  call: Call<typeof startEnhancedScan>,
  tx: Tx,
): Promise<EnhancedScan> {
  const target = await lockManaged(tx, call);
  await requireStartable(tx, target);
  requireVaulting(call);
  const id = await queueScan(context, tx, { target, ...wishOf(call) });
  const { scanType: type, scanDepth: depth } = call.body.scanConfig;
  call.note({ details: { scan: id, type, depth } });
  return toScan((await store.readScan(tx, call.actor, id))!);
}

/** Starts a scan of each target with the same configuration. */
export function startScans(context: ScansContext, call: Call<typeof startEnhancedScans>, tx: Tx) {
  requireVaulting(call);
  return startSeveral(context.kernel, tx, call, {
    targetIds: call.body.targetIds,
    event: "scan.requested",
    start: async (target) => {
      await requireStartable(tx, target);
      return ScanId.parse(await enqueueScan(context, tx, { target, ...wishOf(call) }));
    },
  });
}

type Starting = Call<typeof startEnhancedScan> | Call<typeof startEnhancedScans>;

async function requireStartable(tx: Tx, target: TargetRow): Promise<void> {
  await requireScannable(tx, target);
  if (await store.hasOpenScan(tx, target.id)) {
    throw refuse(409, "scan.open", `An enhanced scan of "${target.name}" is already pending or running.`);
  }
}

/** Throws 403 if the caller may not start a scan that stores secrets: members of the target's safe get them. */
function requireVaulting(call: Starting): void {
  const { autoVault, scanConfig } = call.body;
  if (!autoVault && !scanConfig.autoVaultFindings) return;
  if (call.actor.token !== null) {
    throw refuse(403, "scan.not-by-token", "An API token cannot start a scan that stores secrets. Turn vaulting off.");
  }
  call.requireStepUp();
}

const wishOf = ({ actor, body: { scanConfig, complianceFrameworks, autoVault } }: Starting) => ({
  requester: actor,
  config: scanConfig,
  frameworks: complianceFrameworks,
  autoVault,
});

export async function listScans({ findings }: ScansContext, call: Call<typeof listEnhancedScans>, db: Db) {
  const { limit, offset, sort, targetId } = call.query;
  const targets = targetId === undefined ? await fewVisibleTargets(db, call.actor) : [targetId];
  const [rows, total] = await Promise.all([
    store.listScans(db, call.actor, targets, { order: orderOf(sort), limit, offset }),
    store.countScans(db, call.actor, targets, MOST_COUNTED),
  ]);
  return { data: (await findings.totalsFor(db, call.actor, rows)).map(toScan), total, limit, offset };
}

export async function readScan(
  { findings }: ScansContext,
  call: Call<typeof readEnhancedScan>,
  db: Db,
): Promise<EnhancedScanDetails> {
  const row = await store.readScan(db, call.actor, call.params.id);
  if (row === null) throw scanNotFound();
  const [shown] = await findings.totalsFor(db, call.actor, [row]);
  return { ...toScan(shown!), findings: await findings.mostSevereOf(db, call.actor, row.id) };
}

export async function cancelScan(
  { kernel }: ScansContext,
  call: Call<typeof cancelEnhancedScan>,
  tx: Tx,
): Promise<EnhancedScan> {
  const { id } = call.params;
  call.note({ target: { type: "scan", id } });
  const scan = await store.lockScan(tx, id);
  const before = await store.readScan(tx, call.actor, id);
  if (scan === null || before === null) throw scanNotFound();
  call.note({ target: auditTarget({ id: scan.target_id, name: before.target_name }), details: { scan: id } });
  if (!before.can_manage) throw mayNotManage();
  if (scan.status !== "pending" && scan.status !== "running") {
    throw refuse(409, "scan.ended", "The scan has already ended.");
  }
  await kernel.jobs.cancel(tx, id);
  await store.updateScan(tx, id, { status: "cancelled", completed_at: kernel.clock.now() });
  await kernel.events.publish(tx, await changed(tx, (await lockTarget(tx, scan.target_id))!));
  return toScan((await store.readScan(tx, call.actor, id))!);
}

function toScan(row: ShownScan): EnhancedScan {
  const { started_at, completed_at } = row;
  const seconds = started_at === null || completed_at === null ? null : (+completed_at - +started_at) / 1000;
  return {
    id: row.id as ScanId,
    target_id: row.target_id as DiscoveryTargetId,
    target: { name: row.target_name, hostname: row.hostname, target_type: row.target_type },
    scan_type: row.scan_type,
    status: row.status,
    progress: progressOf(row),
    created_at: row.created_at.toISOString(),
    started_at: started_at?.toISOString() ?? null,
    completed_at: completed_at?.toISOString() ?? null,
    duration_seconds: seconds === null ? null : Math.round(seconds),
    error: row.error_code,
    error_message: row.error_message,
    results: {
      findings_discovered: row.findings_discovered,
      accounts_discovered: row.accounts_discovered,
      secrets_found: row.secrets_found,
      compliance_violations: row.compliance_violations,
      risk_score: row.risk_score,
      new_findings: row.new_findings,
      fixed_findings: row.fixed_findings,
    },
    coverage: {
      files_found: row.files_found,
      files_read: row.files_read,
      files_unchanged: row.files_unchanged,
      bytes_read: Number(row.bytes_read),
      unread_count: row.unread_count,
      unread: row.unread,
      limit: row.ended_by,
      way: row.way,
      as_root: row.as_root,
    },
    scan_config: row.config,
    compliance_frameworks: row.frameworks,
    auto_vault: row.auto_vault,
    requested_by: row.requested_by,
    can_manage: row.can_manage,
  };
}
