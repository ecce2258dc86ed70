// The log's name and the Ed25519 key that signs its checkpoints: created once, stored sealed.
import { encodeVerifierKey, noteSigner } from "@strongroom/auditlog";
import type { NoteSigner } from "@strongroom/auditlog";
import { Secret, envelopeKekId, openSecret, sealSecret } from "@strongroom/keys";
import type { Kek, KeyRing } from "@strongroom/keys";
import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "#kernel/clock.ts";
import type { Database } from "#kernel/db/database.ts";
import { insertLog, readLog } from "./tree.store.ts";

const PURPOSE = "audit-signing";

export interface LogIdentity {
  origin: string;
  /** The public key for auditors: `name+hash+base64`. */
  verifierKey: string;
  signer: NoteSigner;
  /** The sealed key as stored in the database. */
  sealedSeed: Buffer;
}

/** Opens the log's key, and creates it on first use. Rejects with SealedError while the vault is sealed. */
export type OpenLog = () => Promise<LogIdentity>;

export function createLogIdentity(parts: { database: Database; keys: KeyRing; clock: Clock }): OpenLog {
  const { database, keys, clock } = parts;
  // Cached per KEK, which the key ring drops when it is sealed, so that the opened key is dropped with it.
  const opened = new WeakMap<Kek, LogIdentity>();

  async function open(): Promise<LogIdentity> {
    const kek = await keys.kekFor(PURPOSE);
    const known = opened.get(kek);
    if (known !== undefined) return known;
    const row = await readLog(database.db);
    if (row === undefined) {
      await database.transaction((tx) => insertLog(tx, makeLog(kek, clock.now())));
      return open();
    }
    const identity = openLog(row, await keys.kekById(envelopeKekId(row.sealed_seed)));
    opened.set(kek, identity);
    return identity;
  }

  return open;
}

function makeLog(kek: Kek, now: Date) {
  const origin = `strongroom/audit/${randomUUID()}`;
  const seed = randomBytes(32);
  using secret = Secret.fromBytes(seed);
  seed.fill(0);
  return { origin, sealed_seed: sealSecret(kek, contextOf(origin), secret), created_at: now };
}

/**
 * INVARIANT: the public key is always derived from the sealed seed, so that no forged key can be inserted into the
 * database.
 */
function openLog({ origin, sealed_seed }: { origin: string; sealed_seed: Buffer }, kek: Kek): LogIdentity {
  using secret = openSecret(kek, contextOf(origin), sealed_seed);
  const seed = secret.revealBytes();
  const signer = noteSigner(origin, seed);
  seed.fill(0);
  return { origin, signer, verifierKey: encodeVerifierKey(signer), sealedSeed: sealed_seed };
}

const contextOf = (origin: string) => ({ purpose: PURPOSE, recordId: origin, version: 1 });
