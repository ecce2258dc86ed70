// The context of findings, their refusals and audit targets.
import type { NetworkPolicy } from "@strongroom/connectors";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { AccountsFeature } from "#features/accounts/index.ts";
import type { RotationFeature } from "#features/rotation/index.ts";

export interface FindingsContext {
  kernel: Kernel;
  network: NetworkPolicy;
  accounts: Pick<AccountsFeature, "requireSecret" | "requireSeen" | "insert" | "remove">;
  rotation: Pick<RotationFeature, "addDependent" | "removeDependent" | "rotate" | "onDependentUpdated">;
}

/** The same refusal for a finding that does not exist and one that this user cannot see. */
export const findingNotFound = (): Refusal => refuse(404, "finding.not-found", "Security finding not found");

export const ruleNotFound = (): Refusal => refuse(404, "finding.rule-not-found", "Rule not found");

export const mayNotManage = (): Refusal =>
  refuse(403, "finding.not-allowed", "You need permission to add accounts to the target's safe.");

export const auditTarget = (id: string, path: string | null = null) => ({
  type: "finding",
  id,
  // Audit entries refuse half a character.
  ...(path === null ? {} : { name: path.slice(-200).toWellFormed() }),
});
