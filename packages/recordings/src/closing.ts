// Why a recording ended.

/** A recording stores the position in this list, so add new reasons at the end. */
export const CLOSING_REASONS = [
  /** The user or the target ended the session. */
  "ended",
  /** An administrator terminated it. */
  "terminated",
  /** The permission for the session expired or was revoked. */
  "access-ended",
  /** The recording could not be stored for 10 s. */
  "storage-failed",
  /** The gateway was stopped or lost its database. */
  "gateway-stopped",
] as const;
export type ClosingReason = (typeof CLOSING_REASONS)[number];
