// Verifies a login by asking for the branches of each repository (smart HTTP, `gitprotocol-http`).
import type { Attempt } from "../attempt.ts";
import type { Failure, Finding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { exchange } from "../http-exchange.ts";
import { gitAccessOf, urlOf, type GitAccess } from "./repository.ts";

const ADVERTISEMENT = "application/x-git-upload-pack-advertisement";
export const REFS = "info/refs?service=git-upload-pack";

export async function verifyAccess(target: Target, secret: string, current: Attempt): Promise<Finding> {
  const access = gitAccessOf(target, secret);
  if ("failure" in access) return access.failure;
  const open: string[] = [];
  for (const repository of access.repositories) {
    const failure = await accessFailure(access, repository, current);
    if (failure !== null) return failure;
    if (await isPublic(access, repository, current)) open.push(repository);
  }
  const where = nameOf(access.endpoint);
  const count = access.repositories.length;
  // A repository that everybody may read proves nothing about the login.
  if (open.length === count) {
    return misconfigured(
      "password-not-checked",
      `${where} sends ${open[0]!} without a login too, so the login was not verified. Scans can read it.`,
    );
  }
  return verified(`${where} accepted the login and sends ${count === 1 ? "the repository" : `${count} repositories`}.`);
}

/** Null when the login may read the repository. */
async function accessFailure(access: GitAccess, repository: string, current: Attempt): Promise<Failure | null> {
  const { authorization, endpoint } = access;
  const answer = await ask(access, repository, { authorization }, current);
  if ("failure" in answer) return answer.failure;
  return statusFailure(answer, { where: nameOf(endpoint), repository });
}

/** Everybody may read the repository. */
export async function isPublic(access: GitAccess, repository: string, current: Attempt): Promise<boolean> {
  const answer = await ask(access, repository, {}, current);
  return !("failure" in answer) && answer.status === 200 && answer.contentType === ADVERTISEMENT;
}

const ask = (access: GitAccess, repository: string, headers: Record<string, string>, current: Attempt) =>
  exchange(
    {
      url: urlOf(access, repository, REFS),
      method: "GET",
      // Servers answer other programs with their web page.
      headers: { "user-agent": "git/2.39.0 (Strongroom)", ...headers },
      // The list of branches is not read.
      maxReceivedBytes: Infinity,
    },
    access.tls,
    current,
  );

/** What an answer other than a list of branches means; null for a list. */
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
