// The worker thread that scans files for secrets. Values stay in this thread: it returns masked facts and keyed hashes.
import { KnownSecretIndex, hasKnownSecret, scanText } from "@strongroom/detectors";
import type { FindingFacts, KnownForm } from "@strongroom/detectors";
import { createHmac } from "node:crypto";
import { workerData } from "node:worker_threads";
import { joinMatches } from "./known-matches.policy.ts";
import { contextOf } from "./masked-context.ts";
import type { ContextLine } from "./masked-context.ts";

export interface WorkerSettings {
  /** The key of fingerprints, in base64url. */
  fingerprintKey: string;
  /** The key of the known secrets' forms, in base64url. */
  knownKey: string;
  knownForms: readonly (KnownForm & { id: string })[];
}

export interface FileToScan {
  path: string;
  content: Uint8Array;
}

export type DetectedFacts = FindingFacts & {
  fingerprint: string;
  context: ContextLine[];
  /** The accounts whose secrets replace this finding. */
  hiddenFrom: readonly string[];
};

// Piscina passes its `workerData` on unchanged.
const settings = workerData as unknown as WorkerSettings | [unknown, WorkerSettings];
const { fingerprintKey, knownKey, knownForms } = Array.isArray(settings) ? settings[1] : settings;
const known = new KnownSecretIndex(Buffer.from(knownKey, "base64url"), knownForms);
const key = Buffer.from(fingerprintKey, "base64url");

export const fingerprintOf = (value: string): string =>
  createHmac("sha256", key).update(value, "utf8").digest("base64url");

/** Far from the deadline, so that the second scan ends before it, too. */
const LONGEST_FIRST_SCAN_MS = 4_000;

/**
 * INVARIANT: the findings without known secrets do not depend on the known ones, nor does a file that takes long to scan:
 * users without the right to the secrets see them.
 */
export default function scanFile({ path, content }: FileToScan): DetectedFacts[] {
  const startedAt = performance.now();
  const plain = factsIn(path, content);
  const isInTime = performance.now() - startedAt < LONGEST_FIRST_SCAN_MS;
  const hasMatch = isInTime && hasKnownSecret(content, known);
  const found = joinMatches(plain, hasMatch ? factsIn(path, content, known) : plain);
  if (found.length === 0) return [];
  const lines = new TextDecoder().decode(content).split("\n");
  return found.map((finding) => ({ ...finding, context: contextOf(lines, finding) }));
}

const factsIn = (path: string, content: Uint8Array, knownSecrets?: KnownSecretIndex) =>
  scanText(content, { path, fingerprint: fingerprintOf, ...(knownSecrets && { knownSecrets }) }).map((finding) => ({
    ...finding,
    fingerprint: finding.fingerprint ?? fingerprintOf(finding.reveal()),
  }));
