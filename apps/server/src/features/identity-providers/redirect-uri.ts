// Where a provider sends the browser back to: a page of ours, one for each provider, so that no provider can answer for another.
import type { Kernel } from "#kernel/kernel.ts";

/** To be registered with the provider, exactly so. The page is `paths.providerCallback` of the web app. */
export const redirectUriOf = ({ publicUrl }: Pick<Kernel, "publicUrl">, id: string): string =>
  `${publicUrl()}/auth/callback/${id}`;

/** Where a provider sends the browser after signing the person out there; must be registered too. */
export const postLogoutUriOf = ({ publicUrl }: Pick<Kernel, "publicUrl">): string => `${publicUrl()}/login`;
