// Advances a rotation by one step in one transaction: records the last results and the next task.
import type { Connector } from "@strongroom/connectors";
import type { Tx } from "#kernel/db/database.ts";
import { NOT_ACTIVE, activeError } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { storeCandidate, versionIn } from "./make-candidate.ts";
import type { NewSecret, SealedSecret } from "./make-candidate.ts";
import { publishStep, recordUse } from "./record-step.ts";
import { storeResults } from "./store-results.ts";
import type { RotationAct, RotationEvent } from "../rotation.policy.ts";
import { writeJournal } from "../rotation.store.ts";
import type { RotationRow } from "../rotation.store.ts";
import { readSnapshot } from "./snapshot.store.ts";
import type { Reconciler, RotationSnapshot } from "./snapshot.store.ts";
import type { RotationContext } from "../context.ts";
import { connectorOf, capabilitiesOf, planNext, recordEvent, stepOf } from "./step.ts";
import type { CompletedTask, LoginRecord, StepResult } from "./step.ts";
import { ATTENTION } from "../rotation-labels.ts";

/** Longer than any task between two steps. */
export const LEASE_SECONDS = 60;
const WHILE_VERIFYING_MS = 2_000;
const WHILE_CHECKED_OUT_MS = 10_000;

/** A recorded task to perform outside the database. */
export type RotationTask = { credential: SecretRow; connector: Connector } & (
  | { do: "send"; by: "account"; current: SealedSecret; candidate: SealedSecret }
  | { do: "send"; by: "reconcile-account"; reconciler: Reconciler; candidate: SealedSecret }
  | { do: "probe"; secret: SealedSecret }
  | { do: "retire"; current: SealedSecret; retired: SealedSecret }
  | { do: "make-key"; current: SealedSecret }
  | { do: "issue"; current: SealedSecret }
);

export interface AdvanceResult {
  row: RotationRow;
  /** Null: the lease is released. */
  task: RotationTask | null;
}

/** Returns null, and writes nothing, when the lease was lost. */
export async function advance(
  context: RotationContext,
  row: RotationRow,
  done: readonly CompletedTask[],
  made: NewSecret | null,
): Promise<AdvanceResult | null> {
  const { kernel } = context;
  return kernel.database
    .pipelinedTransaction(async (tx) => {
      const snapshot = await readSnapshot(tx, row.credential_id);
      const at = kernel.clock.now();
      const stepResult = stepOf(row);
      for (const each of done) recordEvent(stepResult, each);
      if (stepResult.proof !== null) classifyProof(stepResult, stepResult.proof, snapshot, row);
      const task =
        snapshot.credential === null ? null : await decide(context, tx, { row, stepResult, snapshot, made, at });
      return await save(context, tx, { row, stepResult, snapshot, task, at });
    })
    .catch((error: unknown) => {
      if (error === LOST) return null;
      throw error;
    });
}

const LOST = new Error("lost the lease of a rotation");

/** Marks a working secret from before this rotation as not new, and adds a journal line that says so. */
function classifyProof(
  stepResult: StepResult,
  { version }: LoginRecord,
  { versions }: RotationSnapshot,
  { started_at }: RotationRow,
): void {
  const found = versions.find((each) => each.version === version);
  stepResult.isNew = found === undefined || found.created_at >= started_at;
  if (stepResult.isNew) return;
  const message = `The target uses an earlier secret again, version ${version}. It is now the active secret.`;
  stepResult.lines.push({ at: stepResult.lines.at(-1)!.at, step: stepResult.journal.step, message });
}

interface Situation {
  row: RotationRow;
  stepResult: StepResult;
  snapshot: RotationSnapshot;
  at: Date;
}

