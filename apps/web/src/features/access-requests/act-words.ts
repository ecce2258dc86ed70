// What a person is told after a decision, and when it failed (JIT-36 to JIT-39, OPEN-103).

export type Act = "approve" | "deny" | "revoke" | "extend" | "map" | "review";

export const RESULTS: Record<Act, { done: string; failed: string }> = {
  approve: { done: "Request approved", failed: "Failed to approve request" },
  deny: { done: "Request denied", failed: "Failed to deny request" },
  revoke: { done: "Access revoked", failed: "Failed to revoke access" },
  extend: { done: "Extension requested", failed: "Failed to extend access" },
  map: { done: "Request mapped to the account", failed: "Failed to map request" },
  review: { done: "Review saved", failed: "Failed to save review" },
};
