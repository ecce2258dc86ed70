// Tests of a login before an account is stored.
import { z } from "zod";
import { NewAccount } from "./accounts.ts";
import { endpoint } from "./endpoint.ts";
import { Outcome } from "./verification.ts";

/**
 * For the form of a new account: whether the target accepts the login, before anything is stored. Needs `add` in the safe. The
 * network policy of verification applies, and a few rejected tests block more tests for ten minutes, so that the call
 * neither locks an account on its target nor guesses passwords.
 */
export const testAccountLogin = endpoint({
  method: "POST",
  path: "/api/v1/accounts/test-login",
  summary: "Log in to a target with the values of a new account, without storing them",
  body: NewAccount,
  reply: z.object({
    outcome: Outcome,
    /** The message of the target or the connector, without secrets. */
    message: z.string(),
    duration_ms: z.number().int(),
    /** The SSH host key that the target presented, as `ssh-ed25519 SHA256:…`; null for other protocols. */
    host_key: z.string().nullable(),
  }),
  needs: "account.create",
  audit: "account.login-tested",
  gives: "nothing",
});
