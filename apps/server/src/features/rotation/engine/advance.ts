// Advances a rotation by one step in one transaction: records the last results and the next task.
import { canChange } from "@strongroom/connectors";
import type { Connector } from "@strongroom/connectors";
import type { Tx } from "#kernel/db/database.ts";
import { NOT_ACTIVE, activeError } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { connectorOf } from "#features/verification/index.ts";
import type { RotationContext } from "../context.ts";
import { checkReconcileScope } from "../reconcile/reconcile-scope.policy.ts";
import { lineOf } from "../rotation-labels.ts";
import { applyEvent, backOff, nextAction } from "../rotation.policy.ts";
import type { Capabilities, Journal, RotationAction, RotationEvent } from "../rotation.policy.ts";
import type { RotationKind, RotationRow } from "../rotation.store.ts";
import { readSnapshot } from "./engine.store.ts";
import type { Facts, RotationSnapshot } from "./engine.store.ts";
import { storeCandidate, versionIn } from "./make-candidate.ts";
import { LEASE_LOST, saveStep } from "./save-step.ts";
import { stepOf } from "./step.ts";
import type { AdvanceResult, CompletedTask, LoginRecord, NewSecret, RotationTask, StepResult } from "./step.ts";

const WHILE_VERIFYING_MS = 2_000;
const WHILE_CHECKED_OUT_MS = 10_000;

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
        snapshot.secretRow === null ? null : await decide(context, tx, { row, stepResult, snapshot, made, at });
      return await saveStep(context, tx, { row, stepResult, snapshot, task, at });
    })
    .catch((error: unknown) => {
      if (error === LEASE_LOST) return null;
      throw error;
    });
}

/** Sets `isNew` to false for a working secret that is older than this rotation, and adds a journal line about it. */
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
  const secretRow = snapshot.secretRow!;
  const connector = connectorOf(secretRow);
  // No change was sent yet, so the rotation starts from the version that is stored now.
  if (stepResult.journal.step === "planned" && stepResult.journal.candidate === null) {
    // From here on the journal names the version to change, so that edits to the row cannot disturb the change.
    if ((await activeError(context.kernel, secretRow)) !== null) {
      recordEvent(stepResult, {
        event: { kind: "gave-up", code: "misconfigured" },
        detail: NOT_ACTIVE,
        at,
        login: null,
      });
      return null;
    }
    const old = secretRow.secret_version;
    stepResult.journal = snapshot.is_password_unknown
      ? { ...stepResult.journal, old, earlier: [], isOldUnknown: true }
      : { ...stepResult.journal, old, earlier: earlierOf(snapshot, old) };
  }
  for (;;) {
    if (isGivenUp(stepResult, snapshot)) {
      stepResult.journal = { ...stepResult.journal, step: "ended", attention: null };
      stepResult.isCancelled = true;
      return null;
    }
    const capabilities = capabilitiesOf(connector, snapshot, stepResult.kind, secretRow);
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
      for (const kind of ISSUED) recordEvent(stepResult, { event: kind, detail: null, at, login: null });
      continue;
    }
    if (act.do !== "store") return taskOf(stepResult, snapshot, act, { secretRow, connector, at });
    const stored = await storeCandidate(context.kernel, tx, { row, stepResult, snapshot, made, at }, connector);
    if (stored === "make-key")
      return { do: "make-key", secretRow, connector, current: versionIn(snapshot, stepResult.journal.old) };
    if (stored === "issue")
      return { do: "issue", secretRow, connector, current: versionIn(snapshot, stepResult.journal.old) };
    recordEvent(stepResult, { event: stored, detail: null, at, login: null });
  }
}

/** Versions that might be active if the target rejects the stored version: its predecessor and the newest candidate. */
function earlierOf({ secretRow, versions }: RotationSnapshot, old: number): number[] {
  const sendable = versions.filter(({ version }) => version >= (secretRow?.sendable_from ?? 1));
  const before = sendable.find(({ version, is_candidate }) => !is_candidate && version < old);
  const unproved = sendable.find(({ is_candidate }) => is_candidate);
  return [before, unproved].flatMap((found) => (found === undefined ? [] : [found.version]));
}

const ISSUED: readonly RotationEvent[] = [{ kind: "sending", by: "account" }, { kind: "changed" }];

/**
 * Whether the rotation ends now: the run was cancelled, or the account, platform or safe is no longer active, and no
 * unconfirmed change exists.
 */
const isGivenUp = ({ journal }: StepResult, { is_run_cancelled, is_active }: RotationSnapshot): boolean =>
  (is_run_cancelled || !is_active) && !journal.inDoubt && (journal.step === "planned" || journal.step === "stored");

