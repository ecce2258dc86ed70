// Keeps the index of known secrets up to date, and hands its keys to scans.
import { fingerprint, Secret } from "@strongroom/keys";
import { knownForms, privateKeysIn } from "@strongroom/detectors";
import type { KnownForm } from "@strongroom/detectors";
import { createHmac } from "node:crypto";
import type { Kernel } from "#kernel/kernel.ts";
import { openEnvelope } from "#features/secrets/index.ts";
import { findUnknown, readForms, saveKnown } from "./known-secrets.store.ts";
import type { Comparer } from "./known-secrets.store.ts";

export interface ScanKeys {
  fingerprintKey: string;
  knownKey: string;
  knownForms: (KnownForm & { id: string })[];
}

const AT_ONCE = 200;

/** Two keys that differ for every installation and never leave its servers. */
export async function keysOf(kernel: Kernel): Promise<Omit<ScanKeys, "knownForms">> {
  const kek = await kernel.keys.kekFor("fingerprint");
  const keyFor = (purpose: string) => {
    using label = Secret.fromText(`findings:${purpose}`);
    return fingerprint(kek, label);
  };
  return { fingerprintKey: keyFor("fingerprint"), knownKey: keyFor("known-secrets") };
}

/** The keys and the secrets that this requester's scans recognise, brought up to date first. */
export async function keysForScan(kernel: Kernel, requester: Comparer): Promise<ScanKeys> {
  await indexSecrets(kernel);
  return { ...(await keysOf(kernel)), knownForms: await readForms(kernel.database.db, requester) };
}

/** The keyed hash by which findings with the same secret are recognised. */
export const fingerprintUnder = (key: string, value: string): string =>
  createHmac("sha256", Buffer.from(key, "base64url")).update(value, "utf8").digest("base64url");

/** INVARIANT: opens secrets only to hash them and for the public halves of keys; nothing else leaves this function. */
export async function indexSecrets(kernel: Kernel): Promise<void> {
  const { fingerprintKey, knownKey } = await keysOf(kernel);
  const key = Buffer.from(knownKey, "base64url");
  for (;;) {
    const page = await findUnknown(kernel.database.db, AT_ONCE);
    const rows: Parameters<typeof saveKnown>[1][number][] = [];
    for (const { id, safe_id, version, envelope } of page) {
      const forms: KnownForm[] = [];
      let hash: string | null = null;
      let publicKey: string | null = null;
      try {
        using secret = await openEnvelope(kernel, { id, user_id: null, safe_id, version, envelope });
        const value = secret.reveal();
        forms.push(...knownForms(value, key));
        if (forms.length > 0) hash = fingerprintUnder(fingerprintKey, value);
        publicKey = privateKeysIn(value)[0]?.publicKey ?? null;
      } catch (error) {
        if (kernel.keys.isSealed) throw error;
        // A secret that does not open is reported by the feature `secrets`; scans just do not recognise it.
      }
      rows.push({ secret_id: id, version, fingerprint: hash, public_key: publicKey, forms });
    }
    if (rows.length > 0) await kernel.database.transaction((tx) => saveKnown(tx, rows));
    if (page.length < AT_ONCE) return;
  }
}
