// Logs in to MongoDB, and checks whether an account can set the passwords of others.
import type { Attempt } from "../attempt.ts";
import type { Finding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { rejected, verified } from "../finding.ts";
import { loginFailure, openSession } from "./session.ts";

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const session = await openSession(target, { username: target.username, password }, current);
  if ("failure" in session) return session.failure;
  session.close();
  const { address, authSource, tls } = session;
  return verified(`Logged in to ${nameOf(address)}/${authSource} as ${address.username}.`, {
    authSource,
    tls: { mode: tls.mode },
  });
}

/** Reads the privileges of the login, and changes nothing. */
export async function checkRight(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  const session = await openSession(target, { username: by.username, password: by.secret.reveal() }, current);
  if ("failure" in session) return session.failure;
  const { address, authSource, run, close } = session;
  const where = `${nameOf(address)}/${authSource}`;
  try {
    const { authInfo } = await run({ connectionStatus: 1, showPrivileges: true });
    const privileges = (authInfo as { authenticatedUserPrivileges?: unknown }).authenticatedUserPrivileges;
    const isAble = Array.isArray(privileges) && privileges.some((each) => maySetPasswords(each, authSource));
    if (isAble) return verified(`${by.username} has permission to set passwords on ${where}.`);
    return rejected(
      "no-permission",
      `${by.username} can log in to ${where}, but has no permission to set the passwords of others.`,
    );
  } catch (error) {
    return loginFailure(error, address);
  } finally {
    close();
  }
}

interface Privilege {
  resource?: { db?: unknown; collection?: unknown; anyResource?: unknown };
  actions?: unknown;
}

/** MongoDB's manual, "Resource Document": an empty name means every database. */
function maySetPasswords(privilege: Privilege, database: string): boolean {
  const { resource = {}, actions } = privilege;
  const isThere =
    resource.anyResource === true || (resource.collection === "" && [database, ""].includes(String(resource.db)));
  return isThere && Array.isArray(actions) && (actions.includes("changePassword") || actions.includes("anyAction"));
}
