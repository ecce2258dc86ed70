// Looks for sinks that have something to be delivered, and works on each by itself: one that hangs holds up no other.
import { randomUUID } from "node:crypto";
import { claimSinks, isAnyDue } from "./audit-sinks.store.ts";
import { deliver } from "./deliver.ts";
import type { Memory } from "./deliver.ts";
import type { Site } from "./site.ts";

export interface Delivery {
  start(): void;
  /** Breaks off what is under way: what was not taken is sent again by whoever comes next. */
  stop(): Promise<void>;
}

/** Milliseconds. Not LISTEN/NOTIFY, for the reason that the sequencer gives. */
const LOOK_INTERVAL = 500;

export function createDelivery(site: Site): Delivery {
  const { database, keys, clock, log } = site.kernel;
  /** What leases name; every process has its own. */
  const process = randomUUID();
  const memory: Memory = new Map();
  const stopping = new AbortController();
  const atWork = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    if (keys.isSealed) return;
    const reach = await site.outlet.reach(database.db);
    const now = clock.now();
    if (!(await isAnyDue(database.db, reach, now))) return;
    const claimed = await database.transaction((tx) => claimSinks(tx, process, reach, now));
    for (const sink of claimed) {
      const work = deliver(site, sink, memory, stopping.signal)
        .catch((error: unknown) => log.warn({ err: error, sink: sink.id }, "a delivery of audit entries broke off"))
        .finally(() => atWork.delete(work));
      atWork.add(work);
    }
  }

  function again(): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      looking = look()
        .catch((error: unknown) => log.warn({ err: error }, "audit sinks could not be looked at; trying again"))
        .then(again);
    }, LOOK_INTERVAL).unref();
  }

  return {
    start: again,
    async stop() {
      stopping.abort(new Error("the server is stopping"));
      clearTimeout(timer);
      await looking;
      await Promise.all(atWork);
    },
  };
}
