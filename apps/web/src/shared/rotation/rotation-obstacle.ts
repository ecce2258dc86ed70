// Why a password cannot be rotated at all, known before a rotation is requested.
import type { ConnectorFacts } from "@strongroom/contract";

/** Null when a rotation is possible. `hasReconcileAccount`: the platform has an account that can reset the password. */
export function rotationObstacle(connector: ConnectorFacts | null, hasReconcileAccount: boolean): string | null {
  if (connector === null) {
    return "No connector serves this entry: change the password on its system and store the new one with Edit.";
  }
  if (connector.can_change || (connector.can_reconcile && hasReconcileAccount)) return null;
  if (connector.can_reconcile) {
    return `On ${connector.name} only a reconcile account can change it, and its platform has none.`;
  }
  return `Strongroom cannot change secrets of this kind (${connector.name}): change it on its system and store the new one with Edit.`;
}
