// Runs one scan: records it, logs in once outside any transaction, and stores what the target reported.
import { connectorFor } from "@strongroom/connectors";
import type { ListFinding } from "@strongroom/connectors";
import type { ScanStatus } from "@strongroom/contract";
import { setTimeout as pause } from "node:timers/promises";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import type { Job } from "#kernel/jobs/run-job.ts";
import { activeRotationOf } from "#features/secrets/index.ts";
import { recordFound, recordNew } from "../accounts/record-found.ts";
import type { Recorded } from "../accounts/record-found.ts";
import { auditTarget, changed } from "../discovery.ts";
import { applyRules } from "../rules/apply-rules.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { recordCloud } from "../cloud/cloud.store.ts";
import { recordPrivileges, recordPrivilegesOf } from "../privileges/record-privileges.ts";
import { storableJson } from "../storable-json.ts";
import { recordDay } from "../trends.ts";
import { windowLeft } from "../targets/schedule.ts";
import { lockTarget, updateTarget } from "../targets/targets.store.ts";
import type { TargetRow } from "../targets/targets.store.ts";
import { openCredential, readCredential, targetOf } from "./credential.ts";
import type { CredentialRow } from "./credential.ts";
import { progressOf } from "./report-progress.ts";
import { countRunningIn, lockScan, updateScan } from "./scans.store.ts";
import type { ScanRow } from "./scans.store.ts";

interface Failure {
  code: string;
  message: string;
  /** The target refused the login. */
  isRejected?: boolean;
}

interface StartedScan {
  scan: ScanRow;
  target: TargetRow;
  credential: CredentialRow;
}

const LONGEST_MESSAGE = 1_000;
/** Milliseconds. */
const BUSY_WAIT_MS = 500;

export async function runScan(context: DiscoveryContext, { id, signal }: Job<object>): Promise<void> {
  const { kernel, network } = context;
  let started: StartedScan | "busy" | null = "busy";
  while (started === "busy") {
    started = await kernel.database.transaction((tx) => begin(context, tx, id));
    if (started === "busy") await pause(BUSY_WAIT_MS, undefined, { signal });
  }
  if (started === null) return;
  const { scan, target, credential } = started;
  const connector = connectorFor(targetOf(credential, target));
  const progress = progressOf(context, target, id);
  const limits = {
    timeoutMs: scan.timeout_ms,
    signal,
    network,
    now: () => kernel.clock.now(),
    ...(scan.regions.length > 0 ? { regions: scan.regions } : {}),
    onListed: (accounts: number) => progress.report({ phase: "listing", accounts }),
  };
  let result: ListFinding | Failure;
  try {
    using secret = await openCredential(kernel, credential);
    result = (await connector.listAccounts?.(targetOf(credential, target), secret, limits)) ?? UNSUPPORTED;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    result = { code: error.code, message: error.message };
  } finally {
    progress.stop();
  }
  // A cancelled scan has been recorded by the call; after a shutdown, the job runs again.
  if (signal.aborted) throw signal.reason;
  const accounts = "outcome" in result && result.outcome === "listed" ? result.accounts.length : null;
  await progress.enter({ phase: "storing", accounts });
  await kernel.database.transaction((tx) => finish(context, tx, started, result));
}

const UNSUPPORTED: Failure = { code: "unsupported", message: "Strongroom cannot list the accounts of this system." };

/**
 * Null when the scan has ended already, or ends now because its credential cannot be used. `busy` while too many scans
 * run in the target's network.
 */
async function begin(context: DiscoveryContext, tx: Tx, id: string): Promise<StartedScan | "busy" | null> {
  const { kernel } = context;
  const scan = await lockScan(tx, id);
  if (scan === null || (scan.status !== "pending" && scan.status !== "running")) return null;
  const target = (await lockTarget(tx, scan.target_id))!;
  const at = kernel.clock.now();
  const started = {
    status: "running",
    started_at: at,
    logins: scan.logins + 1,
    phase: "waiting",
    accounts_so_far: null,
  } as const;
  const credential = await readCredential(tx, target.credential_id);
  const left = scan.is_scheduled && target.schedule !== null ? windowLeft(target.schedule, at) : Infinity;
  const obstacle = left === 0 ? LATE : await obstacleToLogin(tx, target, credential);
  if (credential === null || obstacle !== null) {
    await end(context, tx, { scan: { ...scan, started_at: at }, target }, obstacle ?? GONE);
    return null;
  }
  const atOnce = kernel.config.discoveryScansPerNetwork;
  if (scan.status === "pending" && (await countRunningIn(tx, target.network, id)) >= atOnce) return "busy";
  await updateScan(tx, id, started);
  const note: AuditNote = {
    target: auditTarget(target),
    details: { scan: id, credential: credential.id, hostname: target.hostname, port: target.port },
  };
  await appendAudit(tx, [systemEntry("discovery.scan-started", "discovery", note, at)]);
  await kernel.events.publish(tx, await changed(tx, target));
  return { scan: { ...scan, ...started, timeout_ms: Math.min(scan.timeout_ms, left) }, target, credential };
}

const LATE: Failure = {
  code: "outside-window",
  message: "The scan waited for others until the window of its schedule had ended.",
};

const GONE: Failure = {
  code: "credential-unavailable",
  message: "The credential was deleted or is not active. Choose another credential for the target.",
};

