// Why a password cannot be rotated at all, known before a rotation is requested.
import type { ConnectorFacts } from "@strongroom/contract";

/** Null when a rotation is possible. `hasReconcileAccount`: the platform has an account that can reset the password. */
export function rotationObstacle(connector: ConnectorFacts | null, hasReconcileAccount: boolean): string | null {
  if (connector === null) {
    return "Strongroom cannot change this password. Change it on the target system, then choose Edit to store the new one.";
  }
  if (connector.can_change || (connector.can_reconcile && hasReconcileAccount)) return null;
  if (connector.can_reconcile) {
    return `${connector.name} can change this password only with a reconcile account, and the platform has none.`;
  }
  return `Strongroom cannot change secrets of this kind (${connector.name}). Change the secret on its system and store the new one with Edit.`;
}
