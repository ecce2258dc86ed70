// Describes the connectors for the API: identity, parameters and capabilities.
import type { ConnectorDescription } from "@strongroom/contract";
import type { Connector } from "./connector.ts";
import { canChange } from "./registry.ts";

export function describeConnector(connector: Connector): ConnectorDescription {
  const { id, name, icon, types, protocols = [], schemes = [], parameters, proven } = connector;
  return {
    id,
    label: name,
    icon,
    default_port: connector.defaultPort ?? protocols.at(-1)?.port ?? null,
    types: [...types],
    protocols: [...protocols],
    schemes: [...schemes],
    parameters: [...parameters],
    capabilities: {
      can_change: canChange(connector),
      can_reconcile: connector.reconcile !== undefined,
      can_list_accounts: connector.listAccounts !== undefined,
    },
    is_proven: proven,
  };
}
