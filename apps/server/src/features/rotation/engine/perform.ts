// Performs a recorded task outside the database: opens the secrets, calls the target and returns the events.
import { EnvelopeError, KekError, SealedError } from "@strongroom/keys";
import type { Secret } from "@strongroom/keys";
import type {
  ChangeResult,
  Failure,
  IssueResult,
  ReconcileLogin as Reconciling,
  VerifyContext,
} from "@strongroom/connectors";
import { NOT_ACTIVE, checkActive, openEnvelope } from "#features/secrets/index.ts";
import { loginTargetOf, resultOf } from "#features/verification/index.ts";
import type { CompletedTask, NewSecret, RotationTask, SealedSecret } from "./step.ts";
import { recordReconcilerRejection } from "../reconcile/record-rejection.ts";
import { reconcileTarget } from "../reconcile/reconcile-scope.policy.ts";
import type { AttentionCode, RotationEvent, LoginAnswer } from "../rotation.policy.ts";
import type { Reconciler } from "./engine.store.ts";
import type { RotationContext } from "../context.ts";

const TIMEOUT_MS = 20_000;

export interface TaskOutcome {
  done: CompletedTask[];
  made: NewSecret | null;
}

/** Never throws: an unknown result becomes an `unknown` event. */
export async function performTask(
  context: RotationContext,
  task: RotationTask,
  signal: AbortSignal,
): Promise<TaskOutcome> {
  const { clock, log } = context.kernel;
  const startedAt = clock.now();
  const verifyContext = { timeoutMs: TIMEOUT_MS, signal, network: context.network, now: () => clock.now() };
  try {
    return await runTask(context, task, verifyContext, startedAt);
  } catch (error) {
    log.error({ err: error, credential: task.secretRow.id, act: task.do }, "a rotation step failed with an error");
    return { done: [failed(task, error, clock.now())], made: null };
  }
}

async function runTask(
  context: RotationContext,
  task: RotationTask,
  verifyContext: VerifyContext,
  startedAt: Date,
): Promise<TaskOutcome> {
  const { connector, secretRow } = task;
  const target = loginTargetOf(secretRow);
  const now = () => context.kernel.clock.now();
  const completed = (event: RotationEvent, detail: string | null): TaskOutcome => ({
    done: [{ event, detail, at: now(), login: null }],
    made: null,
  });
  switch (task.do) {
    case "send": {
      using candidate = await open(context, task, task.candidate);
      if (task.by === "account") {
        using current = await open(context, task, task.current);
        const result = await connector.change!(target, current, candidate, verifyContext);
        return { done: [sent(result, task, startedAt, now())], made: null };
      }
      using secret = await openReconciler(context, task.reconciler);
      const by: Reconciling = { username: task.reconciler.username, secret };
      const result = await connector.reconcile!(
        reconcileTarget(secretRow, task.reconciler.reach),
        by,
        candidate,
        verifyContext,
      );
      if (result.outcome === "unsent")
        await recordReconcilerRejection(context, task.reconciler, { ...result.failure, durationMs: result.durationMs });
      return {
        done: [sent(result, task, startedAt, now())],
        made: null,
      };
    }
    case "probe": {
      using secret = await open(context, task, task.secret);
      const result = resultOf(await connector.verify(target, secret, verifyContext));
      const { version } = task.secret;
      const event: RotationEvent = { kind: "probed", version, says: saysOf(result) };
      const detail = event.says === "unclear" ? result.message : null;
      return { done: [{ event, detail, at: now(), login: { version, result, startedAt } }], made: null };
    }
    case "retire": {
      using current = await open(context, task, task.current);
      using retired = await open(context, task, task.retired);
      const result = await connector.retire!(target, current, retired, verifyContext);
      if (result.outcome === "changed") return completed({ kind: "retired" }, result.message);
      const mayPass =
        result.outcome === "unknown" || (result.outcome === "unsent" && result.failure.outcome === "unreachable");
      return completed({ kind: "not-retired", mayPass }, result.message);
    }
    case "make-key": {
      using current = await open(context, task, task.current);
      const secret = await connector.newSecret!(current);
      if (secret !== null) return { done: [], made: { secret } };
      return completed(
        { kind: "gave-up", code: "misconfigured" },
        "The stored secret looks like a private key but is not valid.",
      );
    }
    case "issue": {
      using current = await open(context, task, task.current);
      const result = await connector.issue!(target, current, verifyContext);
      return result.outcome === "issued" ? { done: [], made: result } : completed(unissued(result), result.message);
    }
  }
}

