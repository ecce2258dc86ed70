// What the use cases of identity providers share.
import { networkPolicy } from "@strongroom/connectors";
import type { NetworkPolicy } from "@strongroom/connectors";
import type { SignInFeature } from "#features/sign-in/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { createOidcClient } from "./oidc-client.ts";
import type { OidcClient } from "./oidc-client.ts";

export interface Office {
  kernel: Kernel;
  signIn: Pick<SignInFeature, "endSessions" | "endTokens" | "forgetReset" | "parts">;
  oidc: OidcClient;
  network: NetworkPolicy;
}

/** A provider may be anywhere but where nothing of ours may ask: the networks of targets are not meant for it. */
export function createOffice(kernel: Kernel, signIn: Office["signIn"]): Office {
  const network = networkPolicy({ allowLoopback: kernel.config.allowLoopbackTargets });
  return { kernel, signIn, network, oidc: createOidcClient({ network, clock: kernel.clock }) };
}
