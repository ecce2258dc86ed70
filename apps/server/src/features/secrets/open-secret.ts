// Opens the envelope of a stored secret, and refuses secrets that cannot be opened.
import { EnvelopeError, KekError, SealedError, envelopeKekId, openSecret } from "@strongroom/keys";
import { sealed } from "#kernel/http/problem.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { ENVELOPE_PURPOSE, keyOfOwner } from "./owner-keys.ts";
import type { SecretRow } from "./secrets.store.ts";

/** A sealed secret and its owner. */
export interface Sealed extends Pick<SecretRow, "id" | "user_id" | "safe_id"> {
  version: number;
  envelope: Buffer;
}

/**
 * Opens the envelope of a stored secret. Throws EnvelopeError, KekError or SealedError. The caller must dispose of the
 * secret.
 */
export async function openEnvelope(kernel: ProcessKernel, held: Sealed) {
  const kekId = envelopeKekId(held.envelope);
  // The key is cached, except for the first secret of a vault that another process created after this one started.
  const kek = kernel.keys.cached(kekId) ?? (await kernel.keys.kekById(kekId));
  // INVARIANT: a secret opens only for the owner under whose key it was sealed, regardless of what the row says now.
  if (kek.purpose !== keyOfOwner(held)) throw new EnvelopeError("envelope.other-kek");
  return openSecret(kek, { purpose: ENVELOPE_PURPOSE, recordId: held.id, version: held.version }, held.envelope);
}

/** The message for a secret whose active version is not authentic. */
export const NOT_ACTIVE =
  "The active version of this secret was changed in the database, so it is not used. Contact an administrator, and store the correct value again.";

/** Returns the refusal for a secret that does not open; rethrows any other error. */
export function unreadable(kernel: ProcessKernel, id: string, error: unknown): Refusal {
  if (error instanceof SealedError) return sealed();
  if (!(error instanceof EnvelopeError) && !(error instanceof KekError)) throw error;
  if (error.code === "envelope.not-active") return refuse(409, "credential.version-mismatch", NOT_ACTIVE);
  kernel.log.error({ credential: id, code: error.code }, "could not open a stored secret");
  return refuse(500, "credential.unreadable", "The stored secret cannot be decrypted. Contact an administrator.");
}
