// The dependencies that the use cases of identity providers share.
import { networkPolicy } from "@strongroom/connectors";
import type { NetworkPolicy } from "@strongroom/connectors";
import type { SignInFeature } from "#features/sign-in/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { createOidcClient } from "./oidc/oidc-client.ts";
import type { OidcClient } from "./oidc/oidc-client.ts";

export interface IdentityProviderContext {
  kernel: Kernel;
  signIn: Pick<SignInFeature, "endSessions" | "endTokens" | "forgetReset" | "parts">;
  oidc: OidcClient;
  network: NetworkPolicy;
}

/** Providers can be on any network that we may contact; the networks configured for targets do not apply to them. */
export function createIdentityProviderContext(
  kernel: Kernel,
  signIn: IdentityProviderContext["signIn"],
): IdentityProviderContext {
  const network = networkPolicy({ allowLoopback: kernel.config.allowLoopbackTargets });
  return { kernel, signIn, network, oidc: createOidcClient({ network, clock: kernel.clock }) };
}
