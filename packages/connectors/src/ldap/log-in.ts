// An LDAP bind with a name and a password, and the interpretation of its result.
import { PasswordPolicyControl, PasswordPolicyError } from "ldapts";
import type { Attempt } from "../attempt.ts";
import type { Failure, Finding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, rejected, verified } from "../finding.ts";
import type { DirectoryAddress } from "./address.ts";
import { connectFor } from "./directory-login.ts";
import { distinguishedName } from "./distinguished-name.ts";
import { resultCodeOf, type Session } from "./session.ts";

export interface Bound {
  session: Session;
  address: DirectoryAddress;
  dn: string;
  /** The password policy's information about the accepted password. */
  policy: { mustChange: boolean; expiresInSeconds: number | null; graceLogins: number | null };
}

/** Logs in as the target's user, or as `as` at the target's address. The caller closes the session. */
export async function logIn(
  target: Target,
  password: string,
  current: Attempt,
  maxReceivedBytes?: number,
): Promise<Bound | { failure: Failure }> {
  const connected = await connectFor(distinguishedName, target, password, current, maxReceivedBytes);
  if ("failure" in connected) return connected;
  const { session, address, name } = connected;
  const control = new PasswordPolicyControl();
  try {
    await session.client.bind(name.dn, password, control);
  } catch (error) {
    session.close();
    return { failure: bindFailure(error, control, session, address) };
  }
  const { error, timeBeforeExpiration = null, graceAuthNsRemaining = null } = control.value ?? {};
  const mustChange = error === PasswordPolicyError.ChangeAfterReset;
  const policy = { mustChange, expiresInSeconds: timeBeforeExpiration, graceLogins: graceAuthNsRemaining };
  return { session, address, dn: name.dn, policy };
}

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const bound = await logIn(target, password, current);
  if ("failure" in bound) return bound.failure;
  try {
    const { address, policy, session } = bound;
    const where = nameOf(address);
    if (policy.mustChange) {
      return rejected(
        "must-change",
        `${where} accepted the password of ${address.username}, but it must be changed before it can be used.`,
      );
    }
    if (await isAnonymous(session)) {
      return misconfigured(
        "password-not-checked",
        `${where} treated the login of ${address.username} as anonymous, so the stored password was not verified.`,
      );
    }
    return verified(wordsOf(bound), {
      graceLogins: policy.graceLogins,
      expiresInSeconds: policy.expiresInSeconds,
      tls: { mode: address.tls.mode, isStartTls: !address.isTlsFromStart },
    });
  } finally {
    bound.session.close();
  }
}

function wordsOf({ address, policy }: Bound): string {
  const done = `Logged in to ${nameOf(address)} as ${address.username}.`;
  if (policy.graceLogins !== null)
    return `${done} The password has expired; ${policy.graceLogins} grace logins are left.`;
  if (policy.expiresInSeconds === null) return done;
  return `${done} The password expires in ${Math.ceil(policy.expiresInSeconds / 86_400)} days.`;
}

/**
 * "Who am I?" (RFC 4532) returns an empty name for an anonymous bind. Servers without this operation return an error.
 */
async function isAnonymous({ client }: Session): Promise<boolean> {
  try {
    const { value } = await client.exop("1.3.6.1.4.1.4203.1.11.3");
    return value === "";
  } catch {
    return false;
  }
}

function bindFailure(
  error: unknown,
  control: PasswordPolicyControl,
  session: Session,
  address: DirectoryAddress,
): Failure {
  const where = nameOf(address);
  const { username } = address;
  switch (resultCodeOf(error)) {
    case 49:
    case 53:
      return credentialsRefused(control.value?.error, where, username);
    case 32:
    case 48:
      return rejected("wrong-password", `${where} has no ${username} with a password.`);
    case 34:
      return misconfigured("bad-input", `${username} is not a valid distinguished name on ${where}.`);
    case 50:
      return rejected("no-permission", `${where} does not allow ${username} to log in.`);
    case 7:
    case 8:
    case 13:
      return misconfigured("method-not-offered", `${where} does not accept a login with a name and a password.`);
    default:
      return session.failureOf(error);
  }
}

/** Uses the password policy's answer if the server gives one. */
function credentialsRefused(policyError: number | undefined, where: string, username: string): Failure {
  switch (policyError) {
    case PasswordPolicyError.AccountLocked:
      return rejected("account-locked", `The account ${username} on ${where} is locked.`);
    case PasswordPolicyError.PasswordExpired:
      return rejected("password-expired", `The password of ${username} on ${where} has expired.`);
    default:
      return rejected(
        "wrong-password",
        `${where} did not accept the password for ${username}. Possible causes: wrong password, unknown name, or locked account.`,
      );
  }
}
