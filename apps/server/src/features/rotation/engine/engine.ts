// The rotation workers: each process claims due rotations, up to limits per process, requester and target.
import { newId } from "#kernel/id.ts";
import { LEASE_SECONDS } from "./advance.ts";
import { claim, hasDue } from "../rotation.store.ts";
import type { RotationRow } from "../rotation.store.ts";
import type { RotationContext } from "../context.ts";
import { workDependent } from "../dependents/work-dependents.ts";
import { workRotation } from "./work-rotation.ts";

export interface Engine {
  /** Call after the event bus has started. */
  start(): Promise<void>;
  /** Stops claiming, aborts running tasks and waits for them. */
  stop(): Promise<void>;
}

const MOST_AT_ONCE = 16;
/** Includes rotations that wait for a slow target. Each holds one connection and little else. */
const MOST_WITH_SLOW = 64;
/** A task that runs longer frees its slot for another. */
const HELD_UP_MS = 3_000;
/** The limit for one requester or for the schedule: hanging targets of one delay no others. */
const MOST_FOR_ONE = 12;
const MOST_PER_TARGET = 2;
/** The limit of concurrent dependent updates in each process. */
const MOST_DEPENDENTS = 8;
/** The polling interval without events, for delayed rotations and those of a dead process. */
const LOOK_MS = 1_000;

export function createEngine(context: RotationContext): Engine {
  const { kernel } = context;
  const { database, events, keys, log } = kernel;
  const stopping = new AbortController();
  const underWay = new Map<Promise<void>, { asker: string; since: number }>();
  let looking: Promise<void> | null = null;
  const serving = new Set<Promise<void>>();
  let isCalled = false;
  let timer: NodeJS.Timeout | undefined;

  function wake(): void {
    isCalled = true;
    if (!stopping.signal.aborted) looking ??= look().finally(() => (looking = null));
  }

  /** One claim at a time in each process. */
  async function look(): Promise<void> {
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
    if (!stopping.signal.aborted) timer = setTimeout(wake, LOOK_MS).unref();
  }

  function quickTargets(): string[] {
    const now = performance.now();
    return [...underWay.values()].filter(({ since }) => now - since < HELD_UP_MS).map(({ asker }) => asker);
  }

  const free = (): number => Math.min(MOST_AT_ONCE - quickTargets().length, MOST_WITH_SLOW - underWay.size);

  async function takeDue(): Promise<RotationRow[]> {
    if (!(await hasDue(database.db))) return [];
    const counts = Map.groupBy(quickTargets(), (each) => each);
    const busyAskers = [...counts].filter(([, own]) => own.length >= MOST_FOR_ONE).map(([each]) => each);
    const most = free();
    const rules = { leaseSeconds: LEASE_SECONDS, mostPerTarget: MOST_PER_TARGET, most, busyAskers };
    return database.pipelinedTransaction((tx) => claim(tx, newId(), rules));
  }

  function begin(row: RotationRow): void {
    const work = workRotation(context, row, stopping.signal)
      // The lease expires, and another worker claims the rotation.
      .catch((error: unknown) => log.error({ err: error, rotation: row.id }, "a rotation failed with an error"))
      .finally(() => {
        underWay.delete(work);
        wake();
      });
    underWay.set(work, { asker: row.asked_by?.id ?? "", since: performance.now() });
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
    const viewer = work()
      .catch((error: unknown) => log.warn({ err: error }, "could not claim dependents; retrying"))
      .finally(() => serving.delete(viewer));
    serving.add(viewer);
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
      await looking;
      await Promise.allSettled([...underWay.keys(), ...serving]);
    },
  };
}
