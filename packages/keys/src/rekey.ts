// Replaces the root key: rewraps every KEK and touches no envelope.
import { SealError } from "./errors.ts";
import { kekKeyObject, unwrapKek, wrapKek, type WrappedKek } from "./kek.ts";
import type { KekStore } from "./kek-store.ts";
import type { RootKey } from "./root-key.ts";
import type { Sealed, SealProvider, StagedSeal } from "./seal-provider.ts";

const ATTEMPTS = 10;

/**
 * Replaces `oldRoot` with a new root key from `next`, and returns the new one with its record. The caller
 * still owns `oldRoot`.
 *
 * INVARIANT: a rekey that is killed at any step leaves a database whose root key can still be found.
 * 1. `stage`: makes the new root key durable beside the old one. Killed here: the old one is in use, nothing
 * changed.
 * 2. `replaceAll`: changes KEKs and seal record in one transaction. Killed here: the database names either the
 * old or the new root key, and a provider's `open` finds either by that name. When this call rejects, the
 * commit may still have happened, so the staged key stays.
 * 3. `putInPlace`: tidies up. Killed here: `open` finishes it at the next start.
 *
 * Rejects with KekError when a stored KEK does not open with `oldRoot`, with SealError when the new root key
 * cannot be created or new KEKs keep arriving, and with any error of the store.
 */
export async function rekeyRoot(store: KekStore, oldRoot: RootKey, next: SealProvider): Promise<Sealed> {
  const staged = await next.stage();
  await commit(store, oldRoot, staged);
  await staged.putInPlace();
  return { root: staged.root, record: staged.record };
}

async function commit(store: KekStore, oldRoot: RootKey, staged: StagedSeal): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const rewrapped = await loadRewrapped(store, oldRoot, staged);
    const answer = await store.replaceAll(rewrapped, staged.record, oldRoot.id);
    if (answer === "replaced") return;
  }
  await staged.discard();
  throw new SealError("root-key.changed", "Keys kept changing during the rekey. Nothing was changed; try again.");
}

/** Nothing can have been committed yet when this fails, so it discards the staged key. */
async function loadRewrapped(store: KekStore, oldRoot: RootKey, staged: StagedSeal): Promise<WrappedKek[]> {
  try {
    const stored = await store.load();
    return stored.map((kek) => rewrap(kek, oldRoot, staged.root));
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

/** Opens the new wrapping to check it: the overwritten one cannot be restored. */
function rewrap(stored: WrappedKek, oldRoot: RootKey, newRoot: RootKey): WrappedKek {
  const kek = unwrapKek(oldRoot, stored);
  const rewrapped = wrapKek(newRoot, kek);
  const proof = unwrapKek(newRoot, rewrapped);
  if (!kekKeyObject(proof).equals(kekKeyObject(kek))) throw new Error("A KEK changed while it was rewrapped.");
  kek.dispose();
  proof.dispose();
  return rewrapped;
}
