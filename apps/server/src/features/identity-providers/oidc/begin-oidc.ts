// Sends a browser to an OpenID Connect provider and stores what the answer is checked against.
import type { SessionId, beginOidc, beginProviderStepUp } from "@strongroom/contract";
import * as openid from "openid-client";
import { sessionOf } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { flowCookie, flowSecrets, newFlowSecret } from "./flow-secrets.ts";
import { insertFlow } from "./flows.store.ts";
import { FLOW_LIFETIME } from "../identity-providers.policy.ts";
import { findProvider } from "../identity-providers.store.ts";
import type { OidcRow } from "../identity-providers.store.ts";
import { providerNotFound, targetOf } from "../identity-providers.ts";
import type { IdentityProviderContext } from "../context.ts";
import { findOpenidProviderOf } from "../people/people.store.ts";
import { asRefusal } from "../provider-failures.ts";
import { requireNoOwnFactor } from "./provider-proof.ts";
import { redirectUriOf } from "./redirect-uri.ts";

/** Throws 404 for a provider that does not exist, is disabled, or is a directory. */
export async function requireOidc(db: Db, id: string): Promise<OidcRow> {
  const row = await findProvider(db, id);
  if (row?.kind !== "oidc" || !row.is_enabled) throw providerNotFound();
  return row as OidcRow;
}

export async function begin(
  context: IdentityProviderContext,
  call: SteppedCall<typeof beginOidc>,
  db: Db,
): Promise<{ url: string }> {
  const row = await requireOidc(db, call.params.id);
  const { return_to: returnTo, remember_me: isRemembered, authenticate: mustAuthenticate } = call.body;
  return send(context, call, row, { returnTo, isRemembered, mustAuthenticate, sessionId: null });
}

/** Throws 409 if the user has a local factor or password, which takes precedence, or has no provider for a step-up. */
export async function beginStepUp(
  context: IdentityProviderContext,
  call: SteppedCall<typeof beginProviderStepUp>,
  db: Db,
): Promise<{ url: string }> {
  const { actor, body } = call;
  const provider = await findOpenidProviderOf(db, actor.id);
  if (provider === undefined) throw noProvider();
  await requireNoOwnFactor(context, db, actor.id);
  const row = await requireOidc(db, provider.id);
  return send(context, call, row, {
    returnTo: body.return_to,
    isRemembered: false,
    mustAuthenticate: true,
    sessionId: sessionOf(actor),
    loginHint: actor.email,
  });
}

const noProvider = () =>
  refuse(409, "step-up.no-provider", "You do not sign in through a provider. Use your password or second factor.");

interface RoundOptions {
  returnTo: string;
  isRemembered: boolean;
  mustAuthenticate: boolean;
  /** The session to re-authenticate; null unless this is a step-up. */
  sessionId: SessionId | null;
  loginHint?: string;
}

async function send(
  context: IdentityProviderContext,
  call: Pick<SteppedCall<never>, "note" | "commit" | "setHeader">,
  row: OidcRow,
  query: RoundOptions,
): Promise<{ url: string }> {
  const { kernel, oidc } = context;
  call.note({ target: targetOf(row.id, row.name) });
  const secret = newFlowSecret();
  const secrets = flowSecrets(secret);
  // This request needs no client authentication, so the secret is not opened.
  const config = await oidc.configurationOf(row, null).catch((error: unknown) => {
    throw asRefusal(context, row, error);
  });
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUriOf(kernel, row.id),
    scope: row.settings.scopes,
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: "S256",
    // OpenID Connect Core §3.1.2.1: with `max_age` the provider must also send when it authenticated the user.
    ...(query.mustAuthenticate ? { prompt: "login", max_age: "0" } : {}),
    ...(query.loginHint === undefined ? {} : { login_hint: query.loginHint }),
  });
  const expiresAt = new Date(kernel.clock.now().getTime() + FLOW_LIFETIME);
  await call.commit((tx) =>
    insertFlow(tx, {
      secret_hash: secrets.hash,
      provider_id: row.id,
      return_to: query.returnTo,
      is_remembered: query.isRemembered,
      expires_at: expiresAt,
      session_id: query.sessionId,
      must_authenticate: query.mustAuthenticate,
    }),
  );
  call.setHeader("set-cookie", flowCookie(kernel, secret));
  return { url: url.href };
}
