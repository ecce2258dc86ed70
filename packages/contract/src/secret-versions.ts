// The versions of a stored secret over time, without the secrets.
import { z } from "zod";
import { Moment } from "./fields.ts";

export const SECRET_REASONS = ["created", "edited", "rotated", "reconciled", "imported"] as const;
export const SecretVersion = z.object({
  version: z.number().int(),
  reason: z.enum(SECRET_REASONS),
  /** Generated for a rotation and never verified as the active one, but kept. */
  is_candidate: z.boolean(),
  created_at: Moment,
  created_by: z.string(),
  /** When a later version replaced this one; null for the active version. */
  retired_at: Moment.nullable(),
});
export type SecretVersion = z.infer<typeof SecretVersion>;

/** Newest first. */
export const SecretVersionList = z.object({ versions: z.array(SecretVersion) });

/** The path of a version. */
export const VersionNumber = z.coerce.number().int().min(1).max(2_147_483_647);
