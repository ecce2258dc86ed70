// The interface of everything that can keep a root key for us.
import type { RootKey } from "./root-key.ts";
import type { SealRecord } from "./seal-record.ts";

/** A root key and the record by which it is found again. The caller owns `root` and disposes of it. */
export type Sealed = { readonly root: RootKey; readonly record: SealRecord };

/** A root key that is durable already but not in use before the database has committed to `record`. */
export type StagedSeal = Sealed & {
  /** After the commit. May be interrupted and left out: `open` finds the staged key by the committed record. */
  putInPlace(): Promise<void>;
  /** Only when it is certain that the database has not committed to `record`. */
  discard(): Promise<void>;
};

export interface SealProvider {
  readonly name: SealRecord["provider"];

  /** At first start: makes a root key, or takes the one that an interrupted first start has left. Rejects with SealError. */
  create(): Promise<Sealed>;

  /** The root key that `record` names. Rejects with SealError, each code with a sentence that says what to do. */
  open(record: SealRecord): Promise<RootKey>;

  /** A new root key beside the one in use. Rejects with SealError. */
  stage(): Promise<StagedSeal>;
}
