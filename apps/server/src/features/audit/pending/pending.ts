// Decides which pending entries may be signed: unchanged entries that a Strongroom process wrote, once each.
import { EnvelopeError, Secret, isAuthentic, openSecret, sealSecret } from "@strongroom/keys";
import type { Kek, KeyRing } from "@strongroom/keys";
import { leafHash } from "@strongroom/auditlog";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localKeyOf } from "#kernel/audit/pending-keys.ts";
import type { LocalKey, PendingKey, PendingKeys } from "#kernel/audit/pending-keys.ts";
import type { Database, Db, Tx } from "#kernel/db/database.ts";
import { INTEGRITY_PURPOSE } from "../contradictions/contradictions.ts";
import {
  insertQuarantined,
  isAnyKey,
  listPendingKeys,
  listUnreadable,
  readUnstamped,
  setMacs,
  storePendingKey,
  takePending,
  whereAre,
} from "./pending.store.ts";
import type { TakenEntry } from "./pending.store.ts";
import type { NewContradiction } from "../tree/tree.ts";

/**
 * Milliseconds after which an entry that is neither pending nor sequenced counts as deleted, and an entry without its
 * key is reported.
 */
const SETTLED_AFTER = 2000;
const STRANDED_AFTER = 600_000;
const MOST_ASKED = 5000;
const MARKER = "macs-required";

export interface Accepted {
  entry_id: string;
  canonical: Buffer;
  is_late: boolean;
}

export interface Taken {
  /** The number of rows taken. */
  count: number;
  /** The entries that may be signed, in the order of the tree. */
  accepted: Accepted[];
  refused: NewContradiction[];
}

export interface PendingCheck {
  /** Names of the keys with which this process can check entries. */
  keyNames(): string[];
  take(tx: Tx, limit: number): Promise<Taken>;
  /** Finds committed entries that are missing, and entries that no process could check for a long time. */
  missing(db: Db, now: number): Promise<NewContradiction[]>;
}

/** `folder` is the audit subfolder of the data folder. Rejects with SealedError while sealed. */
export async function openPendingCheck(parts: {
  database: Database;
  keys: KeyRing;
  pendingKeys: PendingKeys;
  folder: string;
  now: () => Date;
}): Promise<PendingCheck> {
  const { database, keys, pendingKeys, folder, now } = parts;
  const kek = await openIntegrityKey(database, keys, pendingKeys, folder);
  pendingKeys.useVault(kek);
  const own = [pendingKeys.vault(kek), pendingKeys.local()];
  let checking = [...own, ...(await openFolderKeys(database, kek, pendingKeys.local(), now()))];
  /** When this process first saw each entry whose key it lacks. */
  const stranded = new Map<string, number>();

  const isGenuine = ({ entry_id, mac, mac_key, canonical }: TakenEntry): boolean => {
    const key = checking.find(({ name }) => name === mac_key);
    return key !== undefined && mac !== null && canonical !== null && isAuthentic(mac, key.mac(entry_id, canonical));
  };

  return {
    keyNames: () => checking.map(({ name }) => name),
    async take(tx, limit) {
      const taken = await takePending(
        tx,
        checking.map(({ name }) => name),
        limit,
      );
      const gone = taken.filter(({ canonical }) => canonical === null);
      const there = taken.filter((entry) => entry.canonical !== null);
      const repeated = there.filter(({ is_placed }) => is_placed);
      const fresh = there.filter(({ is_placed }) => !is_placed);
      const accepted = fresh.filter(isGenuine) as (TakenEntry & Accepted)[];
      const forged = fresh.filter((entry) => !isGenuine(entry));
      await insertQuarantined(tx, forged, { reason: "mac", at: now() });
      for (const { entry_id } of taken) pendingKeys.awaited.delete(entry_id);
      return {
        count: taken.length,
        accepted,
        refused: [...gone.map(vanished), ...repeated.map(replayed), ...forged.map(unsigned)],
      };
    },
    async missing(db, at) {
      const found: NewContradiction[] = [];
      const due = [...pendingKeys.awaited].filter(([, since]) => at - since >= SETTLED_AFTER).slice(0, MOST_ASKED);
      if (due.length > 0) {
        for (const { id, is } of await whereAre(
          db,
          due.map(([id]) => id),
        )) {
          if (is === "waiting") pendingKeys.awaited.set(id, at);
          else pendingKeys.awaited.delete(id);
          if (is === "gone") found.push(vanished({ entry_id: id }));
        }
      }
      if (stranded.size > 0) checking = [...own, ...(await openFolderKeys(database, kek, pendingKeys.local(), now()))];
      const unreadable = await listUnreadable(
        db,
        checking.map(({ name }) => name),
      );
      for (const id of stranded.keys()) if (!unreadable.some(({ entry_id }) => entry_id === id)) stranded.delete(id);
      for (const { entry_id } of unreadable) {
        const since = stranded.get(entry_id) ?? at;
        stranded.set(entry_id, since);
        if (at - since >= STRANDED_AFTER) found.push(unreadableFor(entry_id));
      }
      return found;
    },
  };
}

