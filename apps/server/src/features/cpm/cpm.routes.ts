// Binds the calls of the CPM dashboard to their use cases.
import { listAttention, readCpmStatus, runCpmVerification } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { VerificationFeature } from "#features/verification/index.ts";
import { readAttention, readStatus } from "./cpm.ts";

export function bindCpm(kernel: Kernel, verification: VerificationFeature): void {
  implement(kernel, readCpmStatus, (call, db) => readStatus(kernel, call, db));
  implement(kernel, listAttention, readAttention);
  implement(kernel, runCpmVerification, (call, tx) => verification.verifyAll(call, tx));
}
