// Dependent proposals: the uses of an account that scans found, offered for its list of dependents.
import { listProposedDependents } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { proposeDependents } from "./dependent-proposals.ts";
import type { ProposalAccounts } from "./dependent-proposals.ts";

export function installDependentProposals(kernel: Kernel, { accounts }: { accounts: ProposalAccounts }): void {
  implement(kernel, listProposedDependents, (call, db) => proposeDependents(accounts, call, db));
}
