// Toast texts for the success and failure of each action on a request (JIT-36 to JIT-39, OPEN-103).

import type { AccessRequest } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";

export type RequestAct = "approve" | "deny" | "revoke" | "cancel" | "extend" | "map" | "review";

export const RESULTS: Record<RequestAct, { done: string; failed: string }> = {
  approve: { done: "Request approved", failed: "Failed to approve request" },
  deny: { done: "Request denied", failed: "Failed to deny request" },
  revoke: { done: "Access revoked", failed: "Failed to revoke access" },
  cancel: { done: "Request cancelled", failed: "Failed to cancel request" },
  extend: { done: "Extension requested", failed: "Failed to extend access" },
  map: { done: "Request mapped to the account", failed: "Failed to map request" },
  review: { done: "Review saved", failed: "Failed to save review" },
};

/**
 * The toast after a decision; `request` is the server's reply. An approval that is not the last one needed is reported
 * as recorded, not as final.
 */
export function doneText(act: RequestAct, request: AccessRequest): string {
  const { approval } = request;
  if (act !== "approve" || approval === null) return RESULTS[act].done;
  return `Approval recorded. Level ${approval.level} needs ${counted(approval.needed - approval.given, "more approval")}.`;
}