async function decide(
  context: RotationContext,
  tx: Tx,
  { row, stepResult, snapshot, made, at }: Situation & { made: NewSecret | null },
): Promise<RotationTask | null> {
  const credential = snapshot.credential!;
  const connector = connectorOf(credential);
  // No change was sent yet, so the rotation starts from the version that is stored now.
  if (stepResult.journal.step === "planned" && stepResult.journal.candidate === null) {
    // From here on the journal names the version to change, so that edits of the row cannot disturb the change.
    if ((await activeError(context.kernel, credential)) !== null) {
      recordEvent(stepResult, { event: { kind: "gave-up", code: "misconfigured" }, said: NOT_ACTIVE, at, login: null });
      return null;
    }
    const old = credential.secret_version;
    stepResult.journal = { ...stepResult.journal, old, earlier: earlierOf(snapshot, old) };
  }
  for (;;) {
    if (isGivenUp(stepResult, snapshot)) {
      stepResult.journal = { ...stepResult.journal, step: "ended", attention: null };
      stepResult.isCancelled = true;
      return null;
    }
    const capabilities = capabilitiesOf(connector, snapshot, stepResult.kind, credential);
    const act = planNext(stepResult, capabilities, snapshot.reconciler?.is_refused === true, at);
    if (act === null) return null;
    if (mustWait(snapshot, act)) {
      stepResult.pauseMs = WHILE_VERIFYING_MS;
      return null;
    }
    if (act.do === "send" && snapshot.waits_for_check_in && isUnasked(row)) {
      stepResult.pauseMs = WHILE_CHECKED_OUT_MS;
      return null;
    }
    if (act.do === "send" && stepResult.kind === "issued") {
      // The target generated this secret, so nothing has to be sent: the next task probes whether it works.
      for (const kind of ISSUED) recordEvent(stepResult, { event: kind, said: null, at, login: null });
      continue;
    }
    if (act.do !== "store") return taskOf(stepResult, snapshot, act, { credential, connector, at });
    const stored = await storeCandidate(context.kernel, tx, { row, stepResult, snapshot, made, at }, connector);
    if (stored === "make-key")
      return { do: "make-key", credential, connector, current: versionIn(snapshot, stepResult.journal.old) };
    if (stored === "issue")
      return { do: "issue", credential, connector, current: versionIn(snapshot, stepResult.journal.old) };
    recordEvent(stepResult, { event: stored, said: null, at, login: null });
  }
}

/** Versions that might be active if the target rejects the stored one: the one before it and the newest candidate. */
function earlierOf({ credential, versions }: RotationSnapshot, old: number): number[] {
  const sendable = versions.filter(({ version }) => version >= (credential?.sendable_from ?? 1));
  const before = sendable.find(({ version, is_candidate }) => !is_candidate && version < old);
  const unproved = sendable.find(({ is_candidate }) => is_candidate);
  return [before, unproved].flatMap((found) => (found === undefined ? [] : [found.version]));
}

const ISSUED: readonly RotationEvent[] = [{ kind: "sending", by: "account" }, { kind: "changed" }];

/** The run was cancelled, or the account, platform or safe is no longer active, and no unconfirmed change exists. */
const isGivenUp = ({ journal }: StepResult, { is_run_cancelled, is_active }: RotationSnapshot): boolean =>
  (is_run_cancelled || !is_active) && !journal.inDoubt && (journal.step === "planned" || journal.step === "stored");

/** A rotation that a person requested does not wait for a check-in. */
const isUnasked = ({ asked_by }: RotationRow): boolean => asked_by === null;

/** A verification or another rotation is logging in with a secret that this act would change. */
function mustWait({ is_verifying, reconciler }: RotationSnapshot, act: RotationAct): boolean {
  return is_verifying || (act.do === "send" && act.by === "reconcile-account" && reconciler?.is_changing === true);
}

