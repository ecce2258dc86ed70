// Starts the scans whose schedule is due.
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { ScanSettings } from "@strongroom/contract";
import { auditTarget, changed } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { nextScan, windowLeft } from "../targets/schedule.ts";
import { lockDueTargets, updateTarget } from "../targets/targets.store.ts";
import { SCAN_JOB } from "./scans.ts";
import { hasOpenScan, insertScan } from "./scans.store.ts";

const AT_ONCE = 100;

/**
 * INVARIANT: one due time starts at most one scan: the row is locked, and its next time moves in the transaction that
 * queues the scan. A time that passed while the server was stopped, outside the window, is skipped.
 */
export async function startDueScans({ kernel }: DiscoveryContext): Promise<void> {
  let count = AT_ONCE;
  while (count === AT_ONCE) {
    count = await kernel.database.transaction(async (tx) => {
      const now = kernel.clock.now();
      const due = await lockDueTargets(tx, now, AT_ONCE);
      for (const target of due) {
        await updateTarget(tx, target.id, { next_scan_at: nextScan(target.schedule, now) });
        const isInWindow = target.schedule !== null && windowLeft(target.schedule, now) > 0;
        if (!isInWindow || (await hasOpenScan(tx, target.id))) continue;
        const { includeSystemAccounts, timeout, maxAccounts } = ScanSettings.parse({});
        const id = (await kernel.jobs.enqueue(tx, SCAN_JOB, {}, { group: target.safe_id }))!;
        await insertScan(tx, {
          id,
          target_id: target.id,
          status: "pending",
          include_system_accounts: includeSystemAccounts,
          timeout_ms: timeout,
          max_accounts: maxAccounts,
          requested_by: "Schedule",
          is_scheduled: true,
          created_at: now,
        });
        const note = { target: auditTarget(target), details: { scan: id } };
        await appendAudit(tx, [systemEntry("discovery.scan-scheduled", "discovery", note, now)]);
        await kernel.events.publish(tx, await changed(tx, target));
      }
      return due.length;
    });
  }
}
