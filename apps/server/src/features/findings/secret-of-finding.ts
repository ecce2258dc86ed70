// Reads the file of a finding again and finds its secret in it, for verifying and vaulting. Nothing else reads secrets.
import { connectorFor } from "@strongroom/connectors";
import type { ReadFile } from "@strongroom/connectors";
import { scanText } from "@strongroom/detectors";
import { Secret } from "@strongroom/keys";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import {
  lockTarget,
  obstacleToLogin,
  openCredential,
  readCredential,
  targetOf,
  updateTarget,
} from "#features/discovery/index.ts";
import type { CredentialRow, TargetRow } from "#features/discovery/index.ts";
import type { FindingsContext } from "./findings.ts";
import { isFile } from "./findings.policy.ts";
import type { FindingRow } from "./findings.store.ts";
import { fingerprintUnder, keysOf } from "./known-secrets.ts";

const TIMEOUT_MS = 30_000;
/** The default of scans. */
const LARGEST_FILE = 10_485_760;

export interface OpenedTarget {
  target: TargetRow;
  credential: CredentialRow;
}

/** INVARIANT: a user reads secrets of files only with a credential that they may retrieve without approval. */
export async function openTarget(
  { kernel, accounts }: FindingsContext,
  actor: Parameters<FindingsContext["accounts"]["requireSecret"]>[1],
  targetId: string,
): Promise<OpenedTarget> {
  return kernel.database.transaction(async (tx) => {
    const target = await lockTarget(tx, targetId);
    const credential = target === null ? null : await readCredential(tx, target.credential_id);
    if (target === null) throw refuse(404, "finding.not-found", "Security finding not found");
    const obstacle = await obstacleToLogin(tx, target, credential);
    if (credential === null || obstacle !== null) {
      const message = obstacle?.message ?? "The target's credential was deleted or is not active.";
      throw refuse(409, `finding.${obstacle?.code ?? "credential-unavailable"}`, message);
    }
    await accounts.requireSecret(tx, actor, credential.id);
    return { target, credential };
  });
}

export type SecretsFound = Map<string, Secret | Refusal>;

/**
 * The secrets of findings of one target, by finding. The caller must dispose of them. Logs in once; throws a refusal when
 * the login fails.
 */
export async function readSecrets(
  { kernel, network }: FindingsContext,
  { target, credential }: OpenedTarget,
  rows: readonly FindingRow[],
  signal: AbortSignal,
): Promise<SecretsFound> {
  const to = targetOf(credential, target);
  const connector = connectorFor(to);
  const { fingerprintKey } = await keysOf(kernel);
  const inFiles = rows.filter(({ path }) => isFile(path));
  const paths = [...new Set(inFiles.map(({ path }) => path))];
  const found: SecretsFound = new Map(rows.map(({ id, path }) => [id, isFile(path) ? goneFrom(path) : noSecret()]));
  if (paths.length === 0) return found;
  const reader = {
    choose: async <T>(files: readonly T[]) => files,
    read: async ({ path, content }: ReadFile) => {
      const fingerprint = (value: string) => fingerprintUnder(fingerprintKey, value);
      const values = new Map(scanText(content, { path, fingerprint }).map((each) => [each.fingerprint, each]));
      for (const row of rows.filter((each) => each.path === path)) {
        const finding = values.get(row.fingerprint);
        if (finding !== undefined) found.set(row.id, Secret.fromText(finding.reveal()));
      }
    },
  };
  const limits = { timeoutMs: TIMEOUT_MS, signal, network, now: () => kernel.clock.now() };
  const search = { roots: paths, names: [], excludes: [], known: [], maxFileSize: LARGEST_FILE, maxLoadPerCore: null };
  using secret = await openCredential(kernel, credential);
  const more = { ...search, maxTotalBytes: paths.length * LARGEST_FILE, maxFiles: paths.length };
  const result = await connector.readFiles?.(to, secret, more, reader, limits);
  if (result === undefined)
    throw refuse(422, "finding.not-readable", "Strongroom cannot read the files of this target.");
  if (result.outcome === "read") return found;
  if (result.outcome === "rejected") {
    const change = { rejected_revision: credential.login_revision };
    await kernel.database.transaction((tx) => updateTarget(tx, target.id, change));
  }
  throw refuse(502, "finding.target-failed", result.message);
}

const noSecret = (): Refusal =>
  refuse(
    422,
    "finding.no-secret",
    "Only secrets in files can be read again. This finding is about an account or a running process.",
  );

const goneFrom = (path: string): Refusal =>
  refuse(
    409,
    "finding.secret-gone",
    `The secret is no longer in ${path}, or the file cannot be read. Scan the target again.`,
  );
