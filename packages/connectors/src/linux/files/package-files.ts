// The digests of the configuration files that installed packages brought, as the host's package manager knows them.
import type { Client } from "ssh2";
import { createHash } from "node:crypto";
import { runCommand } from "../run-command.ts";
import { shell } from "./probe-host.ts";

const QUERY = `dpkg-query -W -f='\${Conffiles}\\n' 2>/dev/null
rpm -qac --dump 2>/dev/null | awk '{ print $1, $4 }'`;
const MAX_BYTES = 8 * 1024 * 1024;

/** Digests in hexadecimal, by path. Empty when the host has neither dpkg nor rpm. */
export async function packageDigests(client: Client): Promise<Map<string, string>> {
  const result = await runCommand(client, shell(QUERY), { maxBytes: MAX_BYTES });
  const digests = new Map<string, string>();
  for (const line of (result?.stdout ?? "").split("\n")) {
    const [, path, digest] = /^\s*(\/\S+) ([0-9a-f]{32}|[0-9a-f]{64})(?:\s|$)/.exec(line) ?? [];
    if (path !== undefined && digest !== undefined) digests.set(path, digest);
  }
  return digests;
}

export function hasDigest(content: Buffer, digest: string | undefined): boolean {
  if (digest === undefined) return false;
  // The length tells the algorithm: dpkg records MD5, rpm records SHA-256.
  return (
    createHash(digest.length === 32 ? "md5" : "sha256")
      .update(content)
      .digest("hex") === digest
  );
}
