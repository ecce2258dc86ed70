// Converts a user name to a distinguished name (RFC 4514).
import type { Failure, Target } from "../connector.ts";
import { misconfigured } from "../finding.ts";

/**
 * A user name that is a DN is used as is. Other user names are inserted into the additional parameter `dn_template`, such as
 * `uid={username},ou=people,dc=example,dc=com`.
 */
export function distinguishedName(
  username: string,
  { additionalParams }: Pick<Target, "additionalParams">,
): { dn: string } | { failure: Failure } {
  if (/^[a-z][a-z0-9.-]*\s*=/i.test(username)) return { dn: username };
  const { dn_template } = additionalParams;
  if (typeof dn_template !== "string" || !dn_template.includes("{username}")) {
    return {
      failure: misconfigured(
        "bad-input",
        'The user name is not a distinguished name. Use one, or set the additional parameter "dn_template", such as uid={username},ou=people,dc=example,dc=com.',
      ),
    };
  }
  return { dn: dn_template.replaceAll("{username}", () => escapedValue(username)) };
}

/** Escapes a value so that it cannot end its attribute (RFC 4514 §2.4). */
export function escapedValue(value: string): string {
  return value
    .replaceAll(/[\\",+<>;=]/g, String.raw`\$&`)
    .replaceAll("\0", String.raw`\00`)
    .replace(/^[ #]/, String.raw`\$&`)
    .replace(/(?<!\\) $/, String.raw`\ `);
}
