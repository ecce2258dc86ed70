// A Git server over HTTPS. Verifies a login by asking for the branches of each repository (smart HTTP, `gitprotocol-http`).
import type { Attempt } from "../attempt.ts";
import type { Failure, Finding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, verified } from "../finding.ts";
import { exchange } from "../http-exchange.ts";
import { tlsSettings } from "../tls-settings.ts";
import { ADVERTISEMENT, REFS, statusFailure, urlOf, type HttpsAccess } from "./https-answers.ts";
import { startHttpsProxy } from "./https-proxy.ts";
import { refuse, repositoriesOf } from "./repository.ts";
import type { GitSource } from "./source.ts";

function accessOf(target: Target, secret: string): HttpsAccess | { failure: Failure } {
  const repositories = repositoriesOf(target);
  if ("failure" in repositories) return repositories;
  const { host, port, username } = target;
  if (!host) return refuse("The host is missing.");
  if (repositories.names.some((name) => name.startsWith("/")))
    return refuse("The paths of repositories over HTTPS do not begin with a slash.");
  const tls = tlsSettings({ ...target, sslEnabled: true }, null);
  if ("failure" in tls) return tls;
  if (tls.mode === "disable" || tls.mode === "require")
    return refuse("Git requires TLS with a verified certificate. Use sslmode verify-full.");
  // RFC 7617 §2: the user name ends at the first colon.
  if (username?.includes(":")) return refuse("The user name contains a colon, which HTTP cannot send.");
  const authorization = `Basic ${Buffer.from(`${username || "git"}:${secret}`).toString("base64")}`;
  return { endpoint: { host, port: port ?? 443 }, repositories: repositories.names, authorization, tls };
}

export function httpsSource(target: Target, secret: string, current: Attempt): GitSource | { failure: Failure } {
  const access = accessOf(target, secret);
  if ("failure" in access) return access;
  return {
    where: nameOf(access.endpoint),
    repositories: access.repositories,
    startProxy: (maxBytes) => startHttpsProxy(access, current, maxBytes),
    isPublic: (repository) => isPublic(access, repository, current),
    facts: {},
  };
}

export async function verifyHttps(target: Target, secret: string, current: Attempt): Promise<Finding> {
  const access = accessOf(target, secret);
  if ("failure" in access) return access.failure;
  const open: string[] = [];
  for (const repository of access.repositories) {
    const failure = await accessFailure(access, repository, current);
    if (failure !== null) return failure;
    if (await isPublic(access, repository, current)) open.push(repository);
  }
  const where = nameOf(access.endpoint);
  const count = access.repositories.length;
  // A public repository proves nothing about the login.
  if (open.length === count) {
    return misconfigured(
      "password-not-checked",
      `${where} sends ${open[0]!} without a login too, so the login was not verified. Scans can read it.`,
    );
  }
  return verified(`${where} accepted the login and sends ${count === 1 ? "the repository" : `${count} repositories`}.`);
}

/** Null when the login may read the repository. */
async function accessFailure(access: HttpsAccess, repository: string, current: Attempt): Promise<Failure | null> {
  const { authorization, endpoint } = access;
  const answer = await ask(access, repository, { authorization }, current);
  if ("failure" in answer) return answer.failure;
  return statusFailure(answer, { where: nameOf(endpoint), repository });
}

/** Everybody may read the repository. */
async function isPublic(access: HttpsAccess, repository: string, current: Attempt): Promise<boolean> {
  const answer = await ask(access, repository, {}, current);
  return !("failure" in answer) && answer.status === 200 && answer.contentType === ADVERTISEMENT;
}

const ask = (access: HttpsAccess, repository: string, headers: Record<string, string>, current: Attempt) =>
  exchange(
    {
      url: urlOf(access, repository, REFS),
      method: "GET",
      // Without this header, servers return their web page.
      headers: { "user-agent": "git/2.39.0 (Strongroom)", ...headers },
      // The list of branches is not read.
      maxReceivedBytes: Infinity,
    },
    access.tls,
    current,
  );