/** Null when a scan may log in to the target with this credential now. */
export async function obstacleToLogin(
  tx: Tx,
  target: TargetRow,
  credential: CredentialRow | null,
): Promise<Failure | null> {
  if (credential === null) return GONE;
  if (!target.is_active) return { code: "target-inactive", message: "The target was disabled before the scan began." };
  if (credential.safe_id !== target.credential_safe_id) {
    return {
      code: "credential-moved",
      message: "The credential was moved to another safe. Choose the target's credential again.",
    };
  }
  if (credential.login_revision === target.rejected_revision) {
    return {
      code: "credential-rejected",
      message: "The target has rejected this credential before. Correct the credential; another login could lock it.",
      isRejected: true,
    };
  }
  if ((await activeRotationOf(tx, [credential.id])) === null) return null;
  return { code: "credential-rotating", message: "The credential is being rotated. Start the scan again in a minute." };
}

async function finish(
  context: DiscoveryContext,
  tx: Tx,
  { scan: { id }, target: { id: targetId }, credential }: StartedScan,
  result: ListFinding | Failure,
): Promise<void> {
  const scan = await lockScan(tx, id);
  const target = await lockTarget(tx, targetId);
  if (scan === null || target === null || scan.status !== "running") return;
  if (!("outcome" in result)) return end(context, tx, { scan, target }, result);
  if (result.commands !== undefined) await updateScan(tx, id, { commands: storableJson(result.commands) });
  if (result.outcome !== "listed") {
    const isRejected = result.outcome === "rejected";
    if (isRejected) await updateTarget(tx, target.id, { rejected_revision: credential.login_revision });
    const presented =
      result.outcome === "misconfigured" && result.code === "host-key-changed" ? result.facts?.["hostKey"] : undefined;
    if (presented !== undefined) await updateTarget(tx, target.id, { offered_host_key: JSON.stringify(presented) });
    const code = "code" in result ? result.code : "unsupported";
    return end(context, tx, { scan, target }, { code, message: result.message, isRejected });
  }
  const hostKey = result.facts?.["hostKey"];
  if (target.host_key === null && hostKey !== undefined) {
    await updateTarget(tx, target.id, { host_key: JSON.stringify(hostKey) });
  }
  if (target.offered_host_key !== null) await updateTarget(tx, target.id, { offered_host_key: null });
  const recorded = await record(context, tx, { scan, target }, result);
  await recordDay(tx, context.kernel.clock.now(), target.id);
  await updateScan(tx, id, {
    accounts_discovered: result.accounts.length,
    accounts_stored: recorded.stored,
    is_complete: recorded.isComplete,
    incomplete_reason: result.isComplete ? null : storable(result.message),
  });
  await applyRules(context, tx, { scanId: id, safeId: target.safe_id });
  const { stored, added, missing } = recorded;
  await conclude(context, tx, { scan, target }, "completed", {
    details: { scan: id, discovered: result.accounts.length, stored, added, missing },
  });
}

type Listed = Extract<ListFinding, { outcome: "listed" }>;

/**
 * A list that was cut off adds accounts and changes none: without the rest of the answer, an administrator could look
 * like an ordinary account.
 */
async function record(context: DiscoveryContext, tx: Tx, { scan, target }: Ending, result: Listed): Promise<Recorded> {
  const now = { target, at: context.kernel.clock.now() };
  await recordCloud(tx, now, result.collected?.cloud);
  if (result.isPartial === true) {
    const recorded = await recordNew(context, tx, { scan, target, found: result.accounts });
    await recordPrivilegesOf(tx, now, result, recorded.names);
    return recorded;
  }
  const found = { scan, target, found: result.accounts, isAll: result.isComplete };
  const recorded = await recordFound(context, tx, found);
  await recordPrivileges(tx, now, result);
  return recorded;
}

/** PostgreSQL stores no NUL. */
const storable = (message: string): string =>
  message.toWellFormed().replaceAll("\0", "\uFFFD").slice(0, LONGEST_MESSAGE);

type Ending = Pick<StartedScan, "scan" | "target">;

async function end(context: DiscoveryContext, tx: Tx, of: Ending, { code, message }: Failure): Promise<void> {
  const text = storable(message);
  const started = of.scan.started_at === null ? {} : { started_at: of.scan.started_at };
  await updateScan(tx, of.scan.id, { ...started, error_code: code, error_message: text });
  const details = { scan: of.scan.id, code, message: text };
  await conclude(context, tx, of, "failed", { result: "failure", details });
}

async function conclude(
  { kernel }: DiscoveryContext,
  tx: Tx,
  { scan, target }: Ending,
  status: ScanStatus & ("completed" | "failed"),
  note: AuditNote,
): Promise<void> {
  const at = kernel.clock.now();
  await updateScan(tx, scan.id, { status, completed_at: at });
  const event = status === "completed" ? "discovery.scan-completed" : "discovery.scan-failed";
  await appendAudit(tx, [systemEntry(event, "discovery", { target: auditTarget(target), ...note }, at)]);
  await kernel.events.publish(tx, await changed(tx, target));
}

/** Ends a scan whose job failed permanently. */
export async function endAbandonedScan(context: DiscoveryContext, id: string): Promise<void> {
  await context.kernel.database.transaction(async (tx) => {
    const scan = await lockScan(tx, id);
    if (scan === null || (scan.status !== "pending" && scan.status !== "running")) return;
    const target = (await lockTarget(tx, scan.target_id))!;
    await end(context, tx, { scan, target }, INTERRUPTED);
  });
}

const INTERRUPTED: Failure = {
  code: "interrupted",
  message: "The scan was interrupted several times, because the server stopped or failed. Start it again.",
};
