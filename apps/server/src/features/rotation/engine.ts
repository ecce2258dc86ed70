// The workers of rotations: each process takes what is due, a bounded number at a time, whoever asked for it.
import { newId } from "#kernel/id.ts";
import { LEASE_SECONDS } from "./advance.ts";
import { claim, hasDue } from "./rotation.store.ts";
import type { RotationRow } from "./rotation.store.ts";
import type { Site } from "./site.ts";
import { workDependent } from "./work-dependents.ts";
import { workRotation } from "./work-rotation.ts";

export interface Engine {
  /** When events run. */
  start(): Promise<void>;
  /** Takes nothing new, tells what is under way to stop, and waits for it. */
  stop(): Promise<void>;
}

const MOST_AT_ONCE = 16;
/** With those that wait for a target that takes long: they hold a connection each, and little else. */
const MOST_WITH_SLOW = 64;
/** What takes longer holds up nobody: another takes its place. */
const HELD_UP_MS = 3_000;
/** For one person, or for the schedule: systems that hang for one do not hold up the others. */
const MOST_FOR_ONE = 12;
const MOST_PER_TARGET = 2;
/** Brought up to date at once, in each process. */
const MOST_DEPENDENTS = 8;
/** Without any word we look this often: for what waited, and for what a dead process left behind. */
const LOOK_MS = 1_000;

export function createEngine(site: Site): Engine {
  const { kernel } = site;
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
        // There may be more than one claim takes.
        if (taken.length > 0) isCalled = true;
      }
      serveDependents();
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, "rotations could not be taken up; trying again");
    }
    if (!stopping.signal.aborted) timer = setTimeout(wake, LOOK_MS).unref();
  }

  function swift(): string[] {
    const now = performance.now();
    return [...underWay.values()].filter(({ since }) => now - since < HELD_UP_MS).map(({ asker }) => asker);
  }

  const free = (): number => Math.min(MOST_AT_ONCE - swift().length, MOST_WITH_SLOW - underWay.size);

  async function takeDue(): Promise<RotationRow[]> {
    if (!(await hasDue(database.db))) return [];
    const counts = Map.groupBy(swift(), (each) => each);
    const busyAskers = [...counts].filter(([, own]) => own.length >= MOST_FOR_ONE).map(([each]) => each);
    const most = free();
    const rules = { leaseSeconds: LEASE_SECONDS, mostPerTarget: MOST_PER_TARGET, most, busyAskers };
    return database.swiftTransaction((tx) => claim(tx, newId(), rules));
  }

  function begin(row: RotationRow): void {
    const work = workRotation(site, row, stopping.signal)
      // The lease runs out, and somebody takes it up again.
      .catch((error: unknown) => log.error({ err: error, rotation: row.id }, "a rotation met an error"))
      .finally(() => {
        underWay.delete(work);
        wake();
      });
    underWay.set(work, { asker: row.asked_by?.id ?? "", since: performance.now() });
  }

  /** Looks for what uses a password and has not got it yet. Whoever finds one has another look on: one that hangs holds up few. */
  function serveDependents(): void {
    if (serving.size >= MOST_DEPENDENTS || stopping.signal.aborted) return;
    const work = async (): Promise<void> => {
      while (!stopping.signal.aborted && (await workDependent(site, stopping.signal, serveDependents)));
    };
    const looker = work()
      .catch((error: unknown) => log.warn({ err: error }, "dependents could not be taken up; trying again"))
      .finally(() => serving.delete(looker));
    serving.add(looker);
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
