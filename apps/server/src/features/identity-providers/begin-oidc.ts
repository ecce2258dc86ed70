// Sends a browser to an OpenID Connect provider, with all that its answer will be checked against.
import type { OidcSettings, beginOidc } from "@strongroom/contract";
import * as openid from "openid-client";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { flowCookie, flowSecrets, newFlowSecret } from "./flow-secrets.ts";
import { insertFlow } from "./flows.store.ts";
import { FLOW_LIFE } from "./identity-providers.policy.ts";
import { findProvider } from "./identity-providers.store.ts";
import type { ProviderRow } from "./identity-providers.store.ts";
import { providerNotFound, targetOf } from "./identity-providers.ts";
import type { Office } from "./office.ts";
import { asRefusal } from "./provider-failures.ts";
import { redirectUriOf } from "./redirect-uri.ts";

export type OidcRow = Omit<ProviderRow, "settings"> & { settings: OidcSettings };

/** Throws 404 for one that is not there, is switched off, or is a directory. */
export async function requireOidc(db: Db, id: string): Promise<OidcRow> {
  const row = await findProvider(db, id);
  if (row?.kind !== "oidc" || !row.is_enabled) throw providerNotFound();
  return row as OidcRow;
}

export async function begin(office: Office, call: SteppedCall<typeof beginOidc>, db: Db): Promise<{ url: string }> {
  const { kernel, oidc } = office;
  const row = await requireOidc(db, call.params.id);
  call.note({ target: targetOf(row.id, row.name) });
  const secret = newFlowSecret();
  const secrets = flowSecrets(secret);
  // Nothing is proved to the provider yet, so its secret stays where it is.
  const config = await oidc.configurationOf(row, null).catch((error: unknown) => {
    throw asRefusal(office, row, error);
  });
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUriOf(kernel, row.id),
    scope: row.settings.scopes,
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: "S256",
  });
  const expiresAt = new Date(kernel.clock.now().getTime() + FLOW_LIFE);
  await call.commit((tx) =>
    insertFlow(tx, {
      secret_hash: secrets.hash,
      provider_id: row.id,
      return_to: call.body.return_to,
      is_remembered: call.body.remember_me,
      expires_at: expiresAt,
    }),
  );
  call.setHeader("set-cookie", flowCookie(kernel, secret));
  return { url: url.href };
}
