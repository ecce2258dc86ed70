// Examines a restored copy of a database: its version, its audit trail and its secrets.
import type { DrillFinding } from "@strongroom/contract";
import { KekError, KeyRing, SealError, parseSealRecord } from "@strongroom/keys";
import type { KekStore, SealRecord } from "@strongroom/keys";
import { join } from "node:path";
import { openTrail } from "#features/audit/index.ts";
import { examineSecrets } from "#features/secrets/index.ts";
import type { Database } from "#kernel/db/database.ts";
import { openDatabase } from "#kernel/db/database.ts";
import { migrate } from "#kernel/db/migrate.ts";
import type { BackupManifest } from "#kernel/embedded/backup-manifest.ts";
import type { Embedded } from "#kernel/embedded/embedded.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { rootKeyOf } from "#kernel/keys/find-backup-mac.ts";
import { createKekStore, readSealRecord } from "#kernel/keys/kek-store.ts";

export interface Restored {
  kernel: Kernel;
  embedded: Pick<Embedded, "connection">;
  manifest: BackupManifest;
  /** The backup's folder. */
  from: string;
  signal: AbortSignal;
  add(finding: DrillFinding): Promise<void>;
  /** Called with the completed share, from 0 to 1. */
  progress(part: number): Promise<void>;
}

/** Adds a finding for each problem with the content. Throws StartError for a database that this version cannot use. */
export async function examineRestored(restored: Restored): Promise<void> {
  const { kernel, embedded, manifest, from, signal, add, progress } = restored;
  const database = openDatabase({
    connection: embedded.connection,
    log: kernel.log,
    poolSize: 2,
    applicationName: "strongroom drill",
  });
  try {
    // Migrates as the server does when it starts, to prove that a backup from an older version is usable.
    await migrate(database, kernel.log);
    await progress(0.1);
    const stored = await readSealRecord(database);
    const record = stored === null ? null : parseSealRecord(stored);
    const isTheOne = record?.rootKeyId === manifest.root_key.id;
    await add({
      what: "database",
      is_good: isTheOne,
      says: isTheOne ? "Starts and is at this version" : "The database and the manifest name different root keys",
    });
    if (record === null) return;
    const ring = await openRing(kernel, createKekStore(database), record, add);
    if (ring === null) return;
    try {
      signal.throwIfAborted();
      await examineTrail(kernel, database, ring, from, add);
      await progress(0.5);
      await examineAll({ ...kernel, database, keys: ring }, restored);
    } finally {
      ring.seal();
    }
  } finally {
    await database.close();
  }
}

/**
 * Returns a key ring after opening every key-encryption key. When a key cannot be opened, adds a finding with the
 * reason and returns null.
 */
async function openRing(
  kernel: Kernel,
  store: KekStore,
  record: SealRecord,
  add: Restored["add"],
): Promise<KeyRing | null> {
  try {
    const ring = await ringOf(kernel, store, record);
    const keks = await store.load();
    for (const { id } of keks) await ring.kekById(id);
    await add({ what: "keys", is_good: true, says: `${count(keks.length, "key")} opened with the root key` });
    return ring;
  } catch (error) {
    if (!(error instanceof SealError) && !(error instanceof KekError)) throw error;
    const says = `The root key ${record.rootKeyId} is not available here: ${error.message}`;
    await add({ what: "keys", is_good: false, says });
    return null;
  }
}

async function ringOf(kernel: Kernel, store: KekStore, record: SealRecord): Promise<KeyRing> {
  if (kernel.keys.rootKeyId === record.rootKeyId) return kernel.keys.ringOver(store);
  const ring = new KeyRing(store);
  await ring.unseal(await rootKeyOf(kernel.config, record));
  return ring;
}

async function examineTrail(
  { clock }: Kernel,
  database: Database,
  keys: KeyRing,
  from: string,
  add: Restored["add"],
): Promise<void> {
  const report = await openTrail({ database, keys, clock }).verify(join(from, "audit"));
  const [first] = report.findings;
  await add({
    what: "audit",
    is_good: report.isIntact,
    says:
      first === undefined
        ? `${count(report.entries, "entry", "entries")} of the audit trail verified`
        : `The audit trail is not intact: ${first.message}`,
  });
}

async function examineAll(copy: Kernel, { signal, add, progress }: Restored): Promise<void> {
  const { total, unreadable } = await examineSecrets(copy, async (done) => {
    signal.throwIfAborted();
    // The total is unknown until the end.
    await progress(1 - 0.5 / (1 + done / 5000));
  });
  const says =
    total === 0
      ? "No stored secrets yet"
      : unreadable === 0
        ? `${count(total, "stored secret")} opened`
        : `${unreadable.toLocaleString("en")} of ${count(total, "stored secret")} cannot be opened`;
  await add({ what: "secrets", is_good: unreadable === 0, says });
  await progress(1);
}

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
