// A person's vault after another person reset their sign-in: closed until its owner proves an earlier factor, or a
// waiting time ends.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message, Moment } from "./fields.ts";

export const CLOSING_CAUSES = ["reset-link", "factors-reset", "provider-changed"] as const;

export const VaultClosure = z.object({
  closed_at: Moment,
  /** If null, the vault stays closed, because the owner cancelled the reset. */
  opens_at: Moment.nullable(),
  cause: z.enum(CLOSING_CAUSES),
  /** The user who reset the sign-in. */
  by: z.string(),
  /** The owner has an earlier second factor or recovery code: proving it opens the vault immediately. */
  has_earlier_factor: z.boolean(),
});
export type VaultClosure = z.infer<typeof VaultClosure>;

export const readVaultClosure = endpoint({
  method: "GET",
  path: "/api/v1/vault-closure",
  summary: "Whether the caller's vault is closed after a reset of the caller's sign-in, why, and until when",
  reply: z.object({ closure: VaultClosure.nullable() }),
  needs: "signed-in",
  audit: "none",
  whilePending: true,
});

/** Needs no re-authentication, because it only removes access. */
export const cancelRecovery = endpoint({
  method: "POST",
  path: "/api/v1/vault-closure/cancel",
  summary:
    "Reject a reset that the caller did not request: every session ends, the password stops working, the vault stays closed",
  reply: Message,
  needs: "signed-in",
  gives: "nothing",
  audit: "vault.recovery-cancelled",
  whilePending: true,
});

/** For an owner who can no longer sign in: the token is in the email about the reset. */
export const cancelRecoveryByLink = endpoint({
  method: "POST",
  path: "/api/v1/auth/cancel-recovery",
  summary: "Reject a reset with the link from its email",
  body: z.strictObject({ token: z.string().min(20).max(200) }),
  reply: Message,
  needs: "public",
  gives: "nothing",
  audit: "vault.recovery-cancelled",
});
