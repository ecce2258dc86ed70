// Connectors: the descriptions from which the account and credential forms are generated.
import { connectors, describeConnector } from "@strongroom/connectors";
import { listConnectors } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";

export function installConnectors(kernel: Kernel): void {
  const described = connectors.map(describeConnector);
  implement(kernel, listConnectors, async () => ({ connectors: described }));
}
