// The reference of the verification and rotation benchmarks: a separate process that runs a bare loop on demand.
import { logInBare, rotateBare } from "@strongroom/connectors/testing";
import type { BareLogin } from "@strongroom/connectors/testing";
import { randomBytes } from "node:crypto";

export interface BareWork {
  logins: BareLogin[];
  concurrency: number;
  /** Change each password and verify the new one. */
  isChange?: boolean;
}

export interface BareResult {
  seconds: number;
  /** CPU seconds of this process. */
  cpu: number;
}

/** Passwords set by this process. */
const changed = new Map<string, string>();

async function changeOne(login: BareLogin): Promise<void> {
  const key = `${login.system} ${login.username}`;
  const candidate = randomBytes(18).toString("base64url");
  await rotateBare({ ...login, password: changed.get(key) ?? login.password }, candidate);
  changed.set(key, candidate);
}

async function loop({ logins, concurrency, isChange }: BareWork): Promise<void> {
  const act = isChange === true ? changeOne : logInBare;
  let next = 0;
  const worker = async () => {
    for (let login = logins[next++]; login !== undefined; login = logins[next++]) await act(login);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

process.on("message", (work: BareWork) => {
  const started = performance.now();
  const before = process.cpuUsage();
  const ended = loop(work).then((): BareResult => {
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 };
  });
  void ended.catch(String).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
