// The name and the Ed25519 key with which this server cosigns other logs' checkpoints: created once, stored sealed.
import { encodeWitnessKey, noteSigner } from "@strongroom/auditlog";
import type { NoteSigner } from "@strongroom/auditlog";
import { Secret, envelopeKekId, openSecret, sealSecret } from "@strongroom/keys";
import { randomBytes, randomUUID } from "node:crypto";
import type { Kernel } from "#kernel/kernel.ts";
import { insertWitness, readWitness } from "./witness.store.ts";

const PURPOSE = "audit-witness";
const contextOf = (name: string) => ({ purpose: PURPOSE, recordId: name, version: 1 });

export interface WitnessIdentity {
  signer: NoteSigner;
  /** The public key for the watched logs. */
  witnessKey: string;
}

/**
 * Uses a different key than this server's own log, as C2SP tlog-cosignature requires, so that a cosignature can never
 * pass for a checkpoint of that log. Rejects with SealedError while the vault is sealed.
 */
export async function openWitness(kernel: Pick<Kernel, "database" | "keys" | "clock">): Promise<WitnessIdentity> {
  const { database, keys, clock } = kernel;
  const row = await readWitness(database.db);
  if (row === undefined) {
    const name = `strongroom/witness/${randomUUID()}`;
    const kek = await keys.kekFor(PURPOSE);
    using secret = Secret.fromBytes(randomBytes(32));
    const made = { name, sealed_seed: sealSecret(kek, contextOf(name), secret), created_at: clock.now() };
    await database.transaction((tx) => insertWitness(tx, made));
    return openWitness(kernel);
  }
  const kek = await keys.kekById(envelopeKekId(row.sealed_seed));
  using secret = openSecret(kek, contextOf(row.name), row.sealed_seed);
  const seed = secret.revealBytes();
  const signer = noteSigner(row.name, seed);
  seed.fill(0);
  return { signer, witnessKey: encodeWitnessKey(signer) };
}
