// Tokens of a service account (signed assertions, RFC 7523), and what Google's errors mean.
import { SignJWT } from "jose";
import type { Attempt } from "../attempt.ts";
import { ApiError, askToken, openApi, type ApiClient } from "../cloud-api/api-client.ts";
import { textOf } from "../cloud-api/json.ts";
import type { Failure } from "../connector.ts";
import { misconfigured, rejected, unreachable } from "../finding.ts";
import { NoAnswer } from "../http-over-stream.ts";
import type { GoogleAccess, ServiceAccountKey } from "./google-access.ts";

export interface GoogleSession {
  api: ApiClient;
  token: string;
  close(): void;
}

/** Throws `ApiError` or `NoAnswer`. */
export async function openGoogle(
  access: GoogleAccess,
  attempt: Attempt,
  key: ServiceAccountKey = access.key,
): Promise<GoogleSession> {
  const api = openApi(attempt, access.tls);
  try {
    return { api, token: await requestToken(api, access, key), close: () => api.close() };
  } catch (error) {
    api.close();
    throw error;
  }
}

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const LIFETIME = "10m";

async function requestToken(api: ApiClient, access: GoogleAccess, key: ServiceAccountKey): Promise<string> {
  const url = `${access.token}/token`;
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: key.id })
    .setIssuer(key.email)
    .setAudience(url)
    .setIssuedAt()
    .setExpirationTime(LIFETIME)
    .sign(key.privateKey);
  return askToken(api, url, { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
}

/** The failure of a call that changes nothing. */
export function failureOf(error: unknown, { key }: GoogleAccess): Failure {
  if (error instanceof NoAnswer) return error.failure;
  if (!(error instanceof ApiError)) throw error;
  if (error.code === "invalid_grant") {
    const reason = textOf(error.body["error_description"]);
    if (/\biat\b|\bexp\b|timeframe/i.test(reason))
      return misconfigured("protocol-error", "Google rejected the time of the login. Check the clock of this machine.");
    return rejected(
      "wrong-password",
      `Google rejected the key ${key.id} of ${key.email}: it was deleted or disabled, or its account was.`,
    );
  }
  if (error.code === "invalid_client" || error.status === 401)
    return rejected("wrong-password", `Google does not recognise the service account ${key.email}.`);
  if (error.status === 429 || error.code === "RESOURCE_EXHAUSTED")
    return unreachable("rate-limited", "Google is throttling requests. Try again later.");
  if (error.status >= 500)
    return unreachable("server-error", `Google failed with a server error (status ${error.status}).`);
  if (error.code === "PERMISSION_DENIED")
    return rejected("no-permission", `Google accepted the key of ${key.email}, but it has no permission for this.`);
  return misconfigured("protocol-error", 'The response is not from Google. Check the additional parameter "endpoint".');
}
