// Detects that the database was restored, and ends revived access before the server accepts calls.
import { parseCheckpoint } from "@strongroom/auditlog";
import type { RestoreEnds } from "@strongroom/contract";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { openCheckpointFile, readSize } from "#features/audit/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { SuspendedToken } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { readLostChanges } from "./lost-changes.ts";
import {
  findOpenRestores,
  deleteStoredReplies,
  hasMark,
  insertRestore,
  isCheckpointKnown,
  lockRestores,
  takeMark,
} from "./restores.store.ts";

/** Changes that other features make to a restored database, in the same transaction. */
export interface RestoreDeps {
  notify: Notify;
  endSignIns(tx: Tx): Promise<Pick<RestoreEnds, "sessions" | "sign_ins" | "links">>;
  endGrants(tx: Tx): Promise<number>;
  endCheckOuts(tx: Tx): Promise<number>;
  distrustRotations(tx: Tx): Promise<number>;
  expireAdminResets(tx: Tx): Promise<number>;
  /**
   * INVARIANT: if a vault's owner may have cancelled since the backup, the vault stays closed until they have had time
   * to cancel again.
   */
  restartWaiting(tx: Tx): Promise<number>;
  /** INVARIANT: a recovery code works once, even across a restore. */
  deleteRecoveryCodes(tx: Tx): Promise<number>;
  /** INVARIANT: a removed SSH key does not work again after a restore. */
  endAllKeys(tx: Tx): Promise<number>;
  removePendingApprovals(tx: Tx): Promise<number>;
  tokens: {
    suspendAll(tx: Tx): Promise<number>;
    find(db: Db): Promise<SuspendedToken[]>;
    confirm(tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string }[]>;
  };
}

interface KeptCheckpoint {
  size: number;
  digest: string;
}

/**
 * The largest checkpoint kept on this machine. Its signature is not checked, because the vault may still be sealed and
 * the server must not accept calls before this check. An attacker who can write to the data folder could end all
 * sessions this way, but no more.
 */
async function newestKept(folder: string): Promise<KeptCheckpoint | null> {
  const notes = await openCheckpointFile(folder).readAll();
  const kept = notes.flatMap((note) => {
    const read = parseCheckpoint(note);
    return read === null ? [] : [{ size: read.size, digest: createHash("sha256").update(note).digest("hex") }];
  });
  return kept.reduce<KeptCheckpoint | null>(
    (most, each) => (most === null || each.size > most.size ? each : most),
    null,
  );
}

/** Null when the database has everything that the kept checkpoint covers, or when this loss was already handled. */
async function fallenBehind(kernel: Kernel): Promise<KeptCheckpoint | null> {
  const { db } = kernel.database;
  // Reads the checkpoint before querying the database: a checkpoint is kept only after its commit.
  const kept = await newestKept(join(kernel.config.dataFolder, "audit"));
  if (kept === null || (await readSize(db)) >= kept.size) return null;
  return (await isCheckpointKnown(db, kept.digest)) ? null : kept;
}

/**
 * Checks whether the database was restored since the last check, and handles it. INVARIANT: revived access ends in the
 * same transaction that records the restore.
 */
async function treatIfRestored(kernel: Kernel, deps: RestoreDeps, isStart: boolean): Promise<void> {
  const { database } = kernel;
  // Entries that disappear while the server runs are an attack, which the audit feature reports.
  const behind = isStart ? await fallenBehind(kernel) : null;
  if (behind === null && !(await hasMark(database.db))) return;
  await database.transaction(async (tx) => {
    await lockRestores(tx);
    const mark = await takeMark(tx);
    // Another process may have handled the restore already.
    const isNews = behind !== null && !(await isCheckpointKnown(tx, behind.digest));
    if (mark === null && !isNews) return;
    await treat(kernel, deps, tx, { mark, behind: isNews ? behind : null });
  });
}

