// The request that verifies a password or token of a website, read from an entry.
import { basicCredentials } from "../api-token/verify-token.ts";
import { tokenCheck, type TokenCheck } from "../api-token/check.ts";
import type { Failure, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { mayCarryClearText, tlsSettings, type TlsSettings } from "../tls-settings.ts";

export interface LoginCheck {
  check: TokenCheck;
  tls: TlsSettings;
  isBearer: boolean;
}

/** `check_path` (default `/`), `method` and `expect_status` as for API tokens; always over TLS with a verified certificate. */
export function loginCheck(target: Target): LoginCheck | { failure: Failure } {
  const { check_path = "/", method, expect_status, protocol } = target.additionalParams;
  const isBearer = protocol === "http-bearer";
  const url = urlOf(target, check_path);
  if (url === null) return refuse("check_path must be a path that begins with a slash.");
  if ("failure" in url) return url;
  if (!isBearer && !target.username) return refuse("The user name is missing.");
  if (!isBearer && target.username?.includes(":"))
    return refuse("HTTP does not allow a colon in a user name (RFC 7617).");
  const params = { check_url: url.href, scheme: isBearer ? "Bearer" : "Basic", ...given({ method, expect_status }) };
  const check = tokenCheck({ ...target, additionalParams: params });
  if ("failure" in check) return check;
  const isTls = target.sslEnabled || target.additionalParams["sslmode"] === undefined;
  const tls = tlsSettings({ ...target, sslEnabled: isTls }, null);
  if ("failure" in tls) return tls;
  if (mayCarryClearText(tls)) return { check, tls, isBearer };
  return {
    failure: misconfigured(
      "insecure-authentication",
      `HTTP sends the password in clear text, so ${url.host} needs TLS with a verified certificate. The password was not sent.`,
    ),
  };
}

/** Always on the entry's own host, whatever the path looks like. */
export function urlOf({ host, port }: Target, path: unknown): URL | { failure: Failure } | null {
  if (!host) return refuse("The host is missing.");
  const base = URL.parse(`https://${nameOf({ host, port: port ?? 443 })}/`);
  if (base === null) return refuse(`"${host}" is not a valid host name or IP address.`);
  if (typeof path !== "string" || !/^\/[\x21-\x7e]{0,2000}$/.test(path)) return null;
  const url = URL.parse(path, base.href);
  return url === null || url.origin !== base.origin ? null : url;
}

/** The value of the Authorization header. */
export function authorizationOf(
  { isBearer }: LoginCheck,
  username: string | null,
  secret: string,
): { value: string } | { failure: Failure } {
  if (secret === "") return refuse(`The ${isBearer ? "token" : "password"} is empty.`);
  if (!isBearer) return { value: `Basic ${basicCredentials(username, secret)}` };
  if (/^[\x21-\x7e]+$/.test(secret)) return { value: `Bearer ${secret}` };
  return refuse("The token contains characters that an HTTP header cannot carry. Use printable ASCII without spaces.");
}

function given(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

export function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
