// A real OpenID Connect provider on loopback for tests. It signs users in without asking or with its own form, and can send forged tokens.
// oxlint-disable-next-line typescript/triple-slash-reference -- what imports this file from another workspace must find the types
/// <reference path="./oidc-provider.d.ts" />
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import type { CryptoKey, JWTPayload } from "jose";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import type { Configuration } from "oidc-provider";

export const CLIENT_ID = "strongroom";
export const CLIENT_SECRET = "a client secret of the tests";

/** Changes the ID token before it is sent: receives its claims, and a function that signs with the provider's key. */
export type Bend = (claims: JWTPayload, sign: Sign) => Promise<string>;
type Sign = (claims: JWTPayload, key?: { alg: string; key: CryptoKey | Uint8Array }) => Promise<string>;

export interface OpenidProvider {
  issuer: string;
  /** The person whom the provider authenticates, with their claims. */
  person: { subject: string; claims: Record<string, unknown> };
  bend: Bend | null;
  /** The signature algorithm of tokens, from the next `serve` on. */
  algorithm: "ES256" | "RS256" | "EdDSA";
  /** Starts answering, for a client with these redirect addresses. */
  serve(redirectUris: string[]): void;
  /**
   * Acts as a browser: follows redirects until the redirect address. Returns the query of that address. With the
   * cookies of an earlier visit, the provider has a session and does not ask the user.
   */
  visit(url: string, cookies?: Map<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** With `asks`, a login page asks for the name. `localhost` and `127.0.0.1` are different sites. */
export async function startOpenidProvider({
  host = "127.0.0.1",
  asks = false,
}: { host?: string; asks?: boolean } = {}): Promise<OpenidProvider> {
  const keys = {
    ES256: await generateKeyPair("ES256", { extractable: true }),
    RS256: await generateKeyPair("RS256", { extractable: true }),
    EdDSA: await generateKeyPair("Ed25519", { extractable: true }),
  };
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown = (_, response) => response.end();
  const http = createServer((request, response) => answer(request, response));
  await new Promise<void>((listening) => void http.listen(0, host, listening));
  const issuer = `http://${host}:${(http.address() as AddressInfo).port}`;
  const jwks = await Promise.all(
    Object.entries(keys).map(async ([kid, pair]) => ({ ...(await exportJWK(pair.privateKey)), kid, use: "sig" })),
  );
  const self: OpenidProvider = {
    issuer,
    person: { subject: "nobody", claims: {} },
    bend: null,
    algorithm: "ES256",
    serve(redirectUris) {
      const provider = makeProvider(self, redirectUris, jwks);
      const sign: Sign = (claims, { alg, key } = { alg: self.algorithm, key: keys[self.algorithm].privateKey }) =>
        new SignJWT(claims).setProtectedHeader({ alg, kid: self.algorithm }).sign(key);
      lieOn(provider, self, sign);
      const callback = provider.callback();
      answer = (request, response) =>
        request.url?.startsWith("/interaction/") !== true
          ? callback(request, response)
          : asks && request.method === "GET"
            ? response.setHeader("content-type", "text/html").end(LOGIN_PAGE)
            : void letIn(provider, self, request, response);
    },
    visit: (url, cookies = new Map()) => visit(issuer, url, cookies),
    close: () => new Promise((closed) => void http.close(() => closed())),
  };
  return self;
}

function makeProvider(self: OpenidProvider, redirectUris: string[], jwks: object[]): Provider {
  const configuration: Configuration = {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: redirectUris,
        post_logout_redirect_uris: redirectUris.map((uri) => new URL("/login", uri).href),
        id_token_signed_response_alg: self.algorithm,
        // Like most providers, this one always sends the time at which it authenticated the user.
        require_auth_time: true,
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: jwks },
    // Put all claims into the ID token.
    conformIdTokenClaims: false,
    claims: { openid: ["sub", "groups", "realm"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, subject) => ({
      accountId: subject,
      claims: async () => ({ sub: subject, ...self.person.claims }),
    }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    pkce: { required: () => true },
    cookies: { keys: ["a cookie key of the tests"] },
    enabledJWA: { idTokenSigningAlgValues: ["ES256", "RS256", "EdDSA", "HS256"] },
  };
  return new Provider(self.issuer, configuration);
}

const LOGIN_PAGE = `<!doctype html><html lang="en"><title>Company login</title><h1>Company login</h1>
<form method="post"><label>Name <input name="name" required></label> <button>Log in</button></form>`;

/** Completes login and consent without user interaction. */
async function letIn(provider: Provider, self: OpenidProvider, request: IncomingMessage, response: ServerResponse) {
  const { params, grantId, session } = await provider.interactionDetails(request, response);
  const accountId = session?.accountId ?? self.person.subject;
  const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const given = grant ?? new provider.Grant({ accountId, clientId: params["client_id"] as string });
  given.addOIDCScope(params["scope"] as string);
  const result = {
    login: {
      accountId,
      ...(self.person.claims["amr"] === undefined ? {} : { amr: self.person.claims["amr"] as string[] }),
    },
    consent: { grantId: await given.save() },
  };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

function lieOn(provider: Provider, self: OpenidProvider, sign: Sign): void {
  provider.use(async (context, next) => {
    await next();
    const body = context.body as { id_token?: string } | undefined;
    if (self.bend === null || context.oidc?.route !== "token" || body?.id_token === undefined) return;
    const claims = JSON.parse(Buffer.from(body.id_token.split(".")[1]!, "base64url").toString("utf8")) as JWTPayload;
    body.id_token = await self.bend(claims, sign);
    context.body = body;
  });
}

const MOST_HOPS = 10;

async function visit(issuer: string, url: string, cookies: Map<string, string>): Promise<string> {
  let next = new URL(url);
  for (let hop = 0; hop < MOST_HOPS; hop += 1) {
    if (next.origin !== issuer) return next.search.slice(1);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(next, { redirect: "manual", headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    next = new URL(location, next);
  }
  throw new Error("the provider sends in circles");
}
