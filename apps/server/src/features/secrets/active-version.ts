// Authenticates which version of a secret is active, so that changing the database alone cannot reactivate an older
// one.
import { EnvelopeError, SealedError, authenticate, isAuthentic } from "@strongroom/keys";
import type { Kek, KeyRing } from "@strongroom/keys";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { raiseMismatch } from "./active-version-alarm.ts";
import { keyOfOwner } from "./owner-keys.ts";
import type { BoundVersion, SecretRow } from "./secrets.store.ts";

const LABEL = "strongroom/active-version/v1";

export interface Binding {
  secret_version: BoundVersion;
  active_count: number;
  active_mac: Buffer;
}

/** The columns of a row that identify its active version. */
export type Claim = Pick<SecretRow, "id" | "user_id" | "safe_id" | "secret_version" | "active_count" | "active_mac">;

/** The highest counter that this process has seen for each secret. Released together with the key. */
const seen = new WeakMap<Kek, Map<string, number>>();

/** The key rings of databases whose active versions are known to be bound. */
const ready = new WeakSet<KeyRing>();

export const versionsAreBound = (keys: KeyRing): void => void ready.add(keys);

/**
 * Makes `version` the active one. `before` is the current row, locked; null for a new secret. `kek` is the owner's key.
 */
export function bindActive(kek: Kek, id: string, version: number, before: { active_count: number } | null): Binding {
  const count = Math.max(before?.active_count ?? 0, seen.get(kek)?.get(id) ?? 0) + 1;
  return { secret_version: version as BoundVersion, active_count: count, active_mac: macOf(kek, id, version, count) };
}

export interface CheckOptions {
  /**
   * Set if the row was read without a lock: another process may have changed it since, so its counter is not compared.
   */
  isUnlocked?: true;
}

/**
 * INVARIANT: a secret is used as the active one only after this check. Throws EnvelopeError `envelope.not-active` and
 * raises the alarm if the row does not match its MAC or has a lower counter than this process has seen. Throws
 * SealedError, KekError.
 */
export async function checkActive(kernel: ProcessKernel, claim: Claim, options: CheckOptions = {}): Promise<void> {
  const kek = await kernel.keys.kekFor(keyOfOwner(claim));
  if (isBound(kek, claim) && (options.isUnlocked === true || !isBehind(kek, claim))) return;
  // The vault was just unsealed and its stored secrets are still being bound, so this is not an error yet.
  if (!ready.has(kernel.keys)) throw new SealedError();
  raiseMismatch(kernel, claim.id);
  throw new EnvelopeError("envelope.not-active");
}

/** Like `checkActive`, but returns the error; null when the row is authentic. */
export async function activeError(
  kernel: ProcessKernel,
  claim: Claim,
  options: CheckOptions = {},
): Promise<EnvelopeError | null> {
  return checkActive(kernel, claim, options).then(
    () => null,
    (error: unknown) => {
      if (error instanceof EnvelopeError) return error;
      throw error;
    },
  );
}

function isBound(kek: Kek, { id, secret_version, active_count, active_mac }: Claim): boolean {
  return active_mac !== null && isAuthentic(active_mac, macOf(kek, id, secret_version, active_count));
}

/** A complete older row has a valid MAC; only this process's memory can detect it. */
function isBehind(kek: Kek, { id, active_count }: Claim): boolean {
  let counts = seen.get(kek);
  if (counts === undefined) seen.set(kek, (counts = new Map()));
  const highest = counts.get(id) ?? 0;
  if (active_count > highest) counts.set(id, active_count);
  return active_count < highest;
}

const macOf = (kek: Kek, id: string, version: number, count: number): Buffer =>
  authenticate(kek, LABEL, id, String(version), String(count));
