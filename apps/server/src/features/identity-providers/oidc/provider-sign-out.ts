// Returns the address where a user signs out of an OpenID Connect provider (OpenID Connect RP-Initiated Logout 1.0 §2).
import type { signOutOfProvider } from "@strongroom/contract";
import * as openid from "openid-client";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import { requireOidc } from "./begin-oidc.ts";
import type { IdentityProviderContext } from "../context.ts";
import { asRefusal } from "../provider-failures.ts";
import { postLogoutUriOf } from "./redirect-uri.ts";

/** Sends no ID token as a hint, because none is stored; the provider asks the user to confirm. */
export async function providerSignOut(
  context: IdentityProviderContext,
  call: Call<typeof signOutOfProvider>,
  db: Db,
): Promise<{ url: string | null }> {
  const row = await requireOidc(db, call.params.id);
  const config = await context.oidc.configurationOf(row, null).catch((error: unknown) => {
    throw asRefusal(context, row, error);
  });
  if (config.serverMetadata().end_session_endpoint === undefined) return { url: null };
  const parameters = { post_logout_redirect_uri: postLogoutUriOf(context.kernel) };
  return { url: openid.buildEndSessionUrl(config, parameters).href };
}
