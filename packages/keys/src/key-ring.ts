// The keys of a running process: sealed at first, unsealed by a root key, until sealed again.
import { backupMac } from "./backup-mac.ts";
import { KekError, rootKeyChanged, SealedError } from "./errors.ts";
import { Kek, unwrapKek, wrapKek, type WrappedKek } from "./kek.ts";
import type { KekStore } from "./kek-store.ts";
import type { RootKey } from "./root-key.ts";

/** The whole unsealed state. Dropped as one object, so that nothing started before a seal survives it. */
type Unsealed = {
  readonly root: RootKey;
  /** Loaded but not used yet: a store with many KEKs does not unwrap all of them at start. */
  readonly wrapped: Map<string, WrappedKek>;
  readonly keks: Map<string, Kek>;
  readonly idByPurpose: Map<string, string>;
  readonly underWay: Map<string, Promise<Kek | null>>;
};

export class KeyRing {
  readonly #store: KekStore;
  #unsealed: Unsealed | null = null;
  #timesSealed = 0;

  constructor(store: KekStore) {
    this.#store = store;
  }

  get isSealed(): boolean {
    return this.#unsealed === null;
  }

  /** The id of this ring's root key; null while sealed. */
  get rootKeyId(): string | null {
    return this.#unsealed?.root.id ?? null;
  }

  /**
   * Loads the stored KEKs and takes over `root`, which `seal` then disposes of. Rejects with KekError
   * "kek.other-root-key" when any of them belongs to a different root key, and with SealedError when `seal` was called
   * in the meantime; the ring is then unchanged. An unsealed ring may be unsealed again: this is how a running process
   * follows a rekey.
   */
  async unseal(root: RootKey): Promise<void> {
    const timesSealed = this.#timesSealed;
    const stored = await this.#store.load();
    if (this.#timesSealed !== timesSealed) throw new SealedError();
    const stranger = stored.find((kek) => kek.rootKeyId !== root.id);
    if (stranger) throw new KekError("kek.other-root-key", stranger.id);

    const before = this.#unsealed;
    this.#unsealed = {
      root,
      wrapped: new Map(stored.map((kek) => [kek.id, kek])),
      keks: new Map(before?.keks),
      idByPurpose: new Map(stored.map((kek) => [kek.purpose, kek.id])),
      underWay: new Map(),
    };
    if (before && before.root !== root) before.root.dispose();
  }

  /**
   * A ring over another store whose KEKs belong to this ring's root key, such as a copy of the database. The caller
   * seals it. Rejects with SealedError while this ring is sealed, and as `unseal` does.
   */
  async ringOver(store: KekStore): Promise<KeyRing> {
    const ring = new KeyRing(store);
    await ring.unseal(this.#live().root.copy());
    return ring;
  }

  /** The MAC of a backup's manifest under this ring's root key. Throws SealedError. */
  backupMac(manifest: Uint8Array): Buffer {
    return backupMac(this.#live().root, manifest);
  }

  /** Disposes of every key, including those that callers still use: their next use throws SealedError. */
  seal(): void {
    this.#timesSealed += 1;
    const before = this.#unsealed;
    this.#unsealed = null;
    before?.root.dispose();
    for (const kek of before?.keks.values() ?? []) kek.dispose();
  }

  /** The KEK for `purpose`, created on demand; concurrent calls share one creation. Rejects with SealedError. */
  async kekFor(purpose: string): Promise<Kek> {
    const unsealed = this.#live();
    const id = unsealed.idByPurpose.get(purpose);
    if (id !== undefined) return this.kekById(id);
    const kek = await this.#once(unsealed, `purpose ${purpose}`, () =>
      this.#store.insert(wrapKek(unsealed.root, Kek.generate(purpose))),
    );
    return kek ?? this.kekFor(purpose);
  }

  /**
   * The KEK with `id`, loaded from the store if this process does not have it. Rejects with SealedError, or with
   * KekError ("kek.unknown" when it does not exist, other codes when it does not open).
   */
  async kekById(id: string): Promise<Kek> {
    const cached = this.cached(id);
    if (cached) return cached;
    const kek = await this.#once(this.#live(), `id ${id}`, async () => {
      const found = await this.#store.find(id);
      if (!found) throw new KekError("kek.unknown", id);
      return found;
    });
    return kek ?? this.kekById(id);
  }

  /** The KEK with `id` if this process has it, else null. Throws SealedError, or KekError when it does not open. */
  cached(id: string): Kek | null {
    const unsealed = this.#live();
    const kek = unsealed.keks.get(id);
    if (kek) return kek;
    const wrapped = unsealed.wrapped.get(id);
    return wrapped ? keep(unsealed, wrapped) : null;
  }

  /**
   * Disposes of the KEK with `id`, which was destroyed in the store; callers that still have it can no
   * longer use it.
   */
  forget(id: string): void {
    const unsealed = this.#unsealed;
    if (unsealed === null) return;
    const kek = unsealed.keks.get(id);
    kek?.dispose();
    unsealed.keks.delete(id);
    unsealed.wrapped.delete(id);
    for (const [purpose, known] of unsealed.idByPurpose) if (known === id) unsealed.idByPurpose.delete(purpose);
  }

  #live(): Unsealed {
    if (this.#unsealed === null) throw new SealedError();
    return this.#unsealed;
  }

  /** Null when the ring was unsealed again during the fetch: the caller retries. */
  #once(unsealed: Unsealed, key: string, fetch: () => Promise<WrappedKek>): Promise<Kek | null> {
    const underWay = unsealed.underWay.get(key);
    if (underWay) return underWay;
    const fetched = fetch()
      .then((wrapped) => (this.#live() === unsealed ? keep(unsealed, wrapped) : null))
      .finally(() => unsealed.underWay.delete(key));
    unsealed.underWay.set(key, fetched);
    return fetched;
  }
}

function keep(unsealed: Unsealed, wrapped: WrappedKek): Kek {
  const known = unsealed.keks.get(wrapped.id);
  if (known) return known;
  if (wrapped.rootKeyId !== unsealed.root.id) throw rootKeyChanged();
  const kek = unwrapKek(unsealed.root, wrapped);
  unsealed.wrapped.delete(kek.id);
  unsealed.keks.set(kek.id, kek);
  unsealed.idByPurpose.set(kek.purpose, kek.id);
  return kek;
}
