// The worker of a scan pool: content in, facts out. Values of findings stay in this thread.
import { createHmac } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { Content } from "./content.ts";
import { KnownSecretIndex } from "./known-secrets.ts";
import type { PoolOptions, PoolResult } from "./scan-pool.ts";
import { scanText } from "./scan-text.ts";
import type { ScanOptions } from "./scan-text.ts";

const { fingerprintKey, knownSecrets, knownPublicKeys, classes, minConfidence, now } = workerData as PoolOptions;
const options: Omit<ScanOptions, "path"> = {
  ...(fingerprintKey && {
    fingerprint: (value: string) => createHmac("sha256", fingerprintKey).update(value).digest("base64url"),
  }),
  ...(knownSecrets && { knownSecrets: new KnownSecretIndex(knownSecrets.key, knownSecrets.forms) }),
  ...(knownPublicKeys && { knownPublicKeys }),
  ...(classes && { classes }),
  ...(minConfidence !== undefined && { minConfidence }),
  ...(now && { now }),
};

parentPort?.on("message", ({ content, path }: { content: Uint8Array; path: string }) => {
  const { isBinary } = new Content(content.subarray(0, 16_384));
  const findings = isBinary ? [] : scanText(content, { path, ...options }).map((finding) => ({ ...finding }));
  parentPort?.postMessage({ outcome: "scanned", isBinary, findings } satisfies PoolResult);
});
