// Closes a finding as soon as its fix has changed the file, without waiting for the next scan.
import type { FindingLiveness } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import { addChange, publish } from "./change-findings.ts";
import type { FindingsContext } from "./findings.ts";
import { dueAfter, riskFactors, riskScore } from "./findings.policy.ts";
import { updateFinding } from "./findings.store.ts";
import type { FindingRow } from "./findings.store.ts";
import { isReplacedByRotation, lockFixed } from "./fixes.store.ts";
import { riskFactsOf } from "./verify-finding.ts";
import { lockTwins } from "./lock-findings.store.ts";

interface UpdatedDependent {
  id: string;
  accountId: string;
  /** The versions of the secret that the file had and has. */
  before: number | null;
  version: number;
}

const BY = { actor: { name: "Strongroom" } };
const ROTATED = "The secret was rotated, and the file has the new one.";
const REPLACED = "The secret was replaced, and the file has the new one.";
const REFERENCE = "The file refers to the account and no longer contains the secret.";

/**
 * Runs in the transaction that stores the update of the file, so that a killed process repeats both or neither. Later
 * updates of the same file do not close a finding that a scan opened again, because they replace a later version of the
 * secret. Users' decisions are kept, as at the end of a scan.
 */
export async function closeFixed(
  context: FindingsContext,
  tx: Tx,
  { id, accountId, before, version }: UpdatedDependent,
): Promise<void> {
  const row = await lockFixed(tx, id);
  if (row === null || before !== row.fixed_version) return;
  const isReference = row.dependent_kind === "file-reference";
  // The file still has the secret of the finding.
  if (!isReference && version === before) return;
  const at = context.kernel.clock.now();
  const isRotated = await isReplacedByRotation(tx, accountId, { after: before, until: version });
  // A scan has closed the finding already, or the file has had the reference since an earlier update.
  const isGone = row.fixed_scan_id !== null;
  const liveness: FindingLiveness = isRotated ? "dead" : row.liveness;
  if (isGone && liveness === row.liveness) return;
  const factors = riskFactors(riskFactsOf(row, liveness), at);
  const score = riskScore(factors);
  const isOpen = !isGone && (row.status === "new" || row.status === "investigating");
  if (!isGone) await closeTwins(context, tx, row);
  await updateFinding(tx, row.id, {
    liveness,
    risk_factors: JSON.stringify(factors),
    risk_score: score,
    due_at: dueAfter(row, score),
    // As when a scan no longer finds the secret: a later scan that finds it opens the finding again.
    fixed_scan_id: row.fixed_scan_id ?? row.last_scan_id,
    ...(isOpen ? { status: "remediated" as const } : {}),
  });
  if (isOpen) {
    const reason = isReference ? REFERENCE : isRotated ? ROTATED : REPLACED;
    await addChange(context, tx, BY, row.id, { kind: "fixed", from: row.status, to: "remediated", reason });
  }
  await publish(context, tx, [row]);
}

/** INVARIANT: users who see a twin do not learn that an account has the secret: it closes as if a scan no longer found it. */
async function closeTwins(context: FindingsContext, tx: Tx, { id, last_scan_id }: FindingRow): Promise<void> {
  for (const twin of await lockTwins(tx, id)) {
    const isOpen = twin.status === "new" || twin.status === "investigating";
    const status = isOpen ? ("remediated" as const) : twin.status;
    await updateFinding(tx, twin.id, { fixed_scan_id: last_scan_id, status });
    if (isOpen) {
      await addChange(context, tx, BY, twin.id, { kind: "fixed", from: twin.status, to: status, reason: null });
    }
  }
}
