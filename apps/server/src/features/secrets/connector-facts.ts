// Describes what the connector of a stored secret can do on its target, and whether that is proven.
import { canChange, connectorFor, isSupported } from "@strongroom/connectors";
import type { ConnectorFacts } from "@strongroom/contract";
import type { SecretRow } from "./secrets.store.ts";

type Kind = Pick<SecretRow, "type" | "host" | "port" | "username" | "connection_string" | "additional_params">;

/** Null when no connector supports such an entry. */
export function connectorFacts(row: Kind): ConnectorFacts | null {
  const { type, host, port, username, connection_string, additional_params } = row;
  const kind = {
    type,
    host,
    port,
    username,
    connectionString: connection_string,
    additionalParams: additional_params,
  };
  if (!isSupported(kind)) return null;
  const connector = connectorFor(kind);
  return {
    name: connector.name,
    is_proven: connector.proven,
    can_change: canChange(connector),
    can_reconcile: connector.reconcile !== undefined,
  };
}
