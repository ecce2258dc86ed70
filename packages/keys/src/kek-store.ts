// The storage port for wrapped KEKs and the seal record; the server implements it on its database.
import type { WrappedKek } from "./kek.ts";
import type { SealRecord } from "./seal-record.ts";

/**
 * Storage of wrapped KEKs. The seal record beside them names the root key that wraps them all:
 *
 * INVARIANT: no stored KEK is ever wrapped by a root key other than the one that the stored seal record names.
 *
 * `insert` and `replaceAll` keep the invariant together by locking the seal record first (on PostgreSQL `FOR
 * SHARE` in the first, `FOR UPDATE` in the second). Without these locks, a KEK created during a rekey would be
 * wrapped by the old root key and lost with it.
 */
export interface KekStore {
  /** Every stored KEK. */
  load(): Promise<WrappedKek[]>;

  /** The stored KEK with this id, or null. */
  find(id: string): Promise<WrappedKek | null>;

  /**
   * Stores `kek` unless its purpose has one already, and returns the stored one: `kek`, or that of another
   * process that was first. Throws SealError "root-key.changed" (see `rootKeyChanged`) and stores nothing when
   * the stored seal record names a root key other than `kek.rootKeyId`.
   */
  insert(kek: WrappedKek): Promise<WrappedKek>;

  /**
   * In one transaction: replaces all stored KEKs and the seal record, and returns "replaced". Returns "stale"
   * and changes nothing when the stored seal record does not name `oldRootKeyId`, or when the stored ids are not
   * exactly the ids of `keks` (one was created since they were loaded). After a rejection either state is
   * possible: the connection can be lost between the commit and its acknowledgement.
   */
  replaceAll(keks: readonly WrappedKek[], sealRecord: SealRecord, oldRootKeyId: string): Promise<"replaced" | "stale">;
}
