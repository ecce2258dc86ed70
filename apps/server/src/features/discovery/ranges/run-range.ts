// Runs one range scan: probes the addresses, stores the hosts that it finds, and creates targets by its rule.
import { addressSet, rangeOutside, scanRangeInWorker } from "@strongroom/connectors";
import type { FoundHost } from "@strongroom/connectors";
import { DISCOVERY_DEFAULTS } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import type { Job } from "#kernel/jobs/run-job.ts";
import { auditTarget, changedInSafe } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { targetTypeOf } from "../discovery.policy.ts";
import { readCredential } from "../scans/credential.ts";
import { insertTarget } from "../targets/targets.store.ts";
import * as store from "./ranges.store.ts";
import type { RangeScanRow } from "./ranges.store.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
/** Milliseconds between two writes of the progress; a restarted job repeats at most this much. */
const CHECKPOINT_INTERVAL = 1000;

export async function runRange(context: DiscoveryContext, { id, signal, progress }: Job<object>): Promise<void> {
  const { kernel, network } = context;
  const scan = await kernel.database.transaction((tx) => begin(context, tx, id));
  if (scan === null) return;
  const addresses = addressSet(scan);
  if ("error" in addresses) throw new Error(addresses.error);
  let savedAt = performance.now();
  const { refused } = await scanRangeInWorker({
    addresses,
    ports: scan.ports,
    rate: scan.rate,
    timeoutMs: scan.timeout_ms,
    from: scan.scanned,
    network,
    signal,
    onHost: (host) => kernel.database.transaction((tx) => record(context, tx, scan, host)),
    async onProgress(done) {
      await progress(done, addresses.count);
      if (performance.now() - savedAt < CHECKPOINT_INTERVAL) return;
      savedAt = performance.now();
      await kernel.database.transaction(async (tx) => {
        await store.saveProgress(tx, id, done);
        await kernel.events.publish(tx, await changedInSafe(tx, scan.safe_id));
      });
    },
  });
  await kernel.database.transaction(async (tx) => {
    const current = await store.lockRangeScan(tx, id);
    if (current?.status !== "running") return;
    await store.updateRangeScan(tx, id, { scanned: addresses.count, refused });
    await conclude(context, tx, current, "completed", { details: { addresses: addresses.count, refused } });
  });
}

/** Null when the scan has ended already, or ends now because its ranges are no longer allowed. */
async function begin(context: DiscoveryContext, tx: Tx, id: string): Promise<RangeScanRow | null> {
  const scan = await store.lockRangeScan(tx, id);
  if (scan === null || (scan.status !== "pending" && scan.status !== "running")) return null;
  const outside = rangeOutside(
    scan.ranges,
    (await store.listNetworks(tx)).map(({ network }) => network),
  );
  if (outside !== null) {
    await fail(context, tx, scan, "network-not-allowed", `Scans of ${outside} are no longer allowed.`);
    return null;
  }
  const at = context.kernel.clock.now();
  await store.updateRangeScan(tx, id, { status: "running", started_at: scan.started_at ?? at });
  if (scan.started_at === null) {
    const note: AuditNote = { target: targetOf(scan), details: { ranges: scan.ranges, ports: scan.ports } };
    await appendAudit(tx, [systemEntry("discovery.range-scan-started", "discovery", note, at)]);
  }
  await context.kernel.events.publish(tx, await changedInSafe(tx, scan.safe_id));
  return scan;
}

async function record(context: DiscoveryContext, tx: Tx, scan: RangeScanRow, host: FoundHost): Promise<void> {
  const { kernel } = context;
  const at = kernel.clock.now();
  const current = await store.lockRangeScan(tx, scan.id);
  if (current?.status !== "running") return;
  await store.saveHost(tx, scan.id, host, at);
  if (scan.creates_targets) await createTargets(context, tx, scan, host);
  await kernel.events.publish(tx, await changedInSafe(tx, scan.safe_id));
}

/** INVARIANT: a credential that moved to another safe since the user chose it is not used for new targets. */
async function createTargets(
  { kernel }: DiscoveryContext,
  tx: Tx,
  scan: RangeScanRow,
  { address, services }: FoundHost,
): Promise<void> {
  for (const { port, protocol, hostKey } of services) {
    const rule = scan.credentials.find(({ target_type }) => target_type === targetTypeOf(protocol));
    if (rule === undefined || (await store.hasTargetAt(tx, scan.safe_id, address, port))) continue;
    const credential = await readCredential(tx, rule.credential_id);
    if (credential === null || credential.safe_id !== rule.credential_safe_id) continue;
    const at = kernel.clock.now();
    const target = { id: newId(at.getTime()), name: `${address}:${port}`, hostname: address, port };
    await insertTarget(tx, {
      ...target,
      safe_id: scan.safe_id,
      description: `Found by the range scan "${scan.name}"`,
      target_type: rule.target_type,
      connection_method: DISCOVERY_DEFAULTS[rule.target_type].method,
      timeout_ms: DEFAULT_TIMEOUT_MS,
      credential_id: credential.id,
      credential_safe_id: credential.safe_id,
      // The first login accepts no key other than the one that the scan saw.
      host_key: hostKey === null ? null : JSON.stringify(hostKey),
      rejected_revision: null,
      is_active: true,
      created_by: scan.requested_by_id,
      created_at: at,
      updated_at: at,
    });
    const details = {
      hostname: address,
      port,
      target_type: rule.target_type,
      credential: credential.id,
      scan: scan.id,
    };
    await appendAudit(tx, [
      systemEntry("discovery.target-found", "discovery", { target: auditTarget(target), details }, at),
    ]);
  }
}

const targetOf = ({ id, name }: RangeScanRow) => ({ type: "discovery-range-scan", id, name });

async function fail(context: DiscoveryContext, tx: Tx, scan: RangeScanRow, code: string, message: string) {
  await store.updateRangeScan(tx, scan.id, { error_code: code, error_message: message });
  await conclude(context, tx, scan, "failed", { result: "failure", details: { code, message } });
}

async function conclude(
  { kernel }: DiscoveryContext,
  tx: Tx,
  scan: RangeScanRow,
  status: "completed" | "failed",
  note: AuditNote,
): Promise<void> {
  const at = kernel.clock.now();
  await store.updateRangeScan(tx, scan.id, { status, completed_at: at });
  const event = status === "completed" ? "discovery.range-scan-completed" : "discovery.range-scan-failed";
  await appendAudit(tx, [systemEntry(event, "discovery", { target: targetOf(scan), ...note }, at)]);
  await kernel.events.publish(tx, await changedInSafe(tx, scan.safe_id));
}

/** Ends a range scan whose job failed permanently. */
export async function endAbandonedRange(context: DiscoveryContext, id: string): Promise<void> {
  await context.kernel.database.transaction(async (tx) => {
    const scan = await store.lockRangeScan(tx, id);
    if (scan === null || (scan.status !== "pending" && scan.status !== "running")) return;
    const message = "The scan was interrupted several times, because the server stopped or failed. Start it again.";
    await fail(context, tx, scan, "interrupted", message);
  });
}
