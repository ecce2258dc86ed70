// Second factors: authenticator apps, passkeys and recovery codes, and re-authentication before sensitive calls.
import type { Notify } from "#features/notifications/index.ts";
import type { SignInFeature } from "#features/sign-in/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { FactorsContext } from "./context.ts";
import { bindFactors } from "./factors.routes.ts";
import { deleteFactorsOf, deleteRecoveryCodes, deleteExpiredEnrolments } from "./factors.store.ts";
import { removeFactors } from "./reset-factors.ts";
import { demandOf } from "./proofs/second-step.ts";

export interface FactorsFeature {
  /** Called when a user is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** For a restored database: ends open challenges and enrolments. */
  endBegun(tx: Tx): Promise<void>;
  /** Used after a restore, which would make used recovery codes valid again. Returns the number of deleted codes. */
  deleteRecoveryCodes(tx: Tx): Promise<number>;
  /**
   * Removes a user's factors, ends their sessions and API tokens, closes their vault and notifies them. The caller has
   * locked the user.
   */
  removeFactors(tx: Tx, person: { id: string; email: string }, by: { name: string }): Promise<number>;
}

/** Later than every possible expiry. */
const NEVER_ENDS = new Date("9999-01-01");

export function installFactors(kernel: Kernel, deps: { signIn: SignInFeature; notify: Notify }): FactorsFeature {
  const { signIn, notify } = deps;
  const parts: FactorsContext = { kernel, signIn: signIn.parts, endSessions: signIn.endSessions, notify };
  signIn.parts.secondStep.current = (db, user) => demandOf(parts, db, user);
  bindFactors(parts);
  kernel.jobs.define("factors.sweep", { schedule: "* * * * *" }, () =>
    kernel.database.transaction((tx) => deleteExpiredEnrolments(tx, kernel.clock.now())),
  );
  return {
    forgetPerson: async (tx, userId) => void (await deleteFactorsOf(tx, userId)),
    deleteRecoveryCodes,
    endBegun: (tx) => deleteExpiredEnrolments(tx, NEVER_ENDS),
    removeFactors: async (tx, person, by) => (await removeFactors(parts, tx, person, by)).factors,
  };
}

export { complete as completeSecondStep, demandOf } from "./proofs/second-step.ts";
export { resetFactorsOf } from "./reset-factors.ts";
