// Verification: does a stored secret still work on the real system?
import { networkPolicy } from "@strongroom/connectors";
import type { Kernel } from "#kernel/kernel.ts";
import { StartError } from "#kernel/start-error.ts";
import type { CredentialsFeature } from "#features/credentials/index.ts";
import type { Site } from "./try-login.ts";
import { defineJobs, queueFirst } from "./verification.jobs.ts";
import { grants } from "./verification.policy.ts";
import { bindVerification } from "./verification.routes.ts";

/** Throws StartError when the configured networks make no sense. */
export function installVerification(kernel: Kernel, deps: { credentials: CredentialsFeature }): void {
  const site: Site = { kernel, network: policyOf(kernel) };
  const stopping = new AbortController();
  kernel.http.addHook("preClose", async () => stopping.abort());
  kernel.authority.grant(grants);
  deps.credentials.onLoginChanged((tx, credential) => queueFirst(site, tx, credential));
  defineJobs(site);
  bindVerification(site, stopping.signal);
}

function policyOf({ config }: Kernel) {
  const { allowLoopbackTargets: allowLoopback, allowedNetworks } = config;
  try {
    return networkPolicy({ allowLoopback, allowedNetworks });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`STRONGROOM_ALLOWED_NETWORKS is not usable: ${reason}.`, { cause: error });
  }
}

export { hasAlarm, listEnding, listFailing, readStanding, readWork } from "./figures.store.ts";
export { verifyAllOf } from "./run-verification.ts";
export { SCHEDULE_EVERY } from "./verification.jobs.ts";
