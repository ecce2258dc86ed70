// Advances one rotation until it has to wait: alternates recorded steps with tasks outside the database.
import { nextAction } from "../rotation.policy.ts";
import { LEASE_SECONDS, advance } from "./advance.ts";
import type { RotationTask } from "./advance.ts";
import { performTask } from "./perform.ts";
import type { TaskOutcome } from "./perform.ts";
import type { RotationRow } from "../rotation.store.ts";
import type { RotationContext } from "../context.ts";
import { capabilitiesOf, recordEvent, stepOf } from "./step.ts";

/** The caller leased the row. Returns after the lease is released or lost to another worker. */
export async function workRotation(context: RotationContext, claimed: RotationRow, signal: AbortSignal): Promise<void> {
  let row = claimed;
  let performed: TaskOutcome = { done: [], made: null };
  while (!signal.aborted) {
    const advanced = await advance(context, row, performed.done, performed.made);
    performed.made?.secret.dispose();
    if (advanced === null || advanced.task === null) return;
    row = advanced.row;
    performed = await performAll(context, row, advanced.task, signal);
  }
  // The results since the last step are not recorded: the next worker probes the target.
}

/**
 * Probes the candidate at once after the target accepts a change. If the process dies in between, the journal already
 * says enough to recover. A slow result is recorded first, before the lease expires.
 */
async function performAll(
  context: RotationContext,
  row: RotationRow,
  task: RotationTask,
  signal: AbortSignal,
): Promise<TaskOutcome> {
  const startedAt = performance.now();
  const performed = await performTask(context, task, signal);
  const isQuick = performance.now() - startedAt < (LEASE_SECONDS * 1000) / 4;
  if (task.do !== "send" || !isQuick || performed.done[0]?.event.kind !== "changed") return performed;
  const stepResult = stepOf(row);
  for (const each of performed.done) recordEvent(stepResult, each);
  const act = nextAction(
    stepResult.journal,
    capabilitiesOf(task.connector, { reconciler: null }, stepResult.kind, task.credential),
  );
  if (act?.do !== "probe" || act.version !== task.candidate.version) return performed;
  const { credential, connector } = task;
  const proof = await performTask(context, { do: "probe", credential, connector, secret: task.candidate }, signal);
  return { done: [...performed.done, ...proof.done], made: null };
}
