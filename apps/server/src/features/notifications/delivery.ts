// When notices are delivered: as soon as one is written, but not more often than once a second, so that many are told in one.
import { deliverAll } from "./deliver.ts";
import type { Site } from "./notifications.ts";
import { noticed } from "./notify.ts";

export interface Delivery {
  /** To be called when events run. Also delivers what was written before. */
  start(): Promise<void>;
  /** Waits for what is under way. */
  stop(): Promise<void>;
}

const PAUSE_MS = 1_000;
/** Without any word we look this often all the same: another process may have died over a delivery. */
const LOOK_EVERY_MS = 60_000;

export function createDelivery(site: Site): Delivery {
  const { events, log } = site.kernel;
  let isStopped = false;
  let isCalled = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  async function work(): Promise<void> {
    isCalled = false;
    try {
      await deliverAll(site);
    } catch (error) {
      isCalled = true;
      log.warn({ err: error }, "notifications could not be delivered; trying again");
    }
    if (!isStopped) timer = setTimeout(rested, PAUSE_MS).unref();
  }
  const rested = (): void => {
    running = null;
    if (isCalled) wake();
  };
  const wake = (): void => {
    isCalled = true;
    if (!isStopped) running ??= work();
  };

  return {
    async start() {
      await events.subscribe({ filter: ({ type }) => type === noticed.type }, wake);
      looking = setInterval(wake, LOOK_EVERY_MS).unref();
      wake();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      clearInterval(looking);
      await running;
    },
  };
}
