// Why a recording ended.

/** Stored by position: append only. */
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
