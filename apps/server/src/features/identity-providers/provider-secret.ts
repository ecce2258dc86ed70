// Seals and opens the secret of an identity provider: a client secret, or the password of a directory's search account.
import { Secret, envelopeKekId, openSecret, sealSecret } from "@strongroom/keys";
import type { Kernel } from "#kernel/kernel.ts";
import type { ProviderRow } from "./identity-providers.store.ts";

const PURPOSE = "identity-providers";

/** Rejects with SealedError. */
export async function sealProviderSecret(kernel: Kernel, id: string, version: number, text: string): Promise<Buffer> {
  const kek = await kernel.keys.kekFor(PURPOSE);
  using secret = Secret.fromText(text);
  return sealSecret(kek, contextOf(id, version), secret);
}

/** Null when the provider has no secret. Rejects with SealedError. */
export async function openProviderSecret(kernel: Kernel, row: ProviderRow): Promise<Secret | null> {
  if (row.sealed_secret === null) return null;
  const kek = await kernel.keys.kekById(envelopeKekId(row.sealed_secret));
  return openSecret(kek, contextOf(row.id, row.secret_version), row.sealed_secret);
}

const contextOf = (recordId: string, version: number) => ({ purpose: PURPOSE, recordId, version });
