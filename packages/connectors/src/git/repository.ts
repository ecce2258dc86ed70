// The repositories of an entry, and how the server is asked for them.
import type { Failure, Target } from "../connector.ts";
import type { Endpoint } from "../dial.ts";
import { nameOf } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { tlsSettings, type TlsSettings } from "../tls-settings.ts";

const MAX_REPOSITORIES = 100;

export interface GitAccess {
  endpoint: Endpoint;
  /** Paths such as `team/app.git`. */
  repositories: readonly string[];
  /** The value of the header `authorization`. */
  authorization: string;
  tls: TlsSettings;
}

/** A path such as `team/app.git`: no part of it is a command, an option, or leads to another folder. */
const isRepository = (path: string): boolean =>
  path.length <= 200 && /^[\w~][\w.~+-]*(?:\/[\w.~+-]+)*$/.test(path) && !path.split("/").includes("..");

export function gitAccessOf(target: Target, secret: string): GitAccess | { failure: Failure } {
  const { repositories: listed } = target.additionalParams;
  const repositories = [...new Set(typeof listed === "string" ? listed.split(",").flatMap(named) : [])];
  if (!target.host) return refuse("The host is missing.");
  if (repositories.length === 0)
    return refuse('Name at least one repository in the additional parameter "repositories", such as team/app.git.');
  if (repositories.length > MAX_REPOSITORIES) return refuse(`At most ${MAX_REPOSITORIES} repositories can be named.`);
  const invalid = repositories.find((path) => !isRepository(path));
  if (invalid !== undefined) return refuse(`"${invalid}" is not the path of a repository, such as team/app.git.`);
  const tls = tlsSettings({ ...target, sslEnabled: true }, null);
  if ("failure" in tls) return tls;
  if (tls.mode === "disable" || tls.mode === "require")
    return refuse("Git requires TLS with a verified certificate. Use sslmode verify-full.");
  const { username } = target;
  // RFC 7617 §2: the user name ends at the first colon.
  if (username?.includes(":")) return refuse("The user name contains a colon, which HTTP cannot send.");
  const authorization = `Basic ${Buffer.from(`${username || "git"}:${secret}`).toString("base64")}`;
  return { endpoint: { host: target.host, port: target.port ?? 443 }, repositories, authorization, tls };
}

export const urlOf = ({ endpoint }: GitAccess, repository: string, rest: string): URL =>
  new URL(`https://${nameOf(endpoint)}/${repository}/${rest}`);

const named = (path: string): string[] => (path.trim() === "" ? [] : [path.trim()]);

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
