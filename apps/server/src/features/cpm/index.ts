// The CPM dashboard: the number of working secrets, and the secrets that need attention.
import type { Kernel } from "#kernel/kernel.ts";
import { listAttention, readCpmStatus, runCpmVerification } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { GrantQueries } from "#features/figures/index.ts";
import type { VerificationFeature } from "#features/verification/index.ts";
import { readAttention, readStatus } from "./cpm.ts";
import { rolePermissions } from "./cpm.policy.ts";

interface CpmDeps {
  verification: VerificationFeature;
  grants: GrantQueries;
}

export function installCpm(kernel: Kernel, deps: CpmDeps): void {
  kernel.authority.grant(rolePermissions);
  bindCpm(kernel, deps);
}

function bindCpm(kernel: Kernel, { verification, grants }: CpmDeps): void {
  implement(kernel, readCpmStatus, (call, db) => readStatus(kernel, call, db, grants));
  implement(kernel, listAttention, (call, db) => readAttention(call, db, grants));
  implement(kernel, runCpmVerification, (call, tx) => verification.verifyAll(call, tx));
}
