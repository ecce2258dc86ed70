// Reads and writes the single row of the sign-in policy.
import type { SignInPolicy, SignUpRule } from "@strongroom/contract";
import type { Generated } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

interface SignInPolicyTable extends SignInPolicy {
  is_only: Generated<boolean>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    sign_in_policy: SignInPolicyTable;
  }
}

export const policyColumns = [
  "timeout_minutes",
  "warning_minutes",
  "privileged_timeout_minutes",
  "session_hours",
  "remembered_days",
  "sign_up",
  "sign_up_domains",
  "password_min_length",
  "privileged_password_min_length",
  "mfa_required_roles",
  "step_up_minutes",
  "allowed_networks",
  "vault_wait_hours",
] as const;

export const readPolicy = (db: Db): Promise<SignInPolicy> =>
  db.selectFrom("sign_in_policy").select(policyColumns).executeTakeFirstOrThrow();

/** Returns the policy and locks it against changes until the transaction ends. */
export const lockPolicyShared = (tx: Tx): Promise<SignInPolicy> =>
  tx.selectFrom("sign_in_policy").select(policyColumns).forShare().executeTakeFirstOrThrow();

/** Returns the policy before a change. Until the transaction ends, sign-ins that depend on the policy wait. */
export const lockPolicy = (tx: Tx): Promise<SignInPolicy> =>
  tx.selectFrom("sign_in_policy").select(policyColumns).forUpdate().executeTakeFirstOrThrow();

/** Saves the first administrator's choice of the sign-up rule. */
export async function writeSignUpRule(tx: Tx, rule: SignUpRule): Promise<void> {
  await tx.updateTable("sign_in_policy").set(rule).execute();
}

export async function writePolicy(tx: Tx, policy: SignInPolicy): Promise<void> {
  await tx.updateTable("sign_in_policy").set(policy).execute();
}
