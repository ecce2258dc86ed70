// The requests of a fetch over HTTPS (`gitprotocol-http`), and what their answers mean.
import type { Failure } from "../connector.ts";
import { nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected, unreachable } from "../finding.ts";
import type { TlsSettings } from "../tls-settings.ts";

export const ADVERTISEMENT = "application/x-git-upload-pack-advertisement";
/** Asks for the list of branches. */
export const REFS = "info/refs?service=git-upload-pack";

export interface HttpsAccess {
  endpoint: Endpoint;
  repositories: readonly string[];
  /** The value of the header `authorization`. */
  authorization: string;
  tls: TlsSettings;
}

export const urlOf = ({ endpoint }: HttpsAccess, repository: string, rest: string): URL =>
  new URL(`https://${nameOf(endpoint)}/${repository}/${rest}`);

/** The failure that an answer indicates; null for a list of branches. */
export function statusFailure(
  { status, contentType }: { status: number; contentType: string | null },
  { where, repository }: { where: string; repository: string },
): Failure | null {
  if (status === 200 && contentType === ADVERTISEMENT) return null;
  if (status === 401) return rejected("wrong-password", `${where} rejected the login (status 401).`);
  if (status === 403)
    return rejected("no-permission", `${where} knows the login, but does not let it read ${repository} (status 403).`);
  if (status === 404)
    return misconfigured(
      "unexpected-status",
      `${where} has no repository ${repository}, or does not let the login see it (status 404).`,
    );
  if (status === 429) return unreachable("rate-limited", `${where} is rate limiting requests. Try again later.`);
  if (status >= 500) return unreachable("server-error", `${where} failed with a server error (status ${status}).`);
  if (status >= 300 && status < 400)
    return misconfigured("redirected", `${where} redirects ${repository} elsewhere. Nothing was sent there.`);
  return misconfigured("protocol-error", `${where} does not answer as a Git server does for ${repository}.`);
}
