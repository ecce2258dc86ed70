// Second factors: authenticator apps, passkeys, recovery codes, and the fresh proof that some calls ask for.
import type { Notify } from "#features/notifications/index.ts";
import type { SignInFeature } from "#features/sign-in/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { FactorParts } from "./factor-parts.ts";
import { bindFactors } from "./factors.routes.ts";
import { deleteFactorsOf, sweepBegun } from "./factors.store.ts";
import { removeFactors } from "./reset-factors.ts";
import { demandOf } from "./second-step.ts";

export interface FactorsFeature {
  /** For a person who is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** For a restored database: ends challenges and enrolments under way. */
  endBegun(tx: Tx): Promise<void>;
  /** With the person locked: removes their factors, ends their sessions and API tokens, closes their vault and notifies them. */
  removeFactors(tx: Tx, person: { id: string; email: string }, by: { name: string }): Promise<number>;
}

/** Later than every end. */
const NEVER_ENDS = new Date("9999-01-01");

export function installFactors(kernel: Kernel, deps: { signIn: SignInFeature; notify: Notify }): FactorsFeature {
  const { signIn, notify } = deps;
  const parts: FactorParts = { kernel, signIn: signIn.parts, endSessions: signIn.endSessions, notify };
  signIn.parts.secondStep.current = (db, user) => demandOf(parts, db, user);
  bindFactors(parts);
  kernel.jobs.define("factors.sweep", { schedule: "* * * * *" }, () =>
    kernel.database.transaction((tx) => sweepBegun(tx, kernel.clock.now())),
  );
  return {
    forgetPerson: async (tx, userId) => void (await deleteFactorsOf(tx, userId)),
    endBegun: (tx) => sweepBegun(tx, NEVER_ENDS),
    removeFactors: async (tx, person, by) => (await removeFactors(parts, tx, person, by)).factors,
  };
}

export { resetFactorsOf } from "./reset-factors.ts";
