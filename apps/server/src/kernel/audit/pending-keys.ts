// MACs over pending entries: the sequencer signs only entries that Strongroom wrote, and none that an attacker inserted into the
// database.
import type { Kek } from "@strongroom/keys";
import { SealedError, authenticate } from "@strongroom/keys";
import { createHmac, createSecretKey, hash, randomBytes, randomUUID } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import type { Tx } from "../db/database.ts";
import { poolOf } from "../db/transaction-hooks.ts";

/** The name of the key in the vault, as stored beside the MAC. */
export const VAULT_KEY = "vault";
const LABEL = "strongroom/audit-pending/v1";
const FILE = "pending.key";
const KEY_BYTES = 32;
/** Recorded entries that have not been checked for sequencing yet. */
const MOST_AWAITED = 100_000;

export interface PendingKey {
  name: string;
  /** HMAC-SHA-256 over the entry's id and its canonical bytes. */
  mac(entryId: string, canonical: Buffer): Buffer;
}

export interface LocalKey extends PendingKey {
  /** The key, which the caller seals so that other machines can check entries written with it, and then overwrites. */
  bytes(): Buffer;
}

export interface PendingKeys {
  /** The vault's key, once it exists and the vault is open; otherwise the key file of this data folder. */
  writing(): PendingKey;
  /** The key of this data folder, for commands and for entries recorded while the vault is sealed. Created when missing. */
  local(): LocalKey;
  vault(kek: Kek): PendingKey;
  /** Writes entries with this key from now on. The caller has opened the key. */
  useVault(kek: Kek): void;
  /** When this process recorded each entry, in milliseconds of `performance.now()`; removed once the entry is sequenced. */
  awaited: Map<string, number>;
}

/** Creates `folder` if needed, accessible only to the user of this process. */
export function createPendingKeys(folder: string): PendingKeys {
  let local: LocalKey | null = null;
  let current: { kek: Kek; key: PendingKey } | null = null;
  const awaited = new Map<string, number>();
  const vault = (kek: Kek): PendingKey => ({
    name: VAULT_KEY,
    mac: (entryId, canonical) => authenticate(kek, LABEL, entryId, canonical),
  });
  const keys: PendingKeys = {
    awaited,
    vault,
    local: () => (local ??= localKeyFrom(readOrMake(folder))),
    useVault(kek) {
      if (current?.kek !== kek) current = { kek, key: vault(kek) };
    },
    writing: () => current?.key ?? keys.local(),
  };
  return keys;
}

const ofPool = new WeakMap<pg.Pool, PendingKeys>();

/** Gives every entry recorded through this pool a MAC by these keys. */
export function usePendingKeys(pool: pg.Pool, keys: PendingKeys): void {
  ofPool.set(pool, keys);
}

/** Null if no keys were set, as in unrelated tests. */
export function pendingKeysOf(tx: Tx): PendingKeys | null {
  const pool = poolOf(tx);
  return (pool && ofPool.get(pool)) ?? null;
}

export interface Stamped {
  name: string | null;
  macs: (Buffer | null)[];
}

/** Computes one MAC per entry, all with the same key. */
export function stamp(keys: PendingKeys | null, entries: readonly { id: string; canonical: Buffer }[]): Stamped {
  if (keys === null) return { name: null, macs: entries.map(() => null) };
  const by = (key: PendingKey): Stamped => ({
    name: key.name,
    macs: entries.map(({ id, canonical }) => key.mac(id, canonical)),
  });
  try {
    return by(keys.writing());
  } catch (error) {
    // The vault was sealed in the meantime. The data folder's key is equally valid.
    if (error instanceof SealedError) return by(keys.local());
    throw error;
  }
}

/** Remembers entries that are known to be committed. */
export function awaitPlaces(keys: PendingKeys, ids: readonly string[], at: number): void {
  for (const id of ids) {
    if (keys.awaited.size >= MOST_AWAITED) return;
    keys.awaited.set(id, at);
  }
}

/** The key of a data folder. Throws a RangeError for bytes of the wrong length. */
export function localKeyOf(bytes: Buffer): LocalKey {
  if (bytes.length !== KEY_BYTES) throw new RangeError(`a key has ${KEY_BYTES} bytes`);
  return localKeyFrom(createSecretKey(bytes));
}

function localKeyFrom(key: KeyObject): LocalKey {
  const label = Buffer.from(`${LABEL}\n`);
  return {
    name: `file:${hash("sha256", key.export(), "hex").slice(0, 16)}`,
    mac: (entryId, canonical) =>
      createHmac("sha256", key).update(label).update(`${entryId}\n`).update(canonical).digest(),
    bytes: () => key.export(),
  };
}

function readOrMake(folder: string): KeyObject {
  const path = join(folder, FILE);
  try {
    return read(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const next = `${path}.${randomUUID()}`;
  writeFileSync(next, randomBytes(KEY_BYTES), { flag: "wx", mode: 0o600, flush: true });
  try {
    // Unlike a rename, this never replaces a key that another process has just created.
    linkSync(next, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(next);
  }
  return read(path);
}

function read(path: string): KeyObject {
  const bytes = readFileSync(path);
  if (bytes.length !== KEY_BYTES) throw new Error(`${path} is damaged: it does not hold a key of ${KEY_BYTES} bytes`);
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
}
