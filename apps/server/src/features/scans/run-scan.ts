// Runs one enhanced scan: logs in, reads files as a stream, and stores findings while it runs.
import { connectorFor } from "@strongroom/connectors";
import type { ReadDatabasesResult, ReadFilesResult } from "@strongroom/connectors";
import type { Secret } from "@strongroom/keys";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import type { Job } from "#kernel/jobs/run-job.ts";
import {
  auditTarget,
  changed,
  lockTarget,
  obstacleToLogin,
  openCredential,
  readCredential,
  targetOf,
  updateTarget,
} from "#features/discovery/index.ts";
import type { CredentialRow, TargetRow } from "#features/discovery/index.ts";
import { accountFindings } from "./accounts.policy.ts";
import { openScanner } from "./file-scanner.ts";
import { readDatabases } from "./read-databases.ts";
import { readFilesOf } from "./read-files.ts";
import { createRecorder } from "./record-files.ts";
import type { ScannerKeys } from "./file-scanner.ts";
import type { ScansContext } from "./scans.ts";
import { HOST_FILES, NOT_SCANNABLE, typesOf } from "./scans.policy.ts";
import * as store from "./scans.store.ts";
import type { EnhancedScanRow } from "./scans.store.ts";

interface Failure {
  code: string;
  message: string;
}

type ReadResult = ReadFilesResult | ReadDatabasesResult;

interface StartedScan {
  scan: EnhancedScanRow;
  target: TargetRow;
  credential: CredentialRow;
}

const LONGEST_MESSAGE = 1_000;
export async function runScan(context: ScansContext, { id, signal }: Job<object>): Promise<void> {
  const { kernel } = context;
  const started = await kernel.database.transaction((tx) => begin(context, tx, id));
  if (started === null) return;
  let result: ReadResult | Failure;
  try {
    result = await readAndRecord(context, started, signal);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    result = { code: error.code, message: error.message };
  }
  // A cancelled scan has been recorded by the call; after a shutdown, the job runs again.
  if (signal.aborted) throw signal.reason;
  await kernel.database.transaction((tx) => finish(context, tx, started, result));
}

/** Null when the scan has ended already, or ends now because its credential cannot be used. */
async function begin(context: ScansContext, tx: Tx, id: string): Promise<StartedScan | null> {
  const { kernel } = context;
  const scan = await store.lockScan(tx, id);
  if (scan === null || (scan.status !== "pending" && scan.status !== "running")) return null;
  const target = (await lockTarget(tx, scan.target_id))!;
  const at = kernel.clock.now();
  const credential = await readCredential(tx, target.credential_id);
  const obstacle = await obstacleToLogin(tx, target, credential);
  if (credential === null || obstacle !== null) {
    await end(context, tx, { scan, target }, obstacle ?? GONE);
    return null;
  }
  const started = { status: "running", started_at: scan.started_at ?? at, logins: scan.logins + 1 } as const;
  // An interrupted attempt stored what it read: this one continues from the manifest.
  await store.updateScan(tx, id, { ...started, files_chosen: null, files_unchanged: 0 });
  const details = { scan: id, credential: credential.id, hostname: target.hostname, port: target.port };
  await appendAudit(tx, [systemEntry("scan.started", "scans", { target: auditTarget(target), details }, at)]);
  await kernel.events.publish(tx, await changed(tx, target));
  return { scan: { ...scan, ...started }, target, credential };
}

const GONE: Failure = {
  code: "credential-unavailable",
  message: "The credential was deleted or is not active. Choose another credential for the target.",
};

async function readAndRecord(
  context: ScansContext,
  { scan, target, credential }: StartedScan,
  signal: AbortSignal,
): Promise<ReadResult | Failure> {
  const { kernel, network, findings } = context;
  const { config } = scan;
  const to = targetOf(credential, target);
  const connector = connectorFor(to);
  const { readFiles, readDatabases: readTables } = connector;
  if (readFiles === undefined && readTables === undefined) return UNSUPPORTED;
  const limits = { timeoutMs: config.timeoutSeconds * 1000, signal, network, now: () => kernel.clock.now() };
  using secret = await openCredential(kernel, credential);
  const keys = await findings.keysForScan({ id: scan.requester_id, safes: scan.requester_safes });
  const ofHost = { scan, target, credential };
  const begin = connector.filesBegin ?? HOST_FILES;
  const isHost = readFiles !== undefined && begin === HOST_FILES;
  const failure = isHost ? await recordAccounts(context, ofHost, secret, { keys, signal }) : null;
  if (failure !== null) return failure;
  const scanner = openScanner(keys, signal);
  const vaulting = { scanId: scan.id, requesterId: scan.requester_id, tried: new Set<string>() };
  const vault = () => findings.vaultNew(vaulting, signal);
  const recorder = createRecorder(context, scan, target, config.autoVaultFindings ? vault : null);
  const hash = (text: string) => findings.fingerprintUnder(keys.fingerprintKey, text);
  const source = { scan, target, to, secret, scanner, recorder, limits };
  try {
    const result =
      readFiles === undefined
        ? await readDatabases(context, { ...source, hash, read: readTables! })
        : await readFilesOf(context, { ...source, begin, read: readFiles });
    await scanner.finish();
    await recorder.flush();
    if (result.outcome === "read") await recorder.forget(result.gone);
    // OPEN-117: `autoVault` waits for the end, when all places of each secret are known.
    if (result.outcome === "read" && scan.auto_vault) await vault();
    const unscanned = recorder.unscanned();
    if (result.outcome !== "read" || unscanned.length === 0) return result;
    const unread = [...result.unread, ...unscanned].slice(0, 100);
    return { ...result, unread, unreadCount: result.unreadCount + unscanned.length };
  } finally {
    await scanner.close();
  }
}

