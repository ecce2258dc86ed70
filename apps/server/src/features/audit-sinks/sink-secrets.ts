// Seals the secrets of a sink in one envelope, opened only for delivery.
import { Secret, envelopeKekId, openSecret, sealSecret } from "@strongroom/keys";
import type { KeyRing } from "@strongroom/keys";

export const SECRET_NAMES = ["hmac_key", "authorization", "client_key"] as const;
export type SecretName = (typeof SECRET_NAMES)[number];
export type SinkSecrets = { readonly [Name in SecretName]?: string };

const PURPOSE = "audit-sinks";
const contextOf = (id: string) => ({ purpose: PURPOSE, recordId: id, version: 1 });

/** Null if there are no secrets. */
export async function sealSecrets(keys: KeyRing, id: string, secrets: SinkSecrets): Promise<Buffer | null> {
  if (Object.keys(secrets).length === 0) return null;
  const kek = await keys.kekFor(PURPOSE);
  using secret = Secret.fromText(JSON.stringify(secrets));
  return sealSecret(kek, contextOf(id), secret);
}

/** Rejects with SealedError while the vault is sealed. */
export async function openSecrets(
  keys: KeyRing,
  sink: { id: string; sealed_secrets: Buffer | null },
): Promise<SinkSecrets> {
  if (sink.sealed_secrets === null) return {};
  const kek = await keys.kekById(envelopeKekId(sink.sealed_secrets));
  using secret = openSecret(kek, contextOf(sink.id), sink.sealed_secrets);
  return JSON.parse(secret.reveal()) as SinkSecrets;
}
