// The redirect addresses to register with a provider. Each provider has a separate one, so that no provider can answer
// for another.
import type { Kernel } from "#kernel/kernel.ts";

/** Must be registered exactly like this. The page is `paths.providerCallback` of the web app. */
export const redirectUriOf = ({ publicUrl }: Pick<Kernel, "publicUrl">, id: string): string =>
  `${publicUrl()}/auth/callback/${id}`;

/** Where a provider sends the browser after sign-out; this address must be registered as well. */
export const postLogoutUriOf = ({ publicUrl }: Pick<Kernel, "publicUrl">): string => `${publicUrl()}/login`;
