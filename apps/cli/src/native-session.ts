// Runs an OpenSSH program against an account through the gateway. A single-use ticket replaces the password.
import { listAccounts, readSshAccess, startPrivilegedSession } from "@strongroom/contract";
import type { AccountId, SshAccess } from "@strongroom/contract";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError, UsageError } from "./command-error.ts";
import { DEFAULT_URL, callServer, requirePrivate, serverUrl } from "./server.ts";

export interface NativeOptions {
  url?: string | undefined;
  reason?: string | undefined;
  ticket?: string | undefined;
}

export const nativeOptions = {
  url: { type: "string" },
  reason: { type: "string" },
  ticket: { type: "string" },
} as const;

/** Where and how a program connects. */
export interface NativeTarget {
  host: string;
  port: number;
  loginName: string;
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MOST_MATCHES = 100;
/** OpenSSH looks up a host on this port without brackets in `known_hosts`. */
const SSH_PORT = 22;

/** `wordsOf` makes the program's arguments. Returns its exit status. */
export async function runNatively(
  program: "ssh" | "scp",
  account: string,
  { url: given, reason, ticket: number }: NativeOptions,
  wordsOf: (target: NativeTarget) => string[],
): Promise<number> {
  const url = serverUrl(given ?? process.env["STRONGROOM_URL"] ?? DEFAULT_URL);
  requirePrivate(url, "The API token");
  const token = tokenOf();
  const id = ID.test(account) ? (account as AccountId) : await findAccount(url, token, account);
  const { ticket, ssh } = await callServer(
    url,
    startPrivilegedSession,
    {
      params: { id },
      body: {
        client: "native",
        ...(reason === undefined ? {} : { reason }),
        ...(number === undefined ? {} : { ticket: number }),
      },
    },
    token,
  );
  if (ssh === null) throw new CommandError("The server has no gateway for SSH clients. Upgrade the server.");
  const folder = mkdtempSync(join(tmpdir(), "strongroom-ssh-"));
  try {
    const knownHosts = join(folder, "known_hosts");
    writeFileSync(knownHosts, `${ssh.port === SSH_PORT ? ssh.host : `[${ssh.host}]:${ssh.port}`} ${ssh.host_key}\n`);
    const askpass = join(folder, "ticket");
    // The ticket is in the environment, which other users cannot read, and in no file.
    writeFileSync(askpass, "#!/bin/sh\nprintf '%s\\n' \"$STRONGROOM_TICKET\"\n", { mode: 0o700 });
    const common = ["-o", `UserKnownHostsFile=${knownHosts}`, "-o", "GlobalKnownHostsFile=/dev/null"];
    const trust = ["-o", "StrictHostKeyChecking=yes", "-o", "PreferredAuthentications=password"];
    const words = [...common, ...trust, "-o", "NumberOfPasswordPrompts=1", "-o", "ControlPath=none"];
    return await run(program, [...words, ...wordsOf({ host: ssh.host, port: ssh.port, loginName: id })], {
      SSH_ASKPASS: askpass,
      SSH_ASKPASS_REQUIRE: "force",
      STRONGROOM_TICKET: ticket,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The addresses of the gateways for SSH clients. Throws without a gateway. */
export async function readGatewaysAt(given: string | undefined): Promise<SshAccess> {
  const url = serverUrl(given ?? process.env["STRONGROOM_URL"] ?? DEFAULT_URL);
  requirePrivate(url, "The API token");
  const access = await callServer(url, readSshAccess, {}, tokenOf());
  if (access.gateways.length === 0) throw new CommandError("No gateway serves SSH clients now. Ask an administrator.");
  return access;
}

function tokenOf(): string {
  const token = process.env["STRONGROOM_TOKEN"];
  if (token !== undefined && token !== "") return token;
  throw new UsageError(
    "Set STRONGROOM_TOKEN to an API token with the scopes privileged-session.start and account.list.",
  );
}

async function findAccount(url: URL, token: string, name: string): Promise<AccountId> {
  const { data } = await callServer(url, listAccounts, { query: { search: name, limit: MOST_MATCHES } }, token);
  const named = data.filter((each) => each.name.toLowerCase() === name.toLowerCase());
  const [account] = named;
  if (account === undefined) throw new CommandError(`No account has the name "${name}".`);
  if (named.length > 1) {
    throw new CommandError(
      `Several accounts have the name "${name}". Use an id: ${named.map(({ id }) => id).join(", ")}`,
    );
  }
  return account.id;
}

/** The status of a program that a signal ended. */
const KILLED = 255;

function run(program: string, words: readonly string[], more: Record<string, string>): Promise<number> {
  const { STRONGROOM_TOKEN: _, ...environment } = process.env;
  const child = spawn(program, words, { stdio: "inherit", env: { DISPLAY: ":0", ...environment, ...more } });
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(new CommandError(`Cannot run ${program}. Install the OpenSSH client.`, { cause: error })),
    );
    child.once("exit", (status) => resolve(status ?? KILLED));
  });
}
