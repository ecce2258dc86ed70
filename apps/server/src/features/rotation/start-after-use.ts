// Starts the rotation as soon as a use ends. Every process receives the event; the schedule is the fallback.
import { startDue } from "./schedule/start-due.ts";
import type { RotationContext } from "./context.ts";

export interface Starter {
  /** Call after the event bus has started. */
  start(): Promise<void>;
  /** Waits for the current pass. */
  stop(): Promise<void>;
}

export function createStarter(context: RotationContext): Starter {
  const { events, log } = context.kernel;
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let isCalled = false;

  function wake(): void {
    isCalled = true;
    if (!stopping.signal.aborted) running ??= look().finally(() => (running = null));
  }

  async function look(): Promise<void> {
    while (isCalled && !stopping.signal.aborted) {
      isCalled = false;
      try {
        await startDue(context, stopping.signal, "after-use");
      } catch (error) {
        if (!stopping.signal.aborted)
          log.warn({ err: error }, "could not start rotations after a use; the schedule will start them");
      }
    }
  }

  return {
    async start() {
      // The transaction that ends a use publishes this event, and so does the transaction that stores a verified
      // change.
      await events.subscribe({ filter: ({ type }) => type === "account.changed" }, wake);
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
