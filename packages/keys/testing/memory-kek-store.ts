// A KekStore in memory that implements the port's whole contract and can fail before or after any step.
import { rootKeyChanged, type KekStore, type SealRecord, type WrappedKek } from "../src/index.ts";

export type Step = "load" | "find" | "insert" | "replaceAll";

export class StoreFailure extends Error {}

export class MemoryKekStore implements KekStore {
  keks: WrappedKek[] = [];
  calls: Step[] = [];
  sealRecord: SealRecord;
  failing: { step: Step; when: "before" | "after" } | null = null;
  /** Awaited inside each step, so that a test can act during a call. */
  pause: (step: Step) => Promise<void> = async () => {};

  constructor(sealRecord: SealRecord) {
    this.sealRecord = sealRecord;
  }

  load(): Promise<WrappedKek[]> {
    return this.#step("load", () => [...this.keks]);
  }

  find(id: string): Promise<WrappedKek | null> {
    return this.#step("find", () => this.keks.find((kek) => kek.id === id) ?? null);
  }

  insert(kek: WrappedKek): Promise<WrappedKek> {
    return this.#step("insert", () => {
      if (kek.rootKeyId !== this.sealRecord.rootKeyId) throw rootKeyChanged();
      const winner = this.keks.find(({ purpose }) => purpose === kek.purpose);
      if (winner) return winner;
      this.keks.push(kek);
      return kek;
    });
  }

  replaceAll(keks: readonly WrappedKek[], record: SealRecord, oldRootKeyId: string): Promise<"replaced" | "stale"> {
    return this.#step("replaceAll", () => {
      const ids = (list: readonly WrappedKek[]) =>
        list
          .map(({ id }) => id)
          .toSorted()
          .join();
      if (this.sealRecord.rootKeyId !== oldRootKeyId || ids(keks) !== ids(this.keks)) return "stale";
      this.keks = [...keks];
      this.sealRecord = record;
      return "replaced";
    });
  }

  async #step<T>(step: Step, act: () => T): Promise<T> {
    this.calls.push(step);
    const fails = this.failing?.step === step ? this.failing.when : null;
    if (fails === "before") throw new StoreFailure(`before ${step}`);
    await this.pause(step);
    const result = act();
    if (fails === "after") throw new StoreFailure(`after ${step}`);
    return result;
  }
}
