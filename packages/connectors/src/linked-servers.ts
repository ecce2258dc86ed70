// Logins to other servers that a database stores, without their passwords.
import type { ScanCommand } from "@strongroom/contract";
import { listCommand, type ListedFinding } from "./finding.ts";

/** A linked server, foreign server or database link with the login that it uses there. Never with its password. */
export interface LinkedServer {
  name: string;
  /** A host name or address, or the name under which the server knows it. */
  host: string;
  /** Null for the usual one. */
  port: number | null;
  login: string;
}

export const MAX_LINKED_SERVERS = 1_000;

/** Null for a row without a host and a login. */
export function linkedServer(name: unknown, host: unknown, port: unknown, login: unknown): LinkedServer | null {
  const number = Number(port);
  const isPort = Number.isInteger(number) && number > 0 && number < 65_536;
  const [shown, place, user] = [name, host, login].map((text) =>
    typeof text === "string" ? text.replaceAll(/\p{Cc}/gu, "").slice(0, 256) : "",
  );
  if (!shown || !place || !user) return null;
  return { name: shown, host: place, port: isPort ? number : null, login: user };
}

/** Adds the stored logins, and the command for the scan's result; a failed one if the login has no permission. */
export async function withLinkedServers(
  finding: ListedFinding,
  command: string,
  read: () => Promise<(LinkedServer | null)[]>,
): Promise<ListedFinding> {
  const noun = "login to another server";
  const add = (servers: LinkedServer[], outcome: ScanCommand): ListedFinding => ({
    ...finding,
    collected: { keys: [], system: { linkedServers: servers } },
    commands: [...(finding.commands ?? []), outcome],
  });
  try {
    const servers = (await read()).filter((each) => each !== null).slice(0, MAX_LINKED_SERVERS);
    return add(servers, listCommand(command, servers.length, noun));
  } catch {
    // The list of accounts does not depend on it.
    return add([], listCommand(command, null, noun));
  }
}

/** `host`, `host,port`, `host:port`, `host\\instance`, `//host:port/service` or a connect descriptor, without protocols. */
export function hostOf(source: unknown): { host: string; port: string | null } {
  const text = typeof source === "string" ? source.trim().replace(/^(tcp:)?(\/\/)?/i, "") : "";
  const described = /\(HOST\s*=\s*([^()\s]+)\s*\)/i.exec(text)?.[1];
  if (described !== undefined) return { host: described, port: /\(PORT\s*=\s*(\d+)\s*\)/i.exec(text)?.[1] ?? null };
  const [, host = "", port = null] = /^([^\\,:/\s]+)(?:\\[^,]*)?(?:[,:](\d+))?/.exec(text) ?? [];
  return { host, port };
}
