// The Ed25519 keys that sign tokens. They are created when first needed, stored sealed, and replaced every few months.
import { Secret, envelopeKekId, openSecret, sealSecret } from "@strongroom/keys";
import type { Kek } from "@strongroom/keys";
import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { newId } from "#kernel/id.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { SIGNING_KEY_RETENTION, SIGNING_KEY_LIFETIME } from "../sign-in.policy.ts";
import { deleteKeysRetiredBefore, findKey, findKeyInUse, insertKeyInUse, retireKey } from "./signing-keys.store.ts";
import type { SigningKeyRow } from "./signing-keys.store.ts";

const PURPOSE = "token-signing";

export interface SigningKey {
  id: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

export interface SigningKeys {
  /** The active key. Creates the first one. Rejects with SealedError. */
  inUse(): Promise<SigningKey>;
  /** Returns null for an unknown id. Rejects with SealedError. */
  byId(id: string): Promise<SigningKey | null>;
  /** Activates a new key. Tokens signed by the old key remain valid for as long as a session can live. */
  rotate(): Promise<void>;
  /** Rotates the active key once it is old, and deletes retired keys that no session can depend on. */
  maintain(): Promise<void>;
}

export function createSigningKeys(kernel: ProcessKernel): SigningKeys {
  // Opened keys are cached by their KEK. The key ring drops the KEK when it is sealed, and the opened keys with it.
  const opened = new WeakMap<Kek, Map<string, SigningKey>>();

  async function cache(): Promise<Map<string, SigningKey>> {
    const kek = await kernel.keys.kekFor(PURPOSE);
    const known = opened.get(kek) ?? new Map<string, SigningKey>();
    opened.set(kek, known);
    return known;
  }

  async function open(row: SigningKeyRow): Promise<SigningKey> {
    const known = await cache();
    const cached = known.get(row.id);
    if (cached !== undefined) return cached;
    const key = openKey(row, await kernel.keys.kekById(envelopeKekId(row.sealed)));
    known.set(row.id, key);
    return key;
  }

  async function replace(id: string): Promise<void> {
    const next = makeKey(await kernel.keys.kekFor(PURPOSE), kernel.clock.now());
    await kernel.database.transaction(async (tx) => {
      if (await retireKey(tx, id, next.created_at)) await insertKeyInUse(tx, next);
    });
  }

  async function rowInUse(): Promise<SigningKeyRow> {
    const { db } = kernel.database;
    const row = await findKeyInUse(db);
    if (row !== undefined) return row;
    const first = makeKey(await kernel.keys.kekFor(PURPOSE), kernel.clock.now());
    await kernel.database.transaction((tx) => insertKeyInUse(tx, first));
    return rowInUse();
  }

  return {
    inUse: async () => open(await rowInUse()),
    async byId(id) {
      const cached = (await cache()).get(id);
      if (cached !== undefined) return cached;
      const row = await findKey(kernel.database.db, id);
      return row === undefined ? null : open(row);
    },
    rotate: async () => replace((await rowInUse()).id),
    async maintain() {
      const now = kernel.clock.now().getTime();
      const { id, created_at } = await rowInUse();
      if (now - created_at.getTime() >= SIGNING_KEY_LIFETIME) await replace(id);
      const before = new Date(now - SIGNING_KEY_RETENTION);
      await kernel.database.transaction((tx) => deleteKeysRetiredBefore(tx, before));
    },
  };
}

function makeKey(kek: Kek, now: Date): Omit<SigningKeyRow, "retired_at"> {
  const id = newId(now.getTime());
  const der = generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" });
  using secret = Secret.fromBytes(der);
  der.fill(0);
  return { id, sealed: sealSecret(kek, contextOf(id), secret), created_at: now };
}

/**
 * INVARIANT: a public key is only ever derived from the sealed private key, so that a key inserted into the database is not
 * trusted.
 */
function openKey(row: SigningKeyRow, kek: Kek): SigningKey {
  using secret = openSecret(kek, contextOf(row.id), row.sealed);
  const der = secret.revealBytes();
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  der.fill(0);
  return { id: row.id, privateKey, publicKey: createPublicKey(privateKey) };
}

const contextOf = (id: string) => ({ purpose: PURPOSE, recordId: id, version: 1 });
