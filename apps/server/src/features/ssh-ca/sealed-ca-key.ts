// Seals and opens the private keys of the SSH user CA.
import { fingerprintOf, publicLineOf } from "@strongroom/connectors/ssh";
import { Secret, envelopeKekId, openSecret, sealSecret } from "@strongroom/keys";
import type { KeyRing } from "@strongroom/keys";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { CaKeyRow } from "./ssh-ca.store.ts";

const PURPOSE = "ssh-ca";
const contextOf = (id: string) => ({ purpose: PURPOSE, recordId: id, version: 1 });

export interface OpenCaKey {
  privateKey: KeyObject;
  /** As in an authorized_keys file. */
  publicLine: string;
  fingerprint: string;
}

/** A new Ed25519 key, sealed. Rejects with SealedError while the vault is sealed. */
export async function newSealedCaKey(keys: KeyRing, id: string): Promise<Buffer> {
  const kek = await keys.kekFor(PURPOSE);
  const der = generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" });
  using secret = Secret.fromBytes(der);
  der.fill(0);
  return sealSecret(kek, contextOf(id), secret);
}

/**
 * INVARIANT: the public key is derived from the sealed private key, so targets never trust a key that was only
 * inserted into the database.
 */
export async function openCaKey(keys: KeyRing, { id, sealed }: Pick<CaKeyRow, "id" | "sealed">): Promise<OpenCaKey> {
  using secret = openSecret(await keys.kekById(envelopeKekId(sealed)), contextOf(id), sealed);
  const der = secret.revealBytes();
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  der.fill(0);
  return { privateKey, publicLine: publicLineOf(privateKey), fingerprint: fingerprintOf(privateKey) };
}
