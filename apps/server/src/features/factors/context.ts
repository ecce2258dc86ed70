// The dependencies that the use cases of second factors share.
import type { Notify } from "#features/notifications/index.ts";
import type { SignInFeature, SignInContext } from "#features/sign-in/index.ts";
import type { Kernel } from "#kernel/kernel.ts";

export interface FactorsContext {
  kernel: Kernel;
  /** Lets the second step and passkeys open sessions. */
  signIn: SignInContext;
  endSessions: SignInFeature["endSessions"];
  notify: Notify;
}
