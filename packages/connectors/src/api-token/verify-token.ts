// One check of a token: the request with the token, then the same without it (undici).
import { addressBytes, destinationsOf, useOf } from "../address.ts";
import { type Attempt } from "../attempt.ts";
import type { Failure, Finding, Target } from "../connector.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { exchange } from "../http-exchange.ts";
import { tlsSettings, type TlsSettings } from "../tls-settings.ts";
import { tokenCheck, type TokenCheck } from "./check.ts";

export async function verifyToken(target: Target, token: string, current: Attempt): Promise<Finding> {
  const check = tokenCheck(target);
  if ("failure" in check) return check.failure;
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(token)) {
    return misconfigured(
      "bad-input",
      "The token contains characters that an HTTP header cannot carry. Use printable ASCII without spaces at the ends.",
    );
  }
  const isEncrypted = check.url.protocol === "https:";
  if (!isEncrypted && !isThisMachine(check.url)) {
    return misconfigured(
      "insecure-authentication",
      "check_url must begin with https://: over http the token could be intercepted. The token was not sent.",
    );
  }
  const tls = tlsSettings({ ...target, sslEnabled: isEncrypted }, null);
  if ("failure" in tls) return tls.failure;
  if (isEncrypted && tls.mode === "require") {
    return misconfigured(
      "insecure-authentication",
      'sslmode require does not check the identity of the server. Use verify-full, with the additional parameter "ca" if needed.',
    );
  }

  return verifyByStatus(
    { check, authorization: headerValue(check, target.username, token), what: "token" },
    tls,
    current,
  );
}

export interface StatusCheck {
  check: TokenCheck;
  /** The value of the header that carries the secret. */
  authorization: string;
  /** The word for the secret in messages. */
  what: "token" | "password";
}

/** Sends the request with the secret and, if that was accepted, without it. */
export async function verifyByStatus(proof: StatusCheck, tls: TlsSettings, current: Attempt): Promise<Finding> {
  const asked = await askWithSecret(proof, tls, current);
  if ("failure" in asked) return asked.failure;
  const without = await statusOf(proof.check, null, tls, current);
  if ("failure" in without) return without.failure;
  const where = placeOf(proof.check);
  // A page that needs no secret proves nothing.
  if (isExpected(without.status, proof.check)) {
    return misconfigured(
      "password-not-checked",
      `${where} answers ${without.status} without the ${proof.what} too, so the ${proof.what} was not verified. Choose a URL that requires the ${proof.what}.`,
    );
  }
  return verified(`${where} accepted the ${proof.what} (status ${asked.status}).`, { status: asked.status });
}

/** The status of the response if it was expected; otherwise the failure that it means. */
export async function askWithSecret(
  { check, authorization, what }: StatusCheck,
  tls: TlsSettings,
  current: Attempt,
): Promise<{ status: number } | { failure: Failure }> {
  const asked = await statusOf(check, authorization, tls, current);
  if ("failure" in asked) return asked;
  const failure = meaningOf(asked.status, check, what);
  return failure === null ? asked : { failure };
}

function placeOf({ url }: TokenCheck): string {
  return `${url.host}${url.pathname}`;
}

/** Null when the status was expected. */
function meaningOf(status: number, check: TokenCheck, what: string): Failure | null {
  const where = placeOf(check);
  if (isExpected(status, check)) return null;
  if (status === 401) return rejected("wrong-password", `${where} rejected the ${what} (status 401).`);
  if (status === 403)
    return rejected(
      "no-permission",
      `${where} recognises the ${what} but does not allow this request (status 403), or the account is blocked.`,
    );
  if (status === 429)
    return unreachable("rate-limited", `${where} is rate limiting requests (status 429). Try again later.`);
  if (status >= 500) return unreachable("server-error", `${where} failed with a server error (status ${status}).`);
  if (status >= 300 && status < 400)
    return misconfigured(
      "redirected",
      `${where} redirects elsewhere (status ${status}). The ${what} was not sent there: put the final URL in the entry.`,
    );
  return misconfigured(
    "unexpected-status",
    `${where} answered with status ${status}. Check the entry's URL, method and expect_status.`,
  );
}

function isExpected(status: number, { expectStatus }: TokenCheck): boolean {
  return status >= expectStatus.from && status <= expectStatus.to;
}

function headerValue({ scheme }: TokenCheck, username: string | null, token: string): string {
  if (scheme === "") return token;
  return /^basic$/i.test(scheme) ? `${scheme} ${basicCredentials(username, token)}` : `${scheme} ${token}`;
}

/** RFC 7617 §2. */
export function basicCredentials(username: string | null, token: string): string {
  return Buffer.from(`${username ?? ""}:${token}`).toString("base64");
}

/**
 * True only for a literal address: a name could resolve to a different host. The policy decides whether loopback is
 * allowed.
 */
function isThisMachine(url: URL): boolean {
  const bytes = addressBytes(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  return bytes !== null && destinationsOf(bytes).every((destination) => useOf(destination) === "loopback");
}

/** The status of the response. `authorization` is the header's value; null sends the request without it. */
async function statusOf(
  { url, method, header }: TokenCheck,
  authorization: string | null,
  tls: TlsSettings,
  attempt: Attempt,
): Promise<{ status: number } | { failure: Failure }> {
  return exchange({ url, method, headers: authorization === null ? {} : { [header]: authorization } }, tls, attempt);
}
