// One check of a token: the request with it, and the same without it (undici).
import { addressBytes, destinationsOf, useOf } from "../address.ts";
import { type Attempt } from "../attempt.ts";
import type { Failure, Finding, Target } from "../connector.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { tlsSettings, type TlsSettings } from "../tls-settings.ts";
import { tokenCheck, type TokenCheck } from "./check.ts";
import { statusOf } from "./request.ts";

export async function verifyToken(target: Target, token: string, current: Attempt): Promise<Finding> {
  const check = tokenCheck(target);
  if ("failure" in check) return check.failure;
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(token)) {
    return misconfigured(
      "bad-input",
      "The token holds characters that an HTTP header cannot carry: only printable ASCII without spaces at its ends.",
    );
  }
  const isEncrypted = check.url.protocol === "https:";
  if (!isEncrypted && !isThisMachine(check.url)) {
    return misconfigured(
      "insecure-authentication",
      "check_url must begin with https://: over http the token could be read on the way. It was not sent.",
    );
  }
  const tls = tlsSettings({ ...target, sslEnabled: isEncrypted }, null);
  if ("failure" in tls) return tls.failure;
  if (isEncrypted && tls.mode === "require") {
    return misconfigured(
      "insecure-authentication",
      "sslmode require does not check who gets the token. Use verify-full, with the additional parameter ca if needed.",
    );
  }

  return proveByStatus(
    { check, authorization: headerValue(check, target.username, token), what: "token" },
    tls,
    current,
  );
}

export interface StatusProof {
  check: TokenCheck;
  /** The value of the header that carries the secret. */
  authorization: string;
  /** What the secret is called in messages. */
  what: "token" | "password";
}

/** The request with the secret and, when that was accepted, the same without it. */
export async function proveByStatus(proof: StatusProof, tls: TlsSettings, current: Attempt): Promise<Finding> {
  const asked = await askWithSecret(proof, tls, current);
  if ("failure" in asked) return asked.failure;
  const without = await statusOf(proof.check, null, tls, current);
  if ("failure" in without) return without.failure;
  const where = placeOf(proof.check);
  // A page that answers everybody alike proves nothing.
  if (isExpected(without.status, proof.check)) {
    return misconfigured(
      "password-not-checked",
      `${where} answers ${without.status} without the ${proof.what} too, so it proves nothing. Choose an address that needs the ${proof.what}.`,
    );
  }
  return verified(`${where} accepted the ${proof.what} (status ${asked.status}).`, { status: asked.status });
}

/** The status of an answer that is one of those expected, or what another one means. */
export async function askWithSecret(
  { check, authorization, what }: StatusProof,
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

/** Null when the status is one of those expected. */
function meaningOf(status: number, check: TokenCheck, what: string): Failure | null {
  const where = placeOf(check);
  if (isExpected(status, check)) return null;
  if (status === 401) return rejected("wrong-password", `${where} did not accept the ${what} (status 401).`);
  if (status === 403)
    return rejected(
      "no-permission",
      `${where} knows the ${what} but does not let it do this (status 403), or it is blocked.`,
    );
  if (status === 429) return unreachable("rate-limited", `${where} takes no more requests for now (status 429).`);
  if (status >= 500) return unreachable("server-error", `${where} failed by itself (status ${status}).`);
  if (status >= 300 && status < 400)
    return misconfigured(
      "redirected",
      `${where} points elsewhere (status ${status}). The ${what} was not sent there: name the final address in the entry.`,
    );
  return misconfigured(
    "unexpected-status",
    `${where} answered with status ${status}. Check the address, method and expect_status of the entry.`,
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

/** Only an address written out: a name could be pointed elsewhere. Whether loopback is allowed is the policy's decision. */
function isThisMachine(url: URL): boolean {
  const bytes = addressBytes(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  return bytes !== null && destinationsOf(bytes).every((destination) => useOf(destination) === "loopback");
}
