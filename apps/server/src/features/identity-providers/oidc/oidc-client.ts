// The OpenID Connect client: discovers a provider's metadata and exchanges an authorization code for claims.
import { fetchWithin } from "@strongroom/connectors";
import type { NetworkPolicy } from "@strongroom/connectors";
import type { OidcSettings } from "@strongroom/contract";
import type { Secret } from "@strongroom/keys";
import { createHash } from "node:crypto";
import { decodeProtectedHeader } from "jose";
import * as openid from "openid-client";
import type { Clock } from "#kernel/clock.ts";
import type { FlowSecrets } from "./flow-secrets.ts";

/** Accepts only asymmetric signatures: never `none`, and never a shared secret. */
export const SIGNATURES = ["EdDSA", "Ed25519", "ES256", "RS256"];

const TIMEOUT_MS = 8000;
const KEPT_FOR_MS = 5 * 60_000;
const MOST_KEPT = 100;

export interface Caller {
  network: NetworkPolicy;
  clock: Clock;
}

export interface OidcProvider {
  id: string;
  updated_at: Date;
  settings: OidcSettings;
}

export interface OidcClient {
  /** Rejects with `FetchFailed` or an error of the library when the provider cannot be reached or its answer is invalid. */
  configurationOf(provider: OidcProvider, secret: Secret | null): Promise<openid.Configuration>;
  /**
   * Returns the claims after checking state, issuer, signature, audience, times, nonce and `at_hash`. Rejects as
   * `configurationOf` does.
   */
  exchange(config: openid.Configuration, answer: URL, secrets: FlowSecrets): Promise<Record<string, unknown>>;
  /** Drops the cached metadata of a provider. */
  forget(id: string): void;
}

interface Kept {
  stamp: number;
  until: number;
  metadata: openid.ServerMetadata;
  jwks: openid.ExportedJWKSCache | undefined;
}

export function createOidcClient({ network, clock }: Caller): OidcClient {
  const kept = new Map<string, Kept>();

  async function metadataOf({ id, updated_at: updatedAt, settings }: OidcProvider, fetching: openid.CustomFetch) {
    const now = clock.now().getTime();
    const known = kept.get(id);
    if (known !== undefined && known.stamp === updatedAt.getTime() && known.until > now) return known;
    const options = { [openid.customFetch]: fetching, timeout: TIMEOUT_MS / 1000, execute: insecureHere(settings) };
    const found = await openid.discovery(new URL(settings.issuer), settings.client_id, {}, openid.None(), options);
    const metadata = withOurSignatures(found.serverMetadata());
    const fresh: Kept = { stamp: updatedAt.getTime(), until: now + KEPT_FOR_MS, metadata, jwks: undefined };
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(id, fresh);
    return fresh;
  }

  return {
    async configurationOf(provider, secret) {
      const { settings } = provider;
      const context = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal, network, now: () => clock.now() };
      const fetching = fetchWithin({ ca: settings.ca, context });
      const about = await metadataOf(provider, fetching);
      const proof = authentication(about.metadata, secret);
      const config = new openid.Configuration(about.metadata, settings.client_id, {}, proof);
      config.timeout = TIMEOUT_MS / 1000;
      config[openid.customFetch] = fetching;
      for (const apply of insecureHere(settings)) apply(config);
      // Without this, the library trusts tokens received over TLS and verifies no signature.
      openid.enableNonRepudiationChecks(config);
      if (about.jwks !== undefined) openid.setJwksCache(config, about.jwks);
      keepKeysOf.set(config, (jwks) => (about.jwks = jwks));
      return config;
    },
    async exchange(config, answer, secrets) {
      const tokens = await openid.authorizationCodeGrant(config, answer, {
        expectedState: secrets.state,
        expectedNonce: secrets.nonce,
        pkceCodeVerifier: secrets.verifier,
        idTokenExpected: true,
      });
      keepKeysOf.get(config)?.(openid.getJwksCache(config));
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined) throw new Error("the provider sent no ID token");
      requireTokenHash(claims["at_hash"], tokens.access_token, tokens.id_token);
      return together(await userInfo(config, tokens.access_token, claims.sub), claims);
    },
    forget: (id) => void kept.delete(id),
  };
}

/** Stores the fetched keys of a configuration for reuse by the next one. */
const keepKeysOf = new WeakMap<openid.Configuration, (jwks: openid.ExportedJWKSCache | undefined) => void>();

/** Only a provider on this machine may be contacted without TLS. */
const insecureHere = ({ issuer }: OidcSettings) => (issuer.startsWith("http:") ? [openid.allowInsecureRequests] : []);

/** Throws when the provider supports none of our signature algorithms. */
function withOurSignatures(metadata: openid.ServerMetadata): openid.ServerMetadata {
  const { supportsPKCE: _helper, ...plain } = metadata as openid.ServerMetadata & { supportsPKCE?: unknown };
  const offered = plain.id_token_signing_alg_values_supported ?? ["RS256"];
  const usable = offered.filter((each) => SIGNATURES.includes(each));
  if (usable.length === 0)
    throw new UnusableProvider(`It signs with ${offered.join(", ")}. None of these algorithms is supported.`);
  return { ...plain, id_token_signing_alg_values_supported: usable };
}

/** Thrown with a readable reason why a provider cannot be used. */
export class UnusableProvider extends Error {}

function authentication(metadata: openid.ServerMetadata, secret: Secret | null): openid.ClientAuth {
  if (secret === null) return openid.None();
  const offered = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const text = secret.reveal();
  return offered.includes("client_secret_basic") ? openid.ClientSecretBasic(text) : openid.ClientSecretPost(text);
}

/** OpenID Connect Core §3.1.3.6: a given `at_hash` must match the access token. */
function requireTokenHash(given: unknown, accessToken: string, idToken: string): void {
  if (given === undefined) return;
  const { alg = "" } = decodeProtectedHeader(idToken);
  const digest = createHash(alg.startsWith("Ed") ? "sha512" : "sha256")
    .update(accessToken, "ascii")
    .digest();
  const expected = digest.subarray(0, digest.length / 2).toString("base64url");
  if (given !== expected) throw new Error("the ID token was not made for this access token");
}

/**
 * The signed ID token takes precedence, and only its authentication time counts. An address and its verified flag come from the
 * same source, never mixed.
 */
function together(
  { auth_time: _unsigned, ...info }: Record<string, unknown>,
  claims: openid.IDToken,
): Record<string, unknown> {
  if (claims["email"] === undefined) return { ...info, ...claims };
  const { email: _email, email_verified: _verified, ...others } = info;
  return { ...others, ...claims };
}

/** Returns no claims when the provider has no user info endpoint. */
async function userInfo(
  config: openid.Configuration,
  accessToken: string,
  subject: string,
): Promise<Record<string, unknown>> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  const { sub: _same, ...claims } = await openid.fetchUserInfo(config, accessToken, subject);
  return claims;
}
