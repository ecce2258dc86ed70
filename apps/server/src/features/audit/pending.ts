// Which of the waiting entries may be signed: those that a process of this product wrote, as it wrote them, once.
import { isAuthentic } from "@strongroom/keys";
import type { Kek, KeyRing } from "@strongroom/keys";
import { leafHash } from "@strongroom/auditlog";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PendingKeys } from "#kernel/audit/pending-keys.ts";
import type { Database, Db, Tx } from "#kernel/db/database.ts";
import { INTEGRITY_PURPOSE } from "./contradictions.ts";
import {
  insertQuarantined,
  isAnyKey,
  listUnreadable,
  readUnstamped,
  setMacs,
  takePending,
  whereAre,
} from "./pending.store.ts";
import type { TakenEntry } from "./pending.store.ts";
import type { NewContradiction } from "./tree.ts";

/** Milliseconds after which a recorded entry that neither waits nor has a place was deleted, and one without its key is reported. */
const SETTLED_AFTER = 2000;
const STRANDED_AFTER = 600_000;
const MOST_ASKED = 5000;
const MARKER = "macs-required";

export interface Accepted {
  entry_id: string;
  canonical: Buffer;
}

export interface Taken {
  /** How many rows were taken. */
  count: number;
  /** What may be signed, in the order of the ids. */
  accepted: Accepted[];
  refused: NewContradiction[];
}

export interface PendingCheck {
  /** Names of the keys by which this process can check entries. */
  keyNames(): string[];
  take(tx: Tx, limit: number): Promise<Taken>;
  /** Entries that were committed and are gone, and those that no process could check for long. */
  missing(db: Db, now: number): Promise<NewContradiction[]>;
}

/** `folder` is where the data folder keeps what belongs to the audit trail. Rejects with SealedError while sealed. */
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
  const checking = [pendingKeys.vault(kek), pendingKeys.local()];
  /** Since when this process sees entries whose key it lacks. */
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
 * Entries of before the upgrade have no MAC. They get theirs here, once: while the vault has no key for it and this data
 * folder does not say that it ever had.
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

const about = (entryId: string, claim: string, kind: NewContradiction["finding"]["kind"], message: string) =>
  ({
    source: "pending",
    subject: entryId,
    finding: { kind, index: null, message },
    claim,
    known: null,
  }) satisfies NewContradiction;

const vanished = ({ entry_id: id }: { entry_id: string }) =>
  about(id, "vanished", "deleted", `entry ${id} was deleted before it got its place in the log`);

const replayed = ({ entry_id: id }: TakenEntry) =>
  about(id, "replayed", "repeated", `entry ${id} was put among the waiting entries again although it has its place`);

const unsigned = ({ entry_id: id, canonical }: TakenEntry) =>
  about(
    id,
    canonical === null ? "" : leafHash(canonical).toString("base64"),
    "added",
    `entry ${id} was not written by this product, or was changed before it got its place: it is kept and not signed`,
  );

const unreadableFor = (id: string) =>
  about(
    id,
    "unreadable",
    "added",
    `entry ${id} waits for its place, and no running process has the key that says who wrote it`,
  );
