// The dependencies that the use cases of second factors share.
import type { Notify } from "#features/notifications/index.ts";
import type { ProofContext, SignInContext, SignInFeature, SignInKernel } from "#features/sign-in/index.ts";
import type { Kernel } from "#kernel/kernel.ts";

/** Proves second factors and completes sign-ins. A session gateway has one too. */
export interface FactorProofContext {
  kernel: SignInKernel;
  /** Lets the second step and passkeys open sessions. */
  signIn: ProofContext;
  notify: Notify;
}

export interface FactorsContext extends FactorProofContext {
  kernel: Kernel;
  signIn: SignInContext;
  endSessions: SignInFeature["endSessions"];
}
