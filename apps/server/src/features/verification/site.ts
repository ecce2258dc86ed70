// What every verification of this server needs.
import { networkPolicy } from "@strongroom/connectors";
import type { NetworkPolicy } from "@strongroom/connectors";
import type { Kernel } from "#kernel/kernel.ts";
import { StartError } from "#kernel/start-error.ts";
import { createGate } from "./gate.ts";
import type { Gate } from "./gate.ts";
import type { AccountsOfSafes } from "./owner-of.ts";

export interface Site {
  kernel: Kernel;
  network: NetworkPolicy;
  accounts: AccountsOfSafes;
  /** For those who wait for a result. */
  gate: Gate;
}

/** Throws StartError when the configured networks make no sense. */
export function createSite(kernel: Kernel, accounts: AccountsOfSafes): Site {
  return { kernel, network: policyOf(kernel), accounts, gate: createGate() };
}

function policyOf({ config }: Kernel): NetworkPolicy {
  const { allowLoopbackTargets: allowLoopback, allowedNetworks } = config;
  try {
    return networkPolicy({ allowLoopback, allowedNetworks });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`STRONGROOM_ALLOWED_NETWORKS is not usable: ${reason}.`, { cause: error });
  }
}
