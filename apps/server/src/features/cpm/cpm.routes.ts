// Binds the CPM dashboard endpoints to their handlers.
import { listAttention, readCpmStatus, runCpmVerification } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { GrantQueries } from "#features/figures/index.ts";
import type { VerificationFeature } from "#features/verification/index.ts";
import { readAttention, readStatus } from "./cpm.ts";

export interface CpmDeps {
  verification: VerificationFeature;
  grants: GrantQueries;
}

export function bindCpm(kernel: Kernel, { verification, grants }: CpmDeps): void {
  implement(kernel, readCpmStatus, (call, db) => readStatus(kernel, call, db, grants));
  implement(kernel, listAttention, (call, db) => readAttention(call, db, grants));
  implement(kernel, runCpmVerification, (call, tx) => verification.verifyAll(call, tx));
}
