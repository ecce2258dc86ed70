// What the use cases of second factors share.
import type { Notify } from "#features/notifications/index.ts";
import type { SignInFeature, SignInParts } from "#features/sign-in/index.ts";
import type { Kernel } from "#kernel/kernel.ts";

export interface FactorParts {
  kernel: Kernel;
  /** The ways into a session. */
  signIn: SignInParts;
  endSessions: SignInFeature["endSessions"];
  notify: Notify;
}