/** Lists the host's accounts when a toggle asks for them. A login that failed is not repeated for the files. */
async function recordAccounts(
  { kernel, network, findings }: ScansContext,
  { scan, target, credential }: StartedScan,
  secret: Secret,
  { keys, signal }: { keys: ScannerKeys; signal: AbortSignal },
): Promise<Exclude<ReadFilesResult, { outcome: "read" }> | null> {
  const { scanServiceAccounts, scanSharedAccounts, timeoutSeconds } = scan.config;
  const to = targetOf(credential, target);
  const list = connectorFor(to).listAccounts;
  if ((!scanServiceAccounts && !scanSharedAccounts) || list === undefined) return null;
  const limits = { timeoutMs: timeoutSeconds * 1000, signal, network, now: () => kernel.clock.now() };
  const result = await list(to, secret, limits);
  if (result.outcome !== "listed") {
    // A login without a shell can still read files over SFTP.
    return result.outcome === "misconfigured" && result.code === "no-permission" ? null : result;
  }
  const hash = (text: string) => findings.fingerprintUnder(keys.fingerprintKey, text);
  const files = accountFindings(result.accounts, { hash, at: kernel.clock.now() });
  const listed = new Set(files.map(({ path }) => path));
  await kernel.database.transaction(async (tx) => {
    const now = await store.lockScan(tx, scan.id);
    if (now === null || now.status !== "running") throw new Error("the scan has ended");
    await findings.record(tx, { target, scan, types: typesOf(scan.config), files });
    if (result.isComplete) {
      const known = await findings.placesOf(tx, target.id, "account:");
      await findings.markGone(
        tx,
        { target, scan },
        known.filter((place) => !listed.has(place)),
      );
    }
    await store.updateScan(tx, scan.id, { accounts_discovered: result.accounts.length });
  });
  return null;
}

const UNSUPPORTED: Failure = {
  code: "unsupported",
  message: NOT_SCANNABLE,
};

async function finish(
  context: ScansContext,
  tx: Tx,
  { scan: { id }, target: { id: targetId }, credential }: StartedScan,
  result: ReadResult | Failure,
): Promise<void> {
  const scan = await store.lockScan(tx, id);
  const target = await lockTarget(tx, targetId);
  if (scan === null || target === null || scan.status !== "running") return;
  if (!("outcome" in result)) return end(context, tx, { scan, target }, result);
  if (result.outcome !== "read") {
    if (result.outcome === "rejected")
      await updateTarget(tx, target.id, { rejected_revision: credential.login_revision });
    const code = "code" in result ? result.code : "unsupported";
    return end(context, tx, { scan, target }, { code, message: result.message });
  }
  const hostKey = "facts" in result ? result.facts?.["hostKey"] : undefined;
  if (target.host_key === null && hostKey !== undefined) {
    await updateTarget(tx, target.id, { host_key: JSON.stringify(hostKey) });
  }
  await context.findings.rescoreReused(tx, scan);
  const { totals, matches } = await context.findings.totalsOf(tx, scan);
  await store.updateScan(tx, id, {
    ...totals,
    matches: JSON.stringify(matches),
    unread: JSON.stringify(result.unread.map(storable)),
    unread_count: result.unreadCount,
    ended_by: result.limit,
    ...("way" in result ? { way: result.way, as_root: result.isRoot } : { as_root: result.isSuperuser }),
  });
  const { findings_discovered: findings, new_findings: added, fixed_findings: fixed } = totals;
  const details = { scan: id, files: scan.files_read, unread: result.unreadCount, findings, added, fixed };
  await conclude(context, tx, { scan, target }, "completed", { details });
}

const storable = (text: string): string => text.slice(0, LONGEST_MESSAGE).toWellFormed().replaceAll("\0", "\uFFFD");

type Ending = Pick<StartedScan, "scan" | "target">;

async function end(context: ScansContext, tx: Tx, of: Ending, { code, message }: Failure): Promise<void> {
  const error_message = storable(message);
  const started_at = of.scan.started_at ?? context.kernel.clock.now();
  await store.updateScan(tx, of.scan.id, { started_at, error_code: code, error_message });
  const details = { scan: of.scan.id, code, message: error_message };
  await conclude(context, tx, of, "failed", { result: "failure", details });
}

async function conclude(
  { kernel }: ScansContext,
  tx: Tx,
  { scan, target }: Ending,
  status: "completed" | "failed",
  note: AuditNote,
): Promise<void> {
  const at = kernel.clock.now();
  await store.updateScan(tx, scan.id, { status, completed_at: at });
  const event = status === "completed" ? "scan.completed" : "scan.failed";
  await appendAudit(tx, [systemEntry(event, "scans", { target: auditTarget(target), ...note }, at)]);
  await kernel.events.publish(tx, await changed(tx, target));
}

/** Ends a scan whose job failed permanently. */
export async function endAbandonedScan(context: ScansContext, id: string): Promise<void> {
  await context.kernel.database.transaction(async (tx) => {
    const scan = await store.lockScan(tx, id);
    if (scan === null || (scan.status !== "pending" && scan.status !== "running")) return;
    const target = (await lockTarget(tx, scan.target_id))!;
    await end(context, tx, { scan, target }, INTERRUPTED);
  });
}

const INTERRUPTED: Failure = {
  code: "interrupted",
  message: "The scan was interrupted several times, because the server stopped or failed. Start it again.",
};