interface Found {
  mark: Awaited<ReturnType<typeof takeMark>>;
  behind: KeptCheckpoint | null;
}

async function treat(kernel: Kernel, deps: RestoreDeps, tx: Tx, { mark, behind }: Found): Promise<void> {
  const now = kernel.clock.now();
  const size = await readSize(tx);
  const { entries, changes } = await readLostChanges(tx, kernel.config.sinkFolder, size);
  const signIns = await deps.endSignIns(tx);
  const ended: RestoreEnds = {
    ...signIns,
    grants: await deps.endGrants(tx),
    check_outs: await deps.endCheckOuts(tx),
    rotations: await deps.distrustRotations(tx),
    tokens: await deps.tokens.suspendAll(tx),
    admin_resets: await deps.expireAdminResets(tx),
    closures: await deps.restartWaiting(tx),
    recovery_codes: await deps.deleteRecoveryCodes(tx),
    ssh_keys: await deps.endAllKeys(tx),
    approvals: await deps.removePendingApprovals(tx),
  };
  await deleteStoredReplies(tx);
  const missing = Math.max(behind === null ? 0 : behind.size - size, entries);
  const row = {
    id: newId(now.getTime()),
    found_by: mark?.found_by ?? ("checkpoint" as const),
    backup_made_at: mark?.backup_made_at ?? null,
    is_authenticated: mark?.is_authenticated ?? null,
    restored_at: mark?.marked_at ?? now,
    kept_checkpoint: behind?.digest ?? null,
    missing_entries: missing > 0 ? missing : null,
    ended,
    changes,
  };
  await insertRestore(tx, row);
  const { found_by: foundBy, missing_entries: missingEntries, is_authenticated: isAuthenticated } = row;
  const details = {
    found_by: foundBy,
    backup_made_at: row.backup_made_at?.toISOString() ?? null,
    authenticated: isAuthenticated,
    missing_entries: missingEntries,
    ended: { ...ended },
  };
  const note = { target: { type: "restore", id: row.id }, result: "info", severity: "high", details } as const;
  const entry =
    foundBy === "restore"
      ? systemEntry("backup.restored", "restore", note, now)
      : systemEntry("restore.found", "restore", note, now);
  await appendAudit(tx, [entry]);
  await deps.notify(tx, {
    to: { users: [], roles: ["admin"] },
    type: "security_alert",
    title: "The database was restored",
    message:
      "Sessions, links and grants were ended, API tokens suspended and SSH keys deleted. Review the restored data.",
    severity: "critical",
    actionRequired: true,
    metadata: { restore_id: row.id },
    link: "/admin?tab=restore-review",
    dedupeKey: "restore-review",
  });
  kernel.log.warn(details, "the database was restored: an administrator must review it");
}

/** Interval between checks for a mark, in milliseconds. An operator can leave a mark while the server runs. */
const LOOK_EVERY = 10_000;

export interface RestoreWatch {
  /** Resolves after the first check. Call this before the server accepts calls. */
  start(): Promise<void>;
  stop(): Promise<void>;
  health: { name: string; problem: () => Promise<string | null> };
}

export function createRestoreWatch(kernel: Kernel, deps: RestoreDeps): RestoreWatch {
  let timer: NodeJS.Timeout | undefined;
  let atWork: Promise<unknown> = Promise.resolve();
  const look = (): void => {
    atWork = treatIfRestored(kernel, deps, false).catch((error: unknown) => {
      kernel.log.warn({ err: error }, "could not check whether the database was restored");
    });
  };
  return {
    async start() {
      await treatIfRestored(kernel, deps, true);
      timer = setInterval(look, LOOK_EVERY).unref();
    },
    async stop() {
      clearInterval(timer);
      await atWork;
    },
    health: {
      name: "restore review",
      problem: async () =>
        (await findOpenRestores(kernel.database.db)).length === 0
          ? null
          : "The database was restored. An administrator must finish the restore review in the Admin Console.",
    },
  };
}