function open(
  { kernel }: RotationContext,
  { secretRow }: RotationTask,
  { version, envelope }: SealedSecret,
): Promise<Secret> {
  const { id, user_id, safe_id } = secretRow;
  return openEnvelope(kernel, { id, user_id, safe_id, version, envelope });
}

/** Opens the account's active secret. Throws like `checkActive` and `openEnvelope`. */
export async function openReconciler({ kernel }: RotationContext, reconciler: Reconciler): Promise<Secret> {
  const { id, safe_id, version, envelope } = reconciler;
  await checkActive(kernel, { ...reconciler, user_id: null, secret_version: version }, { isUnlocked: true });
  return openEnvelope(kernel, { id, user_id: null, safe_id, version, envelope });
}

/** Maps a login result to what it proves about its secret. Only an unambiguous answer counts. */
function saysOf({ outcome, code }: { outcome: string; code: string | null }): LoginAnswer {
  if (outcome === "verified") return "live";
  if (outcome !== "rejected") return "unclear";
  // Connectors return these codes only after the correct password.
  if (code === "must-change" || code === "password-expired") return "live";
  return code === "wrong-password" ? "dead" : "unclear";
}

function sent(
  result: ChangeResult,
  task: Extract<RotationTask, { do: "send" }>,
  startedAt: Date,
  at: Date,
): CompletedTask {
  const { outcome, message: detail } = result;
  switch (outcome) {
    case "changed":
      return { event: { kind: "changed" }, detail, at, login: null };
    case "refused":
      return { event: { kind: "refused", code: result.code }, detail, at, login: null };
    case "unknown":
      return { event: { kind: "unknown" }, detail, at, login: null };
    case "unsent": {
      const event = unsent(result.failure, task.by);
      // A rejected login of the account itself is also a login result for its secret.
      const isRejected = task.by === "account" && result.failure.outcome === "rejected";
      const login = isRejected
        ? {
            version: task.current.version,
            result: resultOf({ ...result.failure, durationMs: result.durationMs }),
            startedAt,
          }
        : null;
      return { event, detail, at, login };
    }
  }
}

function unsent(failure: Failure, by: "account" | "reconcile-account"): RotationEvent {
  if (failure.outcome === "unreachable") return { kind: "unsent", why: "unreachable" };
  if (failure.outcome !== "rejected") return { kind: "unsent", why: "misconfigured" };
  if (by === "reconcile-account" || failure.code === "wrong-password") return { kind: "unsent", why: "refused" };
  // The password is correct, but this login may not change it; the reconcile account may.
  if (failure.code === "must-change" || failure.code === "password-expired") {
    return { kind: "refused", code: "not-changeable" };
  }
  return { kind: "unsent", why: "misconfigured" };
}

function unissued(result: Exclude<IssueResult, { outcome: "issued" }>): RotationEvent {
  const stop = (code: AttentionCode): RotationEvent => ({ kind: "gave-up", code });
  if (result.outcome === "refused") return stop("refused");
  if (result.outcome === "unknown" || result.failure.outcome === "unreachable") return { kind: "unmade" };
  return stop(result.failure.outcome === "rejected" ? "old-refused" : "misconfigured");
}

/** Returns the result of a task that threw, because a secret could not be opened or because a connector has a bug. */
function failed(task: RotationTask, error: unknown, at: Date): CompletedTask {
  const isUnopened = error instanceof EnvelopeError || error instanceof KekError || error instanceof SealedError;
  return { ...afterFailure(task, error, isUnopened), detail: isUnopened ? detailOf(error) : INTERNAL_ERROR, at };
}

const INTERNAL_ERROR = "Internal error. See the server log.";

function detailOf(error: EnvelopeError | KekError | SealedError): string {
  if (error instanceof SealedError) return "The vault was sealed.";
  if (error.code === "envelope.not-active") return NOT_ACTIVE;
  return "A stored secret cannot be decrypted. Contact an administrator.";
}

function afterFailure(task: RotationTask, error: unknown, isUnopened: boolean): Pick<CompletedTask, "event" | "login"> {
  const isPassing = error instanceof SealedError;
  switch (task.do) {
    case "send":
      if (!isUnopened) return { event: { kind: "unknown" }, login: null };
      return { event: { kind: "unsent", why: isPassing ? "unreachable" : "misconfigured" }, login: null };
    case "probe":
      return { event: { kind: "probed", version: task.secret.version, says: "unclear" }, login: null };
    case "retire":
      return { event: { kind: "not-retired", mayPass: isPassing }, login: null };
    case "make-key":
    case "issue":
      if (isUnopened && !isPassing) return { event: { kind: "gave-up", code: "misconfigured" }, login: null };
      return { event: { kind: "unmade" }, login: null };
  }
}
