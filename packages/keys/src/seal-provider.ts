// The interface of seal providers, which keep the root key.
import type { RootKey } from "./root-key.ts";
import type { SealRecord } from "./seal-record.ts";

/** A root key and the record that names it. The caller owns `root` and disposes of it. */
export type Sealed = { readonly root: RootKey; readonly record: SealRecord };

/** A root key that is durable but not in use until the database has committed `record`. */
export type StagedSeal = Sealed & {
  /** Call after the commit. May be interrupted or left out: `open` finds the staged key by the committed record. */
  putInPlace(): Promise<void>;
  /** Call only when the database has certainly not committed `record`. */
  discard(): Promise<void>;
};

export interface SealProvider {
  readonly name: SealRecord["provider"];

  /**
   * At first start: creates a root key, or continues with the one left by an interrupted first start. Rejects
   * with SealError.
   */
  create(): Promise<Sealed>;

  /** The root key that `record` names. Rejects with SealError, each code with a sentence that says what to do. */
  open(record: SealRecord): Promise<RootKey>;

  /** A new root key beside the one in use. Rejects with SealError. */
  stage(): Promise<StagedSeal>;
}
