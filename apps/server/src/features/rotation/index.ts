// Rotation: changing a stored secret on its real system, without ever losing one. The same for credentials and accounts.
import type { Kernel } from "#kernel/kernel.ts";
import type { CredentialsFeature } from "#features/credentials/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { AccountsOfSafes, VerificationFeature } from "#features/verification/index.ts";
import { outdate } from "./dependents.store.ts";
import { createEngine } from "./engine.ts";
import type { Engine } from "./engine.ts";
import { defineJobs, queueDue } from "./rotation.jobs.ts";
import { grants } from "./rotation.policy.ts";
import { bindRotation } from "./rotation.routes.ts";
import type { RotatedAccounts, Site } from "./site.ts";
import { STORED_BY_HAND } from "./words.ts";

export { distrustJournals } from "./distrust-journals.ts";

interface Deps {
  credentials: CredentialsFeature;
  verification: VerificationFeature;
  accountsOfSafes: AccountsOfSafes;
  accounts: RotatedAccounts;
  notify: Notify;
}

/** The answer's `start` begins to work on what is due. */
export function installRotation(kernel: Kernel, deps: Deps): Engine {
  const { network } = deps.verification.site;
  const site: Site = {
    kernel,
    network,
    accounts: deps.accountsOfSafes,
    rotated: deps.accounts,
    notify: deps.notify,
    loginChanged: deps.credentials.loginChanged,
  };
  deps.credentials.onLoginChanged((tx, { id, secret_version }) => outdate(tx, id, secret_version, STORED_BY_HAND));
  kernel.authority.grant(grants);
  bindRotation(site);
  defineJobs(site);
  const engine = createEngine(site);
  return {
    async start() {
      await engine.start();
      await queueDue(site);
    },
    stop: () => engine.stop(),
  };
}
