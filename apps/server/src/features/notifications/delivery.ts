// Schedules deliveries: as soon as a notice is written, but at most once per second, so that several notices form one
// notification.
import { deliverAll } from "./deliver.ts";
import type { NotificationContext } from "./notifications.ts";
import { noticeQueued } from "./notify.ts";

export interface Delivery {
  /** Call this when live events are running. Also delivers notices that were written earlier. */
  start(): Promise<void>;
  /** Waits for the current delivery. */
  stop(): Promise<void>;
}

const PAUSE_MS = 1_000;
/** How often to check for notices without an event: another process may have died during a delivery. */
const LOOK_EVERY_MS = 60_000;

export function createDelivery(context: NotificationContext): Delivery {
  const { events, log } = context.kernel;
  let isStopped = false;
  let isCalled = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  async function work(): Promise<void> {
    isCalled = false;
    try {
      await deliverAll(context);
    } catch (error) {
      isCalled = true;
      log.warn({ err: error }, "could not deliver notifications; retrying");
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
      await events.subscribe({ filter: ({ type }) => type === noticeQueued.type }, wake);
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
