// The calls that tests of scans of databases, buckets and repositories share.
import { listFindings, readEnhancedScan, startEnhancedScan } from "@strongroom/contract";
import type { DiscoveryTarget, EnhancedScanDetails, SecurityFinding } from "@strongroom/contract";
import assert from "node:assert/strict";
import { byId } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { eventually } from "#testing/waiting.ts";

type World = Pick<DiscoveryWorld, "app" | "owner">;

/** Scans the target and waits for the end. */
export async function scanned(
  { app, owner }: World,
  target: DiscoveryTarget,
  scanConfig: object = {},
): Promise<EnhancedScanDetails> {
  const body = { scanConfig: { scanDepth: "quick" as const, ...scanConfig } };
  const started = await app.call(startEnhancedScan, { ...byId(target), body, as: owner.token });
  assert.equal(started.status, 202, started.text);
  return eventually(async () => {
    const { body: scan } = await app.call(readEnhancedScan, { ...byId(started.body), as: owner.token });
    return ["pending", "running"].includes(scan.status) ? null : scan;
  });
}

export async function findingsOf(
  { app, owner }: World,
  target: DiscoveryTarget,
  status?: "remediated",
): Promise<SecurityFinding[]> {
  const query = {
    targetId: target.id,
    includeBelowThreshold: "true" as const,
    limit: "200",
    ...(status && { status }),
  };
  const { body } = await app.call(listFindings, { query, as: owner.token });
  return body.data;
}

export const placesOf = (findings: readonly SecurityFinding[]) =>
  findings.map(({ finding_data: { file_path } }) => file_path).toSorted();
