// Rotation: changes a stored secret on its target without losing one. Credentials and accounts use the same engine.
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { SecretsFeature } from "#features/secrets/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { AccountsOfSafes, VerificationFeature } from "#features/verification/index.ts";
import { bindExisting } from "./dependents/bind-dependents.ts";
import { defineAlarm, dependentHealth } from "./dependents/dependent-alarm.ts";
import { insertFor } from "./dependents/dependents.ts";
import type { NewDependent } from "./dependents/dependents.ts";
import { markOutdated, removeDependentRow } from "./dependents/dependents.store.ts";
import { createEngine } from "./engine/engine.ts";
import type { Engine } from "./engine/engine.ts";
import { enqueueRotation } from "./enqueue-rotation.ts";
import { defineJobs, queueDue } from "./rotation.jobs.ts";
import { rolePermissions } from "./rotation.policy.ts";
import { bindRotation } from "./rotation.routes.ts";
import type { DependentListener, RotatedAccounts, RotationContext, RotationListener } from "./context.ts";
import { createFirstRotations } from "./first-rotations.ts";
import type { FirstRotations } from "./first-rotations.ts";
import { createStarter } from "./start-after-use.ts";
import { STORED_BY_HAND } from "./rotation-labels.ts";

export type { FirstRotations } from "./first-rotations.ts";
export type { LocatedLogin } from "./reconcile/reconcile-scope.policy.ts";
export { distrustJournals } from "./engine/distrust-journals.ts";

interface Deps {
  secrets: SecretsFeature;
  verification: VerificationFeature;
  accountsOfSafes: AccountsOfSafes;
  accounts: RotatedAccounts;
  notify: Notify;
}

export interface RotationFeature extends Engine {
  /** Adds a dependent that has this version of the secret, in the caller's transaction. Returns its id. */
  addDependent(tx: Tx, added: NewDependent): Promise<string>;
  /** Removes a dependent of an account, if it exists. */
  removeDependent(tx: Tx, accountId: string, id: string): Promise<void>;
  /** Requests a rotation for a user who may manage the secret. Returns its id. */
  rotate(tx: Tx, actor: Actor, accountId: string): Promise<string>;
  /** Registers a listener, which is called in the transaction in which a rotation ends or stops for a user. */
  onSettled(listener: RotationListener): void;
  /** Registers a listener, which is called in the transaction that stores the successful update of a dependent. */
  onDependentUpdated(listener: DependentListener): void;
  /** Call this after every unsealing, before anything uses a dependent. */
  bindExisting(): Promise<void>;
  health: { name: string; problem: () => Promise<string | null> };
  firstRotations: FirstRotations;
}

/** Call the returned engine's `start` to begin processing due rotations. */
export function installRotation(kernel: Kernel, deps: Deps): RotationFeature {
  const listeners: RotationListener[] = [];
  const dependentListeners: DependentListener[] = [];
  const { network } = deps.verification.site;
  const context: RotationContext = {
    kernel,
    network,
    accounts: deps.accountsOfSafes,
    rotated: deps.accounts,
    notify: deps.notify,
    loginChanged: deps.secrets.loginChanged,
    settled: async (...settled) => {
      for (const listener of listeners) await listener(...settled);
    },
    dependentUpdated: async (...updated) => {
      for (const listener of dependentListeners) await listener(...updated);
    },
  };
  deps.secrets.onLoginChanged((tx, { id, secret_version }) => markOutdated(tx, id, secret_version, STORED_BY_HAND));
  kernel.authority.grant(rolePermissions);
  bindRotation(context);
  defineJobs(context);
  defineAlarm(kernel, deps.notify);
  const engine = createEngine(context);
  const starter = createStarter(context);
  return {
    addDependent: (tx, added) => insertFor(context, tx, added),
    removeDependent: async (tx, accountId, id) => void (await removeDependentRow(tx, accountId, id)),
    rotate: async (tx, actor, accountId) => {
      const row = await context.rotated.hold(tx, actor, accountId, "manage_secret");
      const requester = { id: actor.id, name: actor.name };
      return (await enqueueRotation(context, tx, row, { by: null, because: "asked", requester, runId: null })).id;
    },
    onSettled: (listener) => void listeners.push(listener),
    onDependentUpdated: (listener) => void dependentListeners.push(listener),
    bindExisting: () => bindExisting(kernel),
    health: dependentHealth(kernel),
    firstRotations: createFirstRotations(context),
    async start() {
      await engine.start();
      await starter.start();
      await queueDue(context);
    },
    async stop() {
      await starter.stop();
      await engine.stop();
    },
  };
}
