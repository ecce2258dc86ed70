// The other side of the benchmarks of verification and rotation: a process of its own that runs a bare loop on demand.
import { logInBare } from "@strongroom/connectors/testing";
import type { BareLogin } from "@strongroom/connectors/testing";

export interface BareWork {
  logins: BareLogin[];
  concurrency: number;
}

export interface BareResult {
  seconds: number;
  /** CPU seconds of this process. */
  cpu: number;
}

async function loop({ logins, concurrency }: BareWork): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let login = logins[next++]; login !== undefined; login = logins[next++]) await logInBare(login);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

process.on("message", (work: BareWork) => {
  const begun = performance.now();
  const before = process.cpuUsage();
  const ended = loop(work).then((): BareResult => {
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - begun) / 1000, cpu: (user + system) / 1e6 };
  });
  void ended.catch(String).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
