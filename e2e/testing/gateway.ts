// Starts session gateways as separate processes, and creates the accounts that they connect to.
import { createAccount, createSafe, listPlatforms, validateAccount } from "@strongroom/contract";
import type { Sshd } from "@strongroom/connectors/testing";
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ownEnvironment } from "./environment.ts";
import { ask } from "./people.ts";
import type { RunningServer } from "./server.ts";

const GATEWAY = join(import.meta.dirname, "../../apps/gateway/src/main.ts");

/** Resolves when it is registered. `env` needs the data folder of a running server. */
export async function startGateway(
  env: Record<string, string>,
  onOutput: (text: string) => void = () => {},
): Promise<ChildProcess> {
  const child = fork(GATEWAY, {
    env: ownEnvironment({ STRONGROOM_SSH_PORT: "0", STRONGROOM_ALLOW_LOOPBACK: "1", ...env }),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (text) => {
      output += text;
      onOutput(String(text));
    });
  }
  const [first] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (first !== "ready") throw new Error(`the gateway did not start:\n${output.slice(-3000)}`);
  return child;
}

/** A verified account in a new safe. */
export async function anAccountOn(sshd: Sshd, server: Pick<RunningServer, "url">, token: string) {
  const { username, password, home } = await sshd.addUser("active", { hasHome: true });
  const { platforms } = await ask(server.url, listPlatforms, {}, token);
  const platform = platforms.find(({ name }) => name === "Linux");
  if (platform === undefined) throw new Error("there is no platform Linux");
  const safe = await ask(server.url, createSafe, { body: { name: "Web servers" } }, token);
  const body = {
    name: "web-01 deploy",
    system_type: "Linux",
    hostname: sshd.host,
    port: sshd.port,
    username,
    password,
    platform_id: platform.id,
    safe_id: safe.id,
    connection_method: "SSH",
  } as const;
  const { id } = await ask(server.url, createAccount, { body }, token);
  const { outcome, validation_message: why } = await ask(server.url, validateAccount, { params: { id } }, token);
  if (outcome !== "verified") throw new Error(`the account does not work: ${why}`);
  return { accountId: id, safeId: safe.id, home };
}