/**
 * Opens the key that checks MACs. Entries from before the upgrade have no MAC and get one here, only once: while the
 * vault has no such key and this data folder does not record that it ever had one.
 */
async function openIntegrityKey(
  database: Database,
  keys: KeyRing,
  pendingKeys: PendingKeys,
  folder: string,
): Promise<Kek> {
  const marker = join(folder, MARKER);
  const isFirst = !existsSync(marker) && !(await isAnyKey(database.db, INTEGRITY_PURPOSE));
  const kek = await keys.kekFor(INTEGRITY_PURPOSE);
  if (isFirst) {
    const key = pendingKeys.vault(kek);
    await database.transaction(async (tx) => {
      const unstamped = await readUnstamped(tx);
      const macs = unstamped.map(({ entry_id, canonical }) => key.mac(entry_id, canonical));
      await setMacs(
        tx,
        key.name,
        unstamped.map(({ entry_id }) => entry_id),
        macs,
      );
    });
  }
  if (!existsSync(marker)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(marker, "Entries of the audit trail are signed only with a MAC by this product.\n", { mode: 0o600 });
  }
  return kek;
}

/** Keys of all data folders, including this one: every process can check entries written with them. */
async function openFolderKeys(database: Database, kek: Kek, local: LocalKey, at: Date): Promise<PendingKey[]> {
  const stored = await listPendingKeys(database.db);
  const opened = stored.flatMap(({ name, sealed_key }) => openFolderKey(kek, name, sealed_key) ?? []);
  if (opened.some(({ name }) => name === local.name)) return opened;
  const bytes = local.bytes();
  using secret = Secret.fromBytes(bytes);
  bytes.fill(0);
  const row = { name: local.name, sealed_key: sealSecret(kek, contextOf(local.name), secret), created_at: at };
  await database.transaction((tx) => storePendingKey(tx, row));
  return opened;
}

/** INVARIANT: only keys that open under the vault's key count. Null for forged ones. */
function openFolderKey(kek: Kek, name: string, sealed: Buffer): PendingKey | null {
  try {
    using secret = openSecret(kek, contextOf(name), sealed);
    const bytes = secret.revealBytes();
    const key = localKeyOf(bytes);
    bytes.fill(0);
    return key.name === name ? key : null;
  } catch (error) {
    if (error instanceof EnvelopeError || error instanceof RangeError) return null;
    throw error;
  }
}

const contextOf = (name: string) => ({ purpose: INTEGRITY_PURPOSE, recordId: name, version: 1 });

const about = (entryId: string, claim: string, kind: NewContradiction["finding"]["kind"], message: string) =>
  ({
    source: "pending",
    subject: entryId,
    finding: { kind, index: null, message },
    claim,
    known: null,
  }) satisfies NewContradiction;

const vanished = ({ entry_id: id }: { entry_id: string }) =>
  about(id, "vanished", "deleted", `entry ${id} was deleted before it was added to the log`);

const replayed = ({ entry_id: id }: TakenEntry) =>
  about(id, "replayed", "repeated", `entry ${id} was made pending again although it is already in the log`);

const unsigned = ({ entry_id: id, canonical }: TakenEntry) =>
  about(
    id,
    canonical === null ? "" : leafHash(canonical).toString("base64"),
    "added",
    `entry ${id} was not written by Strongroom, or was changed before it was added to the log: it is kept and not signed`,
  );

const unreadableFor = (id: string) =>
  about(
    id,
    "unreadable",
    "added",
    `entry ${id} is pending, and no process with the key that authenticates it has ever run`,
  );
