// The rotation workers: each process claims due rotations, up to limits per process, requester and target, and advances
// each of them until it has to wait.
import { newId } from "#kernel/id.ts";
import type { RotationContext } from "../context.ts";
import { workDependent } from "../dependents/work-dependents.ts";
import { nextAction } from "../rotation.policy.ts";
import type { RotationRow } from "../rotation.store.ts";
import { advance, capabilitiesOf, recordEvent } from "./advance.ts";
import { stepOf } from "./step.ts";
import type { RotationTask } from "./step.ts";
import { LEASE_SECONDS, claim, hasDue } from "./engine.store.ts";
import { performTask } from "./perform.ts";
import type { TaskOutcome } from "./perform.ts";

export interface Engine {
  /** Call after the event bus has started. */
  start(): Promise<void>;
  /** Stops claiming, aborts running tasks and waits for them. */
  stop(): Promise<void>;
}

const MOST_AT_ONCE = 16;
/** The limit that includes rotations waiting for a slow target. Each of them holds one connection and little else. */
const MOST_WITH_SLOW = 64;
/** A task that runs longer frees its slot for another task. */
const SLOW_AFTER_MS = 3_000;
/** The limit for one requester or for the schedule, so that their hanging targets delay no other requester. */
const MOST_FOR_ONE = 12;
const MOST_PER_TARGET = 2;
/** The limit of concurrent dependent updates in each process. */
const MOST_DEPENDENTS = 8;
/** The polling interval when there are no events, to find delayed rotations and those of a dead process. */
const POLL_MS = 1_000;

export function createEngine(context: RotationContext): Engine {
  const { kernel } = context;
  const { database, events, keys, log } = kernel;
  const stopping = new AbortController();
  const running = new Map<Promise<void>, { requester: string; since: number }>();
  let polling: Promise<void> | null = null;
  const serving = new Set<Promise<void>>();
  let isCalled = false;
  let timer: NodeJS.Timeout | undefined;

  function wake(): void {
    isCalled = true;
    if (!stopping.signal.aborted) polling ??= poll().finally(() => (polling = null));
  }

  /** Claims due rotations. Each process makes one claim at a time. */
  async function poll(): Promise<void> {
    clearTimeout(timer);
    try {
      while (isCalled && !stopping.signal.aborted && !keys.isSealed && free() > 0) {
        isCalled = false;
        const taken = await takeDue();
        for (const row of taken) begin(row);
        // More rotations may be due than one claim takes.
        if (taken.length > 0) isCalled = true;
      }
      serveDependents();
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, "could not claim rotations; retrying");
    }
    if (!stopping.signal.aborted) timer = setTimeout(wake, POLL_MS).unref();
  }

  function quickRequesters(): string[] {
    const now = performance.now();
    return [...running.values()].filter(({ since }) => now - since < SLOW_AFTER_MS).map(({ requester }) => requester);
  }

  const free = (): number => Math.min(MOST_AT_ONCE - quickRequesters().length, MOST_WITH_SLOW - running.size);

  async function takeDue(): Promise<RotationRow[]> {
    if (!(await hasDue(database.db))) return [];
    const counts = Map.groupBy(quickRequesters(), (each) => each);
    const busyRequesters = [...counts].filter(([, own]) => own.length >= MOST_FOR_ONE).map(([each]) => each);
    const most = free();
    const rules = { mostPerTarget: MOST_PER_TARGET, most, busyRequesters };
    return database.pipelinedTransaction((tx) => claim(tx, newId(), rules));
  }

  function begin(row: RotationRow): void {
    const work = workRotation(context, row, stopping.signal)
      // The lease expires, and another worker claims the rotation.
      .catch((error: unknown) => log.error({ err: error, rotation: row.id }, "a rotation failed with an error"))
      .finally(() => {
        running.delete(work);
        wake();
      });
    running.set(work, { requester: row.asked_by?.id ?? "", since: performance.now() });
  }

  /**
   * Updates dependents that lack the new password. Each worker that finds one starts another, so that a hanging
   * dependent delays few others.
   */
  function serveDependents(): void {
    if (serving.size >= MOST_DEPENDENTS || stopping.signal.aborted) return;
    const work = async (): Promise<void> => {
      while (!stopping.signal.aborted && (await workDependent(context, stopping.signal, serveDependents)));
    };
    const serve = work()
      .catch((error: unknown) => log.warn({ err: error }, "could not claim dependents; retrying"))
      .finally(() => serving.delete(serve));
    serving.add(serve);
  }

  return {
    async start() {
      await events.subscribe({ filter: ({ type }) => type.startsWith("rotation.") }, ({ type, data }) => {
        if (type === "rotation.run-progressed" || data["state"] === "queued") wake();
      });
      wake();
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await polling;
      await Promise.allSettled([...running.keys(), ...serving]);
    },
  };
}

/** The caller leased the row. Returns after the lease is released or lost to another worker. */
async function workRotation(context: RotationContext, claimed: RotationRow, signal: AbortSignal): Promise<void> {
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
 * Probes the candidate immediately after the target accepts a change. If the process dies before the probe, the journal
 * already says enough to recover. A slow result is recorded first, before the lease expires.
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
    capabilitiesOf(task.connector, { reconciler: null }, stepResult.kind, task.secretRow),
  );
  if (act?.do !== "probe" || act.version !== task.candidate.version) return performed;
  const { secretRow, connector } = task;
  const proof = await performTask(context, { do: "probe", secretRow, connector, secret: task.candidate }, signal);
  return { done: [...performed.done, ...proof.done], made: null };
}
