// Where a person signs out of an OpenID Connect provider (OpenID Connect RP-Initiated Logout 1.0 §2).
import type { signOutOfProvider } from "@strongroom/contract";
import * as openid from "openid-client";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import { requireOidc } from "./begin-oidc.ts";
import type { Office } from "./office.ts";
import { asRefusal } from "./provider-failures.ts";
import { postLogoutUriOf } from "./redirect-uri.ts";

/** Sends no ID token as a hint: none is stored here, so the provider asks the person to confirm. */
export async function providerSignOut(
  office: Office,
  call: Call<typeof signOutOfProvider>,
  db: Db,
): Promise<{ url: string | null }> {
  const row = await requireOidc(db, call.params.id);
  const config = await office.oidc.configurationOf(row, null).catch((error: unknown) => {
    throw asRefusal(office, row, error);
  });
  if (config.serverMetadata().end_session_endpoint === undefined) return { url: null };
  const parameters = { post_logout_redirect_uri: postLogoutUriOf(office.kernel) };
  return { url: openid.buildEndSessionUrl(config, parameters).href };
}
