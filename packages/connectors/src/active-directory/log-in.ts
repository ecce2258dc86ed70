// Logs in to a domain controller and interprets the controller's sub-codes.
import type { Attempt } from "../attempt.ts";
import type { Failure, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, rejected } from "../finding.ts";
import type { DirectoryAddress } from "../ldap/address.ts";
import { connectFor } from "../ldap/directory-login.ts";
import { resultCodeOf, type Session } from "../ldap/session.ts";
import { domainName, type DomainName } from "./user-name.ts";

export interface DomainSession {
  session: Session;
  address: DirectoryAddress;
  name: DomainName;
}

/** The caller closes the session. */
export async function logIn(
  target: Target,
  password: string,
  current: Attempt,
  maxReceivedBytes?: number,
): Promise<DomainSession | { failure: Failure }> {
  const connected = await connectFor(domainName, target, password, current, maxReceivedBytes);
  if ("failure" in connected) return connected;
  const { session, address, name } = connected;
  try {
    await session.client.bind(name.bindName, password);
    return connected;
  } catch (error) {
    session.close();
    return { failure: bindFailure(error, session, address) };
  }
}

function bindFailure(error: unknown, session: Session, address: DirectoryAddress): Failure {
  const where = nameOf(address);
  switch (resultCodeOf(error)) {
    case 49:
      return credentialsRefused(subCodeOf(error), where, address.username);
    case 8:
      return misconfigured(
        "method-not-offered",
        `${where} requires a stronger login than a name and a password over TLS.`,
      );
    case 34:
      return misconfigured(
        "bad-input",
        `${where} does not accept ${address.username} as a user name. Use user@domain, DOMAIN\\user or a DN.`,
      );
    default:
      return session.failureOf(error);
  }
}

/** The Windows error behind an LDAP result, in hexadecimal as written by the controller (`… error, data 52e, v…`). */
function subCodeOf(error: unknown): string | null {
  return /\bdata ([0-9a-f]{1,8})\b/.exec(error instanceof Error ? error.message : "")?.[1] ?? null;
}

function credentialsRefused(subCode: string | null, where: string, username: string): Failure {
  switch (subCode) {
    case "530":
    case "531":
      return rejected(
        "no-permission",
        `${where} does not allow ${username} to log in at this time or from this machine.`,
      );
    case "532":
      return rejected("password-expired", `The password of ${username} on ${where} has expired.`);
    case "533":
      return rejected("account-locked", `The account ${username} on ${where} is disabled.`);
    case "701":
      return rejected("account-expired", `The account ${username} on ${where} has expired.`);
    case "773":
      return rejected(
        "must-change",
        `${where} accepted the password of ${username}, but it must be changed before the next login.`,
      );
    case "775":
      return rejected(
        "account-locked",
        `${where} has locked ${username} after too many failed logins. It rejects the right password too.`,
      );
    default:
      return rejected("wrong-password", `Wrong password for ${username} on ${where}, or the account does not exist.`);
  }
}
