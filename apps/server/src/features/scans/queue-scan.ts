// Queues an enhanced scan, for the call and for schedules.
import { canSearch, connectorFor } from "@strongroom/connectors";
import type { ComplianceFramework, ScanConfig } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { retrievableSafes } from "#features/accounts/index.ts";
import { changed, readCredential, targetOf } from "#features/discovery/index.ts";
import type { TargetRow } from "#features/discovery/index.ts";
import { SCAN_JOB } from "./scans.ts";
import type { ScansContext } from "./scans.ts";
import { NOT_SCANNABLE } from "./scans.policy.ts";
import { insertScan } from "./scans.store.ts";

/** Throws 409 for a disabled target, and 422 for a system that cannot be scanned. */
export async function requireScannable(tx: Tx, target: TargetRow): Promise<void> {
  if (!target.is_active) {
    throw refuse(409, "discovery.target-inactive", `"${target.name}" is disabled. Enable it before you scan it.`);
  }
  const credential = await readCredential(tx, target.credential_id);
  if (credential === null) return;
  if (!canSearch(connectorFor(targetOf(credential, target)))) throw refuse(422, "scan.not-supported", NOT_SCANNABLE);
}

interface NewScan {
  target: TargetRow;
  /** The scan acts with this user's permissions. */
  requester: { id: string; name: string } & Partial<Pick<Actor, "token">>;
  config: ScanConfig;
  frameworks: readonly ComplianceFramework[];
  autoVault: boolean;
}

/** Returns the scan's id. */
export async function queueScan(context: ScansContext, tx: Tx, scan: NewScan): Promise<string> {
  const id = await enqueueScan(context, tx, scan);
  await context.kernel.events.publish(tx, await changed(tx, scan.target));
  return id;
}

/** As `queueScan`, without an event. */
export async function enqueueScan(
  { kernel }: ScansContext,
  tx: Tx,
  { target, requester, config, frameworks, autoVault }: NewScan,
): Promise<string> {
  const id = (await kernel.jobs.enqueue(tx, SCAN_JOB, {}, { group: requester.id }))!;
  const safes = retrievableSafes(requester);
  await insertScan(tx, {
    id,
    target_id: target.id,
    scan_type: config.scanType,
    status: "pending",
    config: JSON.stringify(config),
    frameworks: [...new Set(frameworks)],
    auto_vault: autoVault,
    requester_id: requester.id,
    requester_safes: safes === null ? null : [...safes],
    requested_by: requester.name,
    created_at: kernel.clock.now(),
  });
  return id;
}
