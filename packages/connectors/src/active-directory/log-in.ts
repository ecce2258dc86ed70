// A log-in to a domain controller, and what its sub-codes mean.
import type { Attempt } from "../attempt.ts";
import type { Failure, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, rejected } from "../finding.ts";
import { directoryAddress, type DirectoryAddress } from "../ldap/address.ts";
import { openSession, resultCodeOf, type Session } from "../ldap/session.ts";
import { domainName, type DomainName } from "./user-name.ts";

export interface DomainSession {
  session: Session;
  address: DirectoryAddress;
  name: DomainName;
}

/** Whoever calls closes the session. */
export async function logIn(
  target: Target,
  password: string,
  current: Attempt,
  maxReceivedBytes?: number,
): Promise<DomainSession | { failure: Failure }> {
  const address = directoryAddress(target);
  if ("failure" in address) return address;
  const name = domainName(address.username, target);
  if ("failure" in name) return name;
  // RFC 4513 §5.1.2: a bind without a password is an anonymous one and succeeds whoever is named.
  if (password === "") return { failure: misconfigured("bad-input", "The password is empty.") };
  const session = await openSession(address, current, maxReceivedBytes);
  if ("failure" in session) return session;
  try {
    await session.client.bind(name.bindName, password);
    return { session, address, name };
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
        `${where} wants a stronger log-in than a name and a password over TLS.`,
      );
    case 34:
      return misconfigured("bad-input", `${where} does not understand ${address.username} as a name.`);
    default:
      return session.failureOf(error);
  }
}

/** The Windows error behind an LDAP result, in hexadecimal as the controller writes it (`… error, data 52e, v…`). */
function subCodeOf(error: unknown): string | null {
  return /\bdata ([0-9a-f]{1,8})\b/.exec(error instanceof Error ? error.message : "")?.[1] ?? null;
}

function credentialsRefused(subCode: string | null, where: string, username: string): Failure {
  switch (subCode) {
    case "530":
    case "531":
      return rejected("no-permission", `${where} does not let ${username} in at this time or from this machine.`);
    case "532":
      return rejected("password-expired", `${where} does not let ${username} in: the password has expired.`);
    case "533":
      return rejected("account-locked", `${where} does not let ${username} in: the account is disabled.`);
    case "701":
      return rejected("account-expired", `${where} does not let ${username} in: the account has expired.`);
    case "773":
      return rejected(
        "must-change",
        `${where} accepted the password of ${username}, but lets nobody in with it until it is changed.`,
      );
    case "775":
      return rejected(
        "account-locked",
        `${where} has locked ${username} after too many failed log-ins; it refuses the right password as well.`,
      );
    default:
      return rejected(
        "wrong-password",
        `${where} did not accept the password for ${username}: it is wrong, or the account does not exist.`,
      );
  }
}