function taskOf(
  stepResult: StepResult,
  snapshot: RotationSnapshot,
  act: Exclude<RotationAct, { do: "store" }>,
  { credential, connector, at }: { credential: SecretRow; connector: Connector; at: Date },
): RotationTask {
  const base = { credential, connector };
  const { old, candidate } = stepResult.journal;
  switch (act.do) {
    case "probe":
      return { ...base, do: "probe", secret: versionIn(snapshot, act.version) };
    case "retire":
      return { ...base, do: "retire", current: versionIn(snapshot, candidate!), retired: versionIn(snapshot, old) };
    case "send": {
      const sending: RotationEvent = { kind: "sending", by: act.by };
      const task = { ...base, do: "send" as const, candidate: versionIn(snapshot, candidate!) };
      recordEvent(stepResult, { event: sending, said: null, at, login: null });
      return act.by === "account"
        ? { ...task, by: "account", current: versionIn(snapshot, old) }
        : { ...task, by: "reconcile-account", reconciler: snapshot.reconciler! };
    }
    default:
      throw new Error(`unknown task ${act.do}`);
  }
}

async function save(
  context: RotationContext,
  tx: Tx,
  { row, stepResult, snapshot, task, at }: Situation & { task: RotationTask | null },
): Promise<AdvanceResult> {
  const ending = endingOf(stepResult, snapshot, row);
  if (ending.line !== null) stepResult.lines.push({ at, step: "ended", message: ending.line });
  const isOver = task === null;
  const release = isOver ? { afterMs: stepResult.journal.step === "ended" ? null : stepResult.pauseMs } : null;
  const message = ending.line ?? messageOf(stepResult, snapshot, row);
  const { attention } = stepResult.journal;
  const { id, lease_token } = row;
  const mine = await writeJournal(tx, {
    id,
    token: lease_token!,
    journal: stepResult.journal,
    kind: stepResult.kind,
    lines: stepResult.lines,
    message,
    code: attention,
    outcome: ending.outcome,
    release,
    leaseSeconds: LEASE_SECONDS,
    at,
  });
  if (!mine) throw LOST;
  const written: RotationRow = {
    ...row,
    journal: stepResult.journal,
    step: stepResult.journal.step,
    kind: stepResult.kind,
    message,
    code: attention,
    outcome: ending.outcome,
    needs_attention: attention !== null,
    tries: stepResult.journal.tries,
  };
  const result = { before: row, row: written, stepResult, credential: snapshot.credential, at };
  await recordUse(tx, written, { compared: stepResult.compared, task }, at);
  await storeResults(context, tx, result);
  await publishStep(context, tx, { ...result, isReleased: isOver });
  return { row: written, task };
}

const RUN_STOPPED = "The run was stopped. Nothing was changed.";
const INACTIVE = "The account, its platform or its safe is no longer active. Nothing was changed.";

interface Ending {
  outcome: RotationRow["outcome"];
  line: string | null;
}

function endingOf(stepResult: StepResult, snapshot: RotationSnapshot, row: RotationRow): Ending {
  if (snapshot.credential === null) {
    stepResult.journal = { ...stepResult.journal, step: "ended" };
    return { outcome: "superseded", line: `"${row.credential_name}" was deleted.` };
  }
  if (stepResult.isCancelled) return { outcome: "cancelled", line: snapshot.is_active ? RUN_STOPPED : INACTIVE };
  return { outcome: stepResult.journal.step === "ended" ? "rotated" : null, line: null };
}

const HELD_BACK =
  "The target refused the platform's reconcile account. Store its correct secret and verify it to continue.";

function messageOf(
  { journal, lines, ...stepResult }: StepResult,
  { reconciler }: RotationSnapshot,
  row: RotationRow,
): string {
  const { attention } = journal;
  const said = stepResult.said ?? (reconciler?.is_refused === true ? HELD_BACK : null);
  if (attention === null) return lines.at(-1)?.message ?? row.message;
  const general = attention in ATTENTION ? ATTENTION[attention as keyof typeof ATTENTION] : "";
  return said === null ? general : `${general} ${said}`;
}
