// A server with a gateway, a real sshd, and one account on it that can be reached both ways.
import { startSshd } from "@strongroom/connectors/testing";
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { familyOf } from "./processes.ts";
import type { SshLoadResult, SshLoadWork, SshLogin } from "./ssh-load.ts";
import { startBenchServer } from "./strongroom.ts";
import type { BenchServer } from "./strongroom.ts";

export interface SessionWorld {
  server: BenchServer;
  gatewayPid: number;
  accountId: string;
  /** The folder of the recordings. */
  recordings: string;
  /** The user of the sessions: not the administrator, who watches. */
  worker: string;
  logins: { direct: SshLogin; gateway: SshLogin };
  /** Copies with `scp` between `host:path` and a local path; hosts: direct, jumped, gateway. Returns seconds. */
  scp(from: string, to: string): Promise<number>;
  stop(): Promise<void>;
}

export interface SshLoad {
  do(work: SshLoadWork): Promise<number[]>;
  stop(): void;
}

const PASSWORD = "a long enough password";
const EMAIL = "worker@example.com";

export async function openSessionWorld(): Promise<SessionWorld> {
  const sshd = await startSshd({ config: ["MaxStartups 500", "LoginGraceTime 120"] });
  const user = await sshd.addUser("active", { hasHome: true });
  const sshPort = await freePort();
  const server = await startBenchServer({
    STRONGROOM_GATEWAY: "1",
    STRONGROOM_SSH_PORT: String(sshPort),
    STRONGROOM_SESSIONS_PER_USER: "1000",
  });
  const gatewayPid = familyOf(server.pid).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("apps/gateway/"),
  );
  if (gatewayPid === undefined) throw new Error("there is no gateway beside the server");
  const { accountId, worker, token } = await prepare(server, { ...user, host: sshd.host, port: sshd.port });
  const { privateKey } = await sshd.authorizeKey({ user });
  const folder = mkdtempSync(join(tmpdir(), "strongroom-bench-ssh-"));
  const at = (name: string) => join(folder, name);
  writeFileSync(at("key"), privateKey, { mode: 0o600 });
  writeFileSync(at("askpass"), `#!/bin/sh\necho '${token}'\n`, { mode: 0o700 });
  const target = `HostName ${sshd.host}\n  Port ${sshd.port}\n  User ${user.username}\n  IdentityFile ${at("key")}`;
  writeFileSync(
    at("config"),
    [
      `Host direct hop\n  ${target}`,
      `Host jumped\n  ${target}\n  ProxyJump hop`,
      `Host gateway\n  HostName 127.0.0.1\n  Port ${sshPort}\n  User ${accountId}\n  PubkeyAuthentication no`,
      "Host *\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n  IdentitiesOnly yes\n",
    ].join("\n"),
  );
  return {
    server,
    gatewayPid,
    accountId,
    worker,
    recordings: join(server.dataFolder, "recordings"),
    logins: {
      direct: { host: sshd.host, port: sshd.port, username: user.username, password: user.password },
      gateway: { host: "127.0.0.1", port: sshPort, username: accountId, password: token },
    },
    async scp(from, to) {
      const env = { ...process.env, DISPLAY: ":0", SSH_ASKPASS: at("askpass"), SSH_ASKPASS_REQUIRE: "force" };
      const begun = performance.now();
      const child = spawn("scp", ["-F", at("config"), "-q", from, to], { env, stdio: ["ignore", "ignore", "inherit"] });
      const [status] = (await once(child, "exit")) as [number | null];
      if (status !== 0) throw new Error(`scp ${from} ${to}: status ${status}`);
      return (performance.now() - begun) / 1000;
    },
    async stop() {
      await server.close();
      await sshd.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The administrator owns the account; the worker may use it, and connects with an API token. */
async function prepare(server: BenchServer, login: SshLogin) {
  await server.request("POST", "/api/v1/auth/register", { email: EMAIL, password: PASSWORD });
  const asWorker = async (path: string, body: object, bearer?: string) => {
    const headers = {
      "content-type": "application/json",
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    };
    const answer = await fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  };
  const { token: worker } = await asWorker("/api/v1/auth/login", { email: EMAIL, password: PASSWORD });
  const found = await server.request("GET", `/api/v1/users?search=${EMAIL}`);
  const { platforms } = await server.request("GET", "/api/v1/platforms");
  const safe = await server.request("POST", "/api/v1/safes", { name: "Bench" });
  const member = { user_id: found.data[0].id, role: "custom", permissions: ["list", "use"] };
  await server.request("POST", `/api/v1/safes/${safe.id}/members`, member);
  const account = await server.request("POST", "/api/v1/accounts", {
    name: "bench",
    system_type: "Linux",
    hostname: login.host,
    port: login.port,
    username: login.username,
    password: login.password,
    platform_id: platforms.find(({ name }: { name: string }) => name === "Linux").id,
    safe_id: safe.id,
    connection_method: "SSH",
  });
  const { outcome } = await server.request("POST", `/api/v1/accounts/${account.id}/validate`, {});
  if (outcome !== "verified") throw new Error(`the account was not verified: ${outcome}`);
  const body = { name: "bench", scopes: ["privileged-session.start"], expires_in_days: 1 };
  const { token } = await asWorker("/api/v1/tokens", body, worker);
  return { accountId: account.id as string, worker: worker as string, token: token as string };
}

export async function startSshLoad(): Promise<SshLoad> {
  const child = fork(join(import.meta.dirname, "ssh-load.ts"));
  await once(child, "message");
  return {
    async do(work) {
      child.send(work);
      const [result] = (await once(child, "message")) as [SshLoadResult];
      if (typeof result === "string") throw new Error(result);
      return result;
    },
    stop: () => child.disconnect(),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
