// Finds sinks with pending deliveries and delivers to each separately, so that a sink that hangs does not delay the
// others.
import { randomUUID } from "node:crypto";
import { claimSinks, isAnyDue } from "./audit-sinks.store.ts";
import { deliver } from "./delivery/deliver.ts";
import type { Memory } from "./delivery/deliver.ts";
import type { AuditSinkContext } from "./context.ts";

export interface Delivery {
  start(): void;
  /** Aborts running deliveries. The process that next claims the sink sends unconfirmed entries again. */
  stop(): Promise<void>;
}

/** Milliseconds between polls. LISTEN/NOTIFY is not used, for the same reason as in the sequencer. */
const LOOK_INTERVAL = 500;

export function createDelivery(context: AuditSinkContext): Delivery {
  const { database, keys, clock, log } = context.kernel;
  /** The owner named in this process's leases. */
  const process = randomUUID();
  const memory: Memory = new Map();
  const stopping = new AbortController();
  const atWork = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    if (keys.isSealed) return;
    const reach = await context.outlet.reach(database.db);
    const now = clock.now();
    if (!(await isAnyDue(database.db, reach, now))) return;
    const claimed = await database.transaction((tx) => claimSinks(tx, process, reach, now));
    for (const sink of claimed) {
      const work = deliver(context, sink, memory, stopping.signal)
        .catch((error: unknown) => log.warn({ err: error, sink: sink.id }, "a delivery of audit entries failed"))
        .finally(() => atWork.delete(work));
      atWork.add(work);
    }
  }

  function again(): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      looking = look()
        .catch((error: unknown) => log.warn({ err: error }, "could not check the audit sinks; trying again"))
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
