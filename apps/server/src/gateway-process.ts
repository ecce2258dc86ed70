// Runs the session gateway alongside the server, in a separate process that is restarted when it stops.
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "#kernel/log.ts";

const MAIN = join(import.meta.dirname, "../../gateway/src/main.ts");
/** The gateway gets this long to end its sessions and recordings. */
const STOP_WITHIN_MS = 10_000;
const PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000];
/** After the gateway has run this long, the next failure counts as the first. */
const STEADY_MS = 60_000;

/** Starts the gateway and keeps it running until `stop`. A gateway that does not start never stops the server. */
export function runGateway(log: Log): { stop(): Promise<void> } {
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isStopping = false;

  function start(): void {
    const startedAt = performance.now();
    // The channel closes when this process dies in any way; the gateway then stops.
    child = fork(MAIN, { env: { ...process.env, STRONGROOM_ENDS_WITH_PARENT: "1" } });
    child.once("exit", (status, signal) => {
      child = null;
      if (isStopping) return;
      failures = performance.now() - startedAt > STEADY_MS ? 0 : failures;
      const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]!;
      failures += 1;
      log.warn({ status, signal, pause }, "the session gateway stopped; starting it again");
      timer = setTimeout(start, pause).unref();
    });
    child.on("error", (error) => log.warn({ err: error }, "the session gateway could not be started"));
  }

  if (existsSync(MAIN)) start();
  return {
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      const running = child;
      if (running === null) return;
      const ended = new Promise<void>((resolve) => running.once("exit", () => resolve()));
      running.kill("SIGTERM");
      const tooLong = setTimeout(() => running.kill("SIGKILL"), STOP_WITHIN_MS);
      await ended;
      clearTimeout(tooLong);
    },
  };
}
