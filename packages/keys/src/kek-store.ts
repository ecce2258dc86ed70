// The port through which wrapped KEKs and the seal record are stored; the server implements it on its database.
import type { WrappedKek } from "./kek.ts";
import type { SealRecord } from "./seal-record.ts";

/**
 * Storage of wrapped KEKs. The seal record lives beside them and names the root key that all of them are wrapped by:
 *
 * INVARIANT: no stored KEK is ever wrapped by another root key than the one that the stored seal record names.
 *
 * `insert` and `replaceAll` keep it between them by locking the seal record first (on PostgreSQL `FOR SHARE` in one,
 * `FOR UPDATE` in the other). Without that, a KEK created during a rekey would be wrapped by the old root and lost with it.
 */
export interface KekStore {
  /** Every stored KEK. */
  load(): Promise<WrappedKek[]>;

  /** One stored KEK, or null when there is none with this id. */
  find(id: string): Promise<WrappedKek | null>;

  /**
   * Stores `kek` if there is none for its purpose yet, and returns the one that is stored then: `kek`, or the winner
   * when another process was first. Throws SealError "root-key.changed" (see `rootKeyChanged`), storing nothing, when
   * the stored seal record names another root key than `kek.rootKeyId`.
   */
  insert(kek: WrappedKek): Promise<WrappedKek>;

  /**
   * In one transaction: replaces all stored KEKs and the seal record, and answers "replaced". Answers "stale" and
   * changes nothing when the stored seal record does not name `oldRootKeyId`, or when the stored ids are not exactly
   * the ids of `keks` (one was created since they were loaded). A rejection may mean either state: a connection can be
   * lost between the commit and its acknowledgement.
   */
  replaceAll(keks: readonly WrappedKek[], sealRecord: SealRecord, oldRootKeyId: string): Promise<"replaced" | "stale">;
}
