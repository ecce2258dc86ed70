// Starts one scan of each of several targets: those that cannot be scanned are skipped, and the others start.
import type { DiscoveryTargetId, SkippedTarget } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { auditTarget, changedInSafe, mayNotManage, targetNotFound } from "../discovery.ts";
import { lockSeenTargets } from "../targets/targets.store.ts";
import type { SeenTarget, TargetRow } from "../targets/targets.store.ts";

interface Start<ScanId> {
  targetIds: readonly DiscoveryTargetId[];
  /** The event of the audit entry of each scan, as for a call that starts only this one. */
  event: string;
  /** Returns the scan's id. Publishes no event. Throws a refusal, before any change, for a target that cannot be scanned. */
  start: (target: TargetRow) => Promise<ScanId>;
}

/**
 * INVARIANT: the caller needs the same permission for each target as for a scan of it alone, and a target that the caller
 * cannot see is skipped as one that does not exist. Each started scan has its own audit entry, and so has each target that
 * the caller may not scan.
 */
export async function startSeveral<ScanId extends string>(
  { clock, events }: Pick<Kernel, "clock" | "events">,
  tx: Tx,
  call: Pick<Call, "actor" | "note" | "request">,
  { targetIds, event, start }: Start<ScanId>,
) {
  const ids = [...new Set(targetIds)];
  const seen = await lockSeenTargets(tx, call.actor, ids);
  const started: { target_id: DiscoveryTargetId; scan_id: ScanId }[] = [];
  const skipped: SkippedTarget[] = [];
  const notes: AuditNote[] = [];
  const safes = new Set<string>();
  for (const id of ids) {
    const target = seen.get(id);
    try {
      const scan_id = await start(requireManaged(target));
      started.push({ target_id: id, scan_id });
      notes.push({ target: auditTarget(target!), details: { scan: scan_id } });
      safes.add(target!.safe_id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      skipped.push({ id, code: error.code, message: error.message });
      if (target?.can_manage === true) continue;
      const named = target === undefined ? { type: "discovery-target", id } : auditTarget(target);
      notes.push({ target: named, result: "failure", reason: error.message, details: { code: error.code } });
    }
  }
  const at = clock.now();
  await appendAudit(
    tx,
    notes.map((each) => callEntry(event, call.actor, call.request, each, at)),
  );
  for (const safe of safes) await events.publish(tx, await changedInSafe(tx, safe));
  call.note({
    result: skipped.length === 0 ? "success" : started.length === 0 ? "failure" : "warning",
    details: { started: started.length, skipped: skipped.length },
  });
  return { started, skipped, message: messageOf(started.length, skipped.length) };
}

function requireManaged(target: SeenTarget | undefined): TargetRow {
  if (target === undefined) throw targetNotFound();
  if (!target.can_manage) throw mayNotManage();
  return target;
}

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

function messageOf(started: number, skipped: number): string {
  const sentence = started === 0 ? "No scan started" : `${counted(started, "scan")} started`;
  return skipped === 0 ? sentence : `${sentence}, ${counted(skipped, "target")} skipped`;
}
