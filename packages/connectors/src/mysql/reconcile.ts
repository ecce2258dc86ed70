// Sets the password of a MySQL or MariaDB account with another account, and checks beforehand whether that is
// permitted.
import type { Attempt, ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Failure, Finding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, obstacleTo, refused, unsent, verified, type NotChanged } from "../finding.ts";
import { accountFor, accountsNamed, isKeptHere } from "./accounts.ts";
import { loginFailure } from "./login-failure.ts";
import { addressOf, hostIn, logIn, nameIn, type LoggedIn } from "./login.ts";
import { candidateProblem, setPassword, otherAccountRefusal } from "./set-password.ts";
import { quoted, QUOTING_MODE, type AccountName } from "./statements.ts";

export async function reconcilePassword(
  target: Target,
  by: ReconcileLogin,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const problem = candidateProblem(candidate);
  if (problem !== null) return problem;
  const login = await logInBy(target, by, current);
  if ("failure" in login) return unsent(login.failure);
  const found = await accountOf(login);
  if ("failure" in found) return unsent(found.failure);
  if ("refusal" in found) return found.refusal;
  return setPassword(login.loggedIn, found.account, candidate, current);
}

export async function checkRight(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  const login = await logInBy(target, by, current);
  if ("failure" in login) return login.failure;
  const found = await accountOf(login);
  if ("failure" in found) return found.failure;
  const where = nameOf(login.loggedIn.address);
  if ("refusal" in found) return obstacleTo(found.refusal);
  const name = `${found.account.user}@${found.account.host}`;
  return verified(`Logged in to ${where} as ${by.username}, which has permission to change the password of ${name}.`);
}

interface ByLogin {
  username: string;
  loggedIn: LoggedIn;
}

async function logInBy(target: Target, by: ReconcileLogin, current: Attempt): Promise<ByLogin | { failure: Failure }> {
  const address = addressOf(target);
  if ("failure" in address) return address;
  if (by.username === "") return { failure: misconfigured("bad-input", "The reconcile account has no user name.") };
  if (`${address.username}${by.username}`.includes("\0")) {
    return { failure: misconfigured("bad-input", "MySQL does not allow a NUL character in a user name.") };
  }
  const login = await logIn({ ...target, username: by.username, databaseName: null }, by.secret.reveal(), current);
  return "failure" in login ? login : { username: address.username, loggedIn: login.loggedIn };
}

type Found = { account: AccountName } | { refusal: NotChanged } | { failure: Failure };

/** The account that applies to `username` from this machine, if the login can change its password. */
async function accountOf({ username, loggedIn }: ByLogin): Promise<Found> {
  const { ask, address, tls, identity } = loggedIn;
  const other = otherAccountRefusal(loggedIn);
  if (other !== null) return { refusal: other };
  try {
    await ask(`set session sql_mode = '${QUOTING_MODE}'`);
    const accounts = await accountsNamed(quoted(username), loggedIn);
    if (accounts === null || !(await maySetPasswords(loggedIn))) {
      return { refusal: refused("no-permission", missingRight(username, loggedIn)) };
    }
    const account = accountFor(accounts, hostIn(identity?.seen ?? ""));
    if (account === null) return { refusal: refused("no-such-account", missingAccount(username, loggedIn)) };
    if (!isKeptHere(account) || account.isLocked === true) {
      const why =
        account.isLocked === true ? "is locked" : "uses an authentication method whose password is stored elsewhere";
      return {
        refusal: refused(
          "not-changeable",
          `No new password would let ${username} log in to ${nameOf(address)}: the account ${why}.`,
        ),
      };
    }
    return { account: { user: username, host: account.host } };
  } catch (error) {
    return { failure: loginFailure(error, address, tls.mode !== "disable") };
  }
}

const missingRight = (username: string, { address }: LoggedIn) =>
  `${address.username} has no permission to change the password of ${username} on ${nameOf(address)}. That needs SELECT in the database mysql, and CREATE USER.`;

const missingAccount = (username: string, { address, identity }: LoggedIn) =>
  `${nameOf(address)} has no account ${username} for ${hostIn(identity?.seen ?? "")}.`;

/**
 * CREATE USER or UPDATE globally, or UPDATE in the database mysql; granted to the account itself or to its active
 * role.
 */
async function maySetPasswords({ ask, identity, isMariadb }: LoggedIn): Promise<boolean> {
  const [user, host] = [nameIn(identity?.account ?? ""), hostIn(identity?.account ?? "")];
  // Grantees are written with plain quotes around any content.
  const grantees = [`'${user}'@'${host}'`];
  if (isMariadb) {
    const [row] = await ask<{ role: unknown }>("select current_role() as role");
    if (typeof row?.role === "string") grantees.push(`'${row.role}'@''`, `'${row.role}'`, row.role);
  }
  const list = grantees.map(quoted).join(", ");
  const rows = await ask(`
    select 1 from information_schema.user_privileges
     where grantee in (${list}) and privilege_type in ('CREATE USER', 'UPDATE', 'SUPER')
    union all
    select 1 from information_schema.schema_privileges
     where grantee in (${list}) and table_schema = 'mysql' and privilege_type = 'UPDATE' limit 1`);
  return rows.length > 0;
}
