// The forms of a domain account's user name, and the names to bind and search with.
import type { Failure, Target } from "../connector.ts";
import { misconfigured } from "../finding.ts";

export interface DomainName {
  /** For a simple bind: `user@domain`, `DOMAIN\user` or a distinguished name. */
  bindName: string;
  /** What to search the user's directory entry by. */
  entry: { dn: string } | { accountName: string; principalName: string | null };
}

/** A bare name needs the additional parameter `domain`: `corp.example` or `CORP`. */
export function domainName(
  username: string,
  { additionalParams }: Pick<Target, "additionalParams">,
): DomainName | { failure: Failure } {
  if (/[\0\r\n]/.test(username)) return refuse("The user name contains a line break or a NUL character.");
  if (/^(cn|ou|dc|uid)\s*=/i.test(username)) return { bindName: username, entry: { dn: username } };
  const [, before = "", accountName = ""] = /^([^\\@]+)\\([^\\]+)$/.exec(username) ?? [];
  if (before !== "") return { bindName: username, entry: { accountName, principalName: null } };
  if (username.includes("\\")) return refuse("A user name with a backslash must be of the form DOMAIN\\user.");
  if (username.includes("@")) return ofPrincipal(username);
  const { domain } = additionalParams;
  if (typeof domain !== "string" || !/^[a-z0-9]([a-z0-9.-]{0,253}[a-z0-9])?$/i.test(domain)) {
    return refuse('The domain is missing. Use user@corp.example, CORP\\user, or the additional parameter "domain".');
  }
  if (domain.includes(".")) return ofPrincipal(`${username}@${domain}`);
  return { bindName: `${domain}\\${username}`, entry: { accountName: username, principalName: null } };
}

/** Every account also has an implicit principal name: its account name and the domain. */
function ofPrincipal(principalName: string): DomainName {
  return {
    bindName: principalName,
    entry: { accountName: principalName.slice(0, principalName.lastIndexOf("@")), principalName },
  };
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
