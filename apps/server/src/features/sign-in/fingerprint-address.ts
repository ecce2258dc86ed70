// Turns a typed address into a value that is safe to store. The address itself is not, because users type passwords
// into the wrong field.
import { Secret, fingerprint } from "@strongroom/keys";
import type { Kernel } from "#kernel/kernel.ts";

/** HMAC-SHA-256 under a key of the vault, 43 characters, deterministic. Rejects with SealedError. */
export async function fingerprintAddress(kernel: Pick<Kernel, "keys">, email: string): Promise<string> {
  const kek = await kernel.keys.kekFor("fingerprint");
  using typed = Secret.fromText(`sign-in:${email.toWellFormed()}`);
  return fingerprint(kek, typed);
}
