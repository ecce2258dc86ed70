// Computes one step of a rotation from its completed tasks and plans the next. Sends no SQL.
import { canChange, connectorFor } from "@strongroom/connectors";
import type { Connector } from "@strongroom/connectors";
import type { SecretRow } from "#features/secrets/index.ts";
import { loginTargetOf } from "#features/verification/index.ts";
import type { Result } from "#features/verification/index.ts";
import { checkReconcileScope } from "../reconcile/reconcile-scope.policy.ts";
import { applyEvent, backOff, nextAction } from "../rotation.policy.ts";
import type { RotationAct, RotationEvent, Journal, Capabilities } from "../rotation.policy.ts";
import type { RotationKind, LineRow, RotationRow } from "../rotation.store.ts";
import type { Facts } from "./snapshot.store.ts";
import { lineOf } from "../rotation-labels.ts";

/** A login with a stored secret, for the list of attempts. */
export interface LoginRecord {
  version: number;
  result: Result;
  startedAt: Date;
}

/** The result of a task outside the database. */
export interface CompletedTask {
  event: RotationEvent;
  /** The connector's message. */
  said: string | null;
  at: Date;
  login: LoginRecord | null;
}

export interface StepResult {
  journal: Journal;
  kind: RotationKind | null;
  lines: LineRow[];
  logins: LoginRecord[];
  /** Versions that were opened only to be compared with a new password. */
  compared: number[];
  /** Milliseconds until the next step; null: no pause. */
  pauseMs: number | null;
  /** The login that proved a version which was not active before. */
  proof: LoginRecord | null;
  /** The version was generated for this rotation; false for an earlier secret that is active again. */
  isNew: boolean;
  /** Cancelled before anything was sent. */
  isCancelled: boolean;
  /** The connector's message, more specific than the attention code. */
  said: string | null;
}

export const stepOf = ({ journal, kind }: Pick<RotationRow, "journal" | "kind">): StepResult => ({
  journal,
  kind,
  lines: [],
  logins: [],
  compared: [],
  pauseMs: null,
  proof: null,
  isNew: true,
  isCancelled: false,
  said: null,
});

export function connectorOf(credential: SecretRow): Connector {
  return connectorFor(loginTargetOf(credential));
}

export function capabilitiesOf(
  connector: Connector,
  { reconciler }: Pick<Facts, "reconciler">,
  kind: RotationKind | null,
  credential: SecretRow,
): Capabilities {
  const mayReconcile =
    reconciler !== null && !reconciler.is_refused && checkReconcileScope(credential, reconciler.reach) === null;
  return {
    canChange: canChange(connector),
    canReconcile: connector.reconcile !== undefined && mayReconcile && kind !== "issued",
    mustRetire: connector.retire !== undefined && kind !== "password",
  };
}

/** The pause after the target rejected every stored secret, because a change may still take effect. */
const LOOK_AGAIN_MS = 30_000;

/** Applies an event to the journal and adds its line. */
export function recordEvent(stepResult: StepResult, { event, said, at, login }: CompletedTask): void {
  const before = stepResult.journal;
  const now = applyEvent(before, event);
  stepResult.journal = now;
  stepResult.lines.push({ at, step: now.step, message: lineOf(event, said) });
  if (login !== null) stepResult.logins.push(login);
  if (said !== null) stepResult.said = said;
  if (event.kind === "probed" && event.says === "live" && event.version !== before.old) stepResult.proof = login;
  stepResult.pauseMs = pauseAfter(before, now, event) ?? stepResult.pauseMs;
}

function pauseAfter(before: Journal, now: Journal, event: RotationEvent): number | null {
  if (now.stalls > before.stalls) return backOff(now.stalls - 1);
  if (now.refusals > before.refusals) return backOff(now.refusals - 1);
  if (event.kind === "looks-again") return LOOK_AGAIN_MS;
  // The sent change had no effect yet: wait in case it is applied late.
  return event.kind === "probed" && event.says === "live" && now.step === "stored" ? backOff(now.tries - 1) : null;
}

/** Returns the next act; null if the rotation has to wait. Records acts that need no task on the way. */
export function planNext(
  stepResult: StepResult,
  capabilities: Capabilities,
  isReconcilerRefused: boolean,
  at: Date,
): RotationAct | null {
  while (stepResult.pauseMs === null) {
    const act = nextAction(stepResult.journal, capabilities);
    if (act === null) return null;
    const event = atOnce(act, isReconcilerRefused);
    if (event === null) return act;
    recordEvent(stepResult, { event, said: null, at, login: null });
  }
  return null;
}

function atOnce(act: RotationAct, isReconcilerRefused: boolean): RotationEvent | null {
  if (act.do === "look-again") return { kind: "looks-again" };
  if (act.do === "end") return { kind: "retired" };
  if (act.do !== "give-up") return null;
  // A reconcile account exists, but a person must correct its secret first.
  const code = act.code === "cannot-change" && isReconcilerRefused ? "reconcile-refused" : act.code;
  return { kind: "gave-up", code };
}
