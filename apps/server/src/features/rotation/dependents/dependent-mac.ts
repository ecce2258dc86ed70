// Authenticates dependents, so that changing the database alone cannot make a rotation write elsewhere or something else.
import { canonicalise } from "@strongroom/auditlog";
import { SealedError, authenticate, isAuthentic } from "@strongroom/keys";
import type { Kek, KeyRing } from "@strongroom/keys";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { raiseMismatch } from "./dependent-alarm.ts";
import type { DependentRow } from "./dependents.store.ts";

/** The name of the key-encryption key for MACs and for the signing keys of webhooks. */
export const DEPENDENT_KEYS = "dependents";
const LABEL = "strongroom/dependent/v1";

/** All columns that are not progress. They decide where a secret is written, what else, and with whose permissions. */
export type BoundColumns = Pick<
  DependentRow,
  "id" | "account_id" | "name" | "config" | "added_by" | "via_way" | "signing_key"
>;

/** The key rings of databases whose dependents are known to be bound. */
const ready = new WeakSet<KeyRing>();

export const dependentsAreBound = (keys: KeyRing): void => void ready.add(keys);

/** False while the vault is sealed, and until the dependents of an earlier version are bound. */
export const canCheck = (keys: KeyRing): boolean => !keys.isSealed && ready.has(keys);

/** Throws TypeError for settings that JSON cannot hold without loss. */
export function macOf(kek: Kek, row: BoundColumns): Buffer {
  const { id, account_id, name, config, added_by, via_way } = row;
  const signing_key = row.signing_key?.toString("base64") ?? null;
  return authenticate(kek, LABEL, id, canonicalise({ account_id, name, config, added_by, via_way, signing_key }));
}

/**
 * INVARIANT: a dependent is used only after this check. Returns false and raises the alarm if the row does not match its
 * MAC. Throws SealedError when `canCheck` is false.
 */
export async function checkDependent(kernel: ProcessKernel, row: DependentRow): Promise<boolean> {
  if (!canCheck(kernel.keys)) throw new SealedError();
  const mac = macOrNull(await kernel.keys.kekFor(DEPENDENT_KEYS), row);
  if (row.mac !== null && mac !== null && isAuthentic(row.mac, mac)) return true;
  raiseMismatch(kernel, row.id);
  return false;
}

/** Returns null for settings that JSON cannot hold without loss. Strongroom never stores such settings. */
export function macOrNull(kek: Kek, row: BoundColumns): Buffer | null {
  try {
    return macOf(kek, row);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
