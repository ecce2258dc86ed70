// Sends a browser to an OpenID Connect provider, with all that its answer will be checked against.
import type { OidcSettings, SessionId, beginOidc, beginProviderStepUp } from "@strongroom/contract";
import * as openid from "openid-client";
import { sessionOf } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { flowCookie, flowSecrets, newFlowSecret } from "./flow-secrets.ts";
import { insertFlow } from "./flows.store.ts";
import { FLOW_LIFE } from "./identity-providers.policy.ts";
import { findProvider } from "./identity-providers.store.ts";
import type { ProviderRow } from "./identity-providers.store.ts";
import { providerNotFound, targetOf } from "./identity-providers.ts";
import type { Office } from "./office.ts";
import { findOpenidProviderOf } from "./people.store.ts";
import { asRefusal } from "./provider-failures.ts";
import { requireNoOwnFactor } from "./provider-proof.ts";
import { redirectUriOf } from "./redirect-uri.ts";

export type OidcRow = Omit<ProviderRow, "settings"> & { settings: OidcSettings };

/** Throws 404 for one that is not there, is switched off, or is a directory. */
export async function requireOidc(db: Db, id: string): Promise<OidcRow> {
  const row = await findProvider(db, id);
  if (row?.kind !== "oidc" || !row.is_enabled) throw providerNotFound();
  return row as OidcRow;
}

export async function begin(office: Office, call: SteppedCall<typeof beginOidc>, db: Db): Promise<{ url: string }> {
  const row = await requireOidc(db, call.params.id);
  const { return_to: returnTo, remember_me: isRemembered, authenticate: mustAuthenticate } = call.body;
  return send(office, call, row, { returnTo, isRemembered, mustAuthenticate, sessionId: null });
}

/** Throws 409 if the person has a factor or password here, which takes precedence, or has no provider for a step-up. */
export async function beginStepUp(
  office: Office,
  call: SteppedCall<typeof beginProviderStepUp>,
  db: Db,
): Promise<{ url: string }> {
  const { actor, body } = call;
  const provider = await findOpenidProviderOf(db, actor.id);
  if (provider === undefined) throw noProvider();
  await requireNoOwnFactor(office, db, actor.id);
  const row = await requireOidc(db, provider.id);
  return send(office, call, row, {
    returnTo: body.return_to,
    isRemembered: false,
    mustAuthenticate: true,
    sessionId: sessionOf(actor),
    loginHint: actor.email,
  });
}

const noProvider = () =>
  refuse(409, "step-up.no-provider", "You do not sign in through another system. Use your password or second factor.");

interface Wish {
  returnTo: string;
  isRemembered: boolean;
  mustAuthenticate: boolean;
  /** For a step-up. */
  sessionId: SessionId | null;
  loginHint?: string;
}

async function send(
  office: Office,
  call: Pick<SteppedCall<never>, "note" | "commit" | "setHeader">,
  row: OidcRow,
  wish: Wish,
): Promise<{ url: string }> {
  const { kernel, oidc } = office;
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
    // OpenID Connect Core §3.1.2.1: with `max_age` the provider must also send when it authenticated the person.
    ...(wish.mustAuthenticate ? { prompt: "login", max_age: "0" } : {}),
    ...(wish.loginHint === undefined ? {} : { login_hint: wish.loginHint }),
  });
  const expiresAt = new Date(kernel.clock.now().getTime() + FLOW_LIFE);
  await call.commit((tx) =>
    insertFlow(tx, {
      secret_hash: secrets.hash,
      provider_id: row.id,
      return_to: wish.returnTo,
      is_remembered: wish.isRemembered,
      expires_at: expiresAt,
      session_id: wish.sessionId,
      must_authenticate: wish.mustAuthenticate,
    }),
  );
  call.setHeader("set-cookie", flowCookie(kernel, secret));
  return { url: url.href };
}
