// A discovery target for a real host, and scans that read only the home directory of one user there.
import {
  createAccount,
  createDiscoveryTarget,
  createSafe,
  listPlatforms,
  readEnhancedScan,
  startEnhancedScan,
} from "@strongroom/contract";
import type { DiscoveryTargetId, EnhancedScanDetails, InputOf } from "@strongroom/contract";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { until } from "./becomes.ts";
import { ask } from "./people.ts";

type ScanConfig = NonNullable<InputOf<typeof startEnhancedScan>["body"]>["scanConfig"];

interface Scanner {
  username: string;
  password: string;
  home: string;
}

/** Stores the scanner's account in a new safe, and creates the target `web-01` that logs in with it. */
export async function aScanTarget(
  server: { url: string },
  token: string,
  sshd: Sshd,
  { username, password }: Scanner,
): Promise<DiscoveryTargetId> {
  const { platforms } = await ask(server.url, listPlatforms, {}, token);
  const safe = await ask(server.url, createSafe, { body: { name: "Web servers" } }, token);
  const { host: hostname, port } = sshd;
  const platform_id = platforms.find(({ name }) => name === "Linux")!.id;
  const kind = { name: "web-01 scanner", system_type: "Linux", connection_method: "SSH" } as const;
  const account = { ...kind, hostname, port, username, password, platform_id, safe_id: safe.id };
  const { id: credentialId } = await ask(server.url, createAccount, { body: account }, token);
  const target = { name: "web-01", targetType: "linux", connectionMethod: "ssh", hostname, credentialId } as const;
  const body = { ...target, safeId: safe.id, settings: { port, timeout: 30_000 } };
  return (await ask(server.url, createDiscoveryTarget, { body }, token)).id;
}

/** Starts a scan. The machine's other homes and accounts do not belong to the test. */
export async function startScan(
  server: { url: string },
  token: string,
  { targetId, home, config = {} }: { targetId: DiscoveryTargetId; home: string; config?: ScanConfig },
): Promise<EnhancedScanDetails["id"]> {
  const homes = readdirSync("/home").map((name) => `/home/${name}`);
  const excludePatterns = ["/etc", "/root", ...homes.filter((each) => each !== home)];
  const common = { scanDepth: "quick", scanServiceAccounts: false, scanSharedAccounts: false } as const;
  const body = { scanConfig: { ...common, excludePatterns, ...config } };
  return (await ask(server.url, startEnhancedScan, { params: { id: targetId }, body }, token)).id;
}

/** Waits until the scan is completed. Rejects if it fails. */
export function completedScan(
  server: { url: string },
  token: string,
  id: EnhancedScanDetails["id"],
): Promise<EnhancedScanDetails> {
  return until("the scan", async () => {
    const scan = await ask(server.url, readEnhancedScan, { params: { id } }, token);
    assert.notEqual(scan.status, "failed", scan.error_message ?? "");
    return scan.status === "completed" ? scan : null;
  });
}
