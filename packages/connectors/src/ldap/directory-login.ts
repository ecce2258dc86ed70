// The part of a login that LDAP directories and domain controllers share: everything before the bind.
import type { Attempt, ChangeAttempt } from "../attempt.ts";
import type { Failure, ReconcileLogin, Target } from "../connector.ts";
import { misconfigured } from "../finding.ts";
import { directoryAddress, type DirectoryAddress } from "./address.ts";
import { openSession, type Session } from "./session.ts";

/** Returns the name by which a directory knows a user, or why the user name is not valid there. */
type NameIn<Name> = (username: string, target: Target) => Name | { failure: Failure };

/** Connects for a login, without logging in yet. The caller closes the session. */
export async function connectFor<Name extends object>(
  nameIn: NameIn<Name>,
  target: Target,
  password: string,
  current: Attempt,
  maxReceivedBytes?: number,
): Promise<{ session: Session; address: DirectoryAddress; name: Name } | { failure: Failure }> {
  const address = directoryAddress(target);
  if ("failure" in address) return address;
  const name = nameIn(address.username, target);
  if ("failure" in name) return name;
  // RFC 4513 §5.1.2: a bind without a password is anonymous and succeeds for any name.
  if (password === "") return { failure: misconfigured("bad-input", "The password is empty.") };
  const session = await openSession(address, current, maxReceivedBytes);
  return "failure" in session ? session : { session, address, name };
}

/** Logs in as the reconcile account, to reset the password of the target's user. The caller closes the session. */
export async function logInToReset<Name extends object, Login extends object>(
  { nameIn, logIn }: { nameIn: NameIn<Name>; logIn: LogIn<Login> },
  target: Target,
  by: ReconcileLogin,
  attempt: ChangeAttempt,
): Promise<{ login: Login; username: string; name: Name } | { failure: Failure }> {
  const { username } = target;
  if (!username) return { failure: misconfigured("bad-input", "The user name is missing.") };
  const name = nameIn(username, target);
  if ("failure" in name) return name;
  const login = await logIn({ ...target, username: by.username }, by.secret.reveal(), attempt);
  return "failure" in login ? login : { login, username, name };
}

type LogIn<Login> = (target: Target, password: string, attempt: ChangeAttempt) => Promise<Login | { failure: Failure }>;
