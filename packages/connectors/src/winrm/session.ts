// Requests to a WinRM service with the user's name and password, over checked TLS only.
import type { Attempt } from "../attempt.ts";
import type { Failure, Target } from "../connector.ts";
import { nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected, unreachable } from "../finding.ts";
import { exchange, type HttpAnswer } from "../http-exchange.ts";
import { mayCarryClearText, tlsSettings, type TlsSettings } from "../tls-settings.ts";

export interface Service {
  endpoint: Endpoint;
  url: URL;
  tls: TlsSettings;
  username: string;
  password: string;
}

/** Refuses, before anything is sent, names that a Windows account cannot have. */
export function serviceOf(
  target: Target,
  { username, password }: { username: string | null; password: string },
): Service | { failure: Failure } {
  const { host, port } = target;
  if (!host) return refuse("The host is missing.");
  if (!isAccountName(username)) return refuse(NO_NAME);
  if (password === "" || password.includes("\0")) return refuse("The password is empty or contains a NUL character.");
  const tls = tlsSettings({ ...target, sslEnabled: true }, null);
  if ("failure" in tls) return tls;
  if (!mayCarryClearText(tls)) {
    return {
      failure: misconfigured(
        "insecure-authentication",
        "WinRM sends the password in clear text (Basic), so it needs TLS with a verified certificate. The password was not sent.",
      ),
    };
  }
  const endpoint = { host, port: port ?? 5986 };
  const url = URL.parse(`https://${nameOf(endpoint)}/wsman`);
  return url === null
    ? refuse("The host is not a valid host name or address.")
    : { endpoint, url, tls, username, password };
}

export const NO_NAME =
  'The name of a local Windows account must have 1 to 20 characters and must not contain " / \\ [ ] : ; | = , + * ? < > @ or control characters.';

/** Names that SAM allows; no character has a meaning in an ADsPath or in Basic. */
export function isAccountName(name: string | null): name is string {
  // oxlint-disable-next-line no-control-regex
  return name !== null && /^[^"/\\[\]:;|=,+*?<>@\u0000-\u001f\u007f]{1,20}$/.test(name) && /[^. ]/.test(name);
}

/** Sends one message. `isAnonymous` sends it without the name and password. */
export function ask(
  service: Service,
  body: string,
  attempt: Attempt,
  more: { isAnonymous?: boolean; sending?: () => void } = {},
): Promise<HttpAnswer | { failure: Failure }> {
  const { url, tls, username, password } = service;
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const headers = {
    "content-type": "application/soap+xml;charset=UTF-8",
    ...(more.isAnonymous === true ? {} : { authorization: basic }),
  };
  const sending = more.sending === undefined ? {} : { sending: more.sending };
  return exchange({ url, method: "POST", headers, body, readsBody: true, ...sending }, tls, attempt);
}

/** The failure that a status means; null for 200. */
export function statusFailure({ status }: HttpAnswer, { endpoint, username }: Service): Failure | null {
  const where = nameOf(endpoint);
  if (status === 200) return null;
  if (status === 401)
    return rejected(
      "wrong-password",
      `${where} did not accept the password for ${username}. Possible causes: wrong password, unknown, locked or disabled account, login not permitted, or Basic disabled.`,
    );
  if (status === 403) return rejected("no-permission", `${where} does not allow ${username} to use WinRM.`);
  if (status >= 500) return unreachable("server-error", `${where} failed with a server error (status ${status}).`);
  return misconfigured(
    "unexpected-status",
    `${where} answered with status ${status}. Check that it is a WinRM service.`,
  );
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
