// Rotation: changes a stored secret on its target without losing one. Credentials and accounts use the same engine.
import type { Kernel } from "#kernel/kernel.ts";
import type { SecretsFeature } from "#features/secrets/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { AccountsOfSafes, VerificationFeature } from "#features/verification/index.ts";
import { markOutdated } from "./dependents/dependents.store.ts";
import { createEngine } from "./engine/engine.ts";
import type { Engine } from "./engine/engine.ts";
import { defineJobs, queueDue } from "./rotation.jobs.ts";
import { rolePermissions } from "./rotation.policy.ts";
import { bindRotation } from "./rotation.routes.ts";
import type { RotatedAccounts, RotationContext } from "./context.ts";
import { createStarter } from "./start-after-use.ts";
import { STORED_BY_HAND } from "./rotation-labels.ts";

export { distrustJournals } from "./engine/distrust-journals.ts";

interface Deps {
  secrets: SecretsFeature;
  verification: VerificationFeature;
  accountsOfSafes: AccountsOfSafes;
  accounts: RotatedAccounts;
  notify: Notify;
}

/** Call the returned engine's `start` to begin processing due rotations. */
export function installRotation(kernel: Kernel, deps: Deps): Engine {
  const { network } = deps.verification.site;
  const context: RotationContext = {
    kernel,
    network,
    accounts: deps.accountsOfSafes,
    rotated: deps.accounts,
    notify: deps.notify,
    loginChanged: deps.secrets.loginChanged,
  };
  deps.secrets.onLoginChanged((tx, { id, secret_version }) => markOutdated(tx, id, secret_version, STORED_BY_HAND));
  kernel.authority.grant(rolePermissions);
  bindRotation(context);
  defineJobs(context);
  const engine = createEngine(context);
  const starter = createStarter(context);
  return {
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