/** Only a rotation that no user requested waits for a check-in. */
const isUnasked = ({ asked_by }: RotationRow): boolean => asked_by === null;

/**
 * Whether the task must wait: a verification is logging in now, or the reconcile account's own secret is being rotated.
 */
function mustWait({ is_verifying, reconciler }: RotationSnapshot, act: RotationAction): boolean {
  return is_verifying || (act.do === "send" && act.by === "reconcile-account" && reconciler?.is_changing === true);
}

function taskOf(
  stepResult: StepResult,
  snapshot: RotationSnapshot,
  act: Exclude<RotationAction, { do: "store" }>,
  { secretRow, connector, at }: { secretRow: SecretRow; connector: Connector; at: Date },
): RotationTask {
  const base = { secretRow, connector };
  const { old, candidate } = stepResult.journal;
  switch (act.do) {
    case "probe":
      return { ...base, do: "probe", secret: versionIn(snapshot, act.version) };
    case "retire":
      return { ...base, do: "retire", current: versionIn(snapshot, candidate!), retired: versionIn(snapshot, old) };
    case "send": {
      const sending: RotationEvent = { kind: "sending", by: act.by };
      const task = { ...base, do: "send" as const, candidate: versionIn(snapshot, candidate!) };
      recordEvent(stepResult, { event: sending, detail: null, at, login: null });
      return act.by === "account"
        ? { ...task, by: "account", current: versionIn(snapshot, old) }
        : { ...task, by: "reconcile-account", reconciler: snapshot.reconciler! };
    }
    default:
      throw new Error(`unknown task ${act.do}`);
  }
}

export function capabilitiesOf(
  connector: Connector,
  { reconciler }: Pick<Facts, "reconciler">,
  kind: RotationKind | null,
  secretRow: SecretRow,
): Capabilities {
  const mayReconcile =
    reconciler !== null && !reconciler.is_refused && checkReconcileScope(secretRow, reconciler.reach) === null;
  return {
    canChange: canChange(connector),
    canReconcile: connector.reconcile !== undefined && mayReconcile && kind !== "issued",
    mustRetire: connector.retire !== undefined && kind !== "password",
  };
}

/** The pause after the target rejected every stored secret, because a change may still take effect. */
const LOOK_AGAIN_MS = 30_000;

/** Applies an event to the journal and adds a journal line. */
export function recordEvent(stepResult: StepResult, { event, detail, at, login }: CompletedTask): void {
  const before = stepResult.journal;
  const now = applyEvent(before, event);
  stepResult.journal = now;
  stepResult.lines.push({ at, step: now.step, message: lineOf(event, detail) });
  if (login !== null) stepResult.logins.push(login);
  if (detail !== null) stepResult.detail = detail;
  if (event.kind === "probed" && event.says === "live" && event.version !== before.old) stepResult.proof = login;
  stepResult.pauseMs = pauseAfter(before, now, event) ?? stepResult.pauseMs;
}

function pauseAfter(before: Journal, now: Journal, event: RotationEvent): number | null {
  if (now.stalls > before.stalls) return backOff(now.stalls - 1);
  if (now.refusals > before.refusals) return backOff(now.refusals - 1);
  if (event.kind === "looks-again") return LOOK_AGAIN_MS;
  // The sent change has had no effect yet, so wait in case it is applied late.
  return event.kind === "probed" && event.says === "live" && now.step === "stored" ? backOff(now.tries - 1) : null;
}

/** Returns the next action; null if the rotation has to wait. Actions that need no task are recorded directly. */
function planNext(
  stepResult: StepResult,
  capabilities: Capabilities,
  isReconcilerRefused: boolean,
  at: Date,
): RotationAction | null {
  while (stepResult.pauseMs === null) {
    const act = nextAction(stepResult.journal, capabilities);
    if (act === null) return null;
    const event = eventWithoutTask(act, isReconcilerRefused);
    if (event === null) return act;
    recordEvent(stepResult, { event, detail: null, at, login: null });
  }
  return null;
}

function eventWithoutTask(act: RotationAction, isReconcilerRefused: boolean): RotationEvent | null {
  if (act.do === "look-again") return { kind: "looks-again" };
  if (act.do === "end") return { kind: "retired" };
  if (act.do !== "give-up") return null;
  // A reconcile account exists, but a user must correct its secret first.
  const code = act.code === "cannot-change" && isReconcilerRefused ? "reconcile-refused" : act.code;
  return { kind: "gave-up", code };
}
