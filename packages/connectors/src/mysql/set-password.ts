// Sets a new password for a MySQL or MariaDB account; MariaDB receives its hash, so that the password is never sent.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, unknown, unreachable, unsent, type NotChanged } from "../finding.ts";
import { mayCarryClearText, unencryptedHint } from "../tls-settings.ts";
import { loginFailure, serverErrno } from "./login-failure.ts";
import { logIn, MUST_CHANGE, nameIn, type LoggedIn } from "./login.ts";
import { isPlain, QUOTING_MODE, statementsFor, type AccountName } from "./statements.ts";

/** The reason why this candidate cannot be a MySQL password, found before anything is sent; null when it can. */
export function candidateProblem(candidate: string): ChangeFinding | null {
  return candidate.includes("\0")
    ? unsent(misconfigured("bad-input", "MySQL does not allow a NUL character in a password."))
    : null;
}

/** `account` is null for the account that is logged in. */
export async function setPassword(
  loggedIn: LoggedIn,
  account: AccountName | null,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const { address, tls, isMariadb } = loggedIn;
  const target = nameOf(address);
  const name = account?.user ?? address.username;
  if (!isMariadb && !mayCarryClearText(tls)) return unsent(misconfigured("insecure-authentication", IN_CLEAR(target)));
  const problem = await prepare(loggedIn, candidate, current.remainingMs());
  if (problem !== null) return problem;

  current.waitFor(`${target} to confirm the change`);
  const run = (asHash: boolean) =>
    firstThatWorks(loggedIn, statementsFor(account, candidate, { isMariadb, asHash }), current);
  let error = await run(isMariadb);
  // A server that checks new passwords with a plugin accepts no hash: it needs the password itself.
  if (serverErrno(error) === OPTION_PREVENTS && isMariadb && mayCarryClearText(tls)) error = await run(false);
  if (error !== null) return refusalOf(error, loggedIn, name);
  return changed(`Changed the password of ${name} on ${target}.${unencryptedHint(tls)}`);
}

const IN_CLEAR = (target: string) =>
  `${target} needs the new password in clear text, and that needs TLS with a verified certificate. Nothing was sent.`;

const OPTION_PREVENTS = 1290;
/** The login lacks the privilege for this statement: a different statement may work. */
const DENIED = new Set([1044, 1142, 1227]);

/** Null when a statement worked, else the failure of the last one. */
async function firstThatWorks({ ask }: LoggedIn, statements: string[], current: ChangeAttempt): Promise<unknown> {
  let last: unknown = null;
  for (const statement of statements) {
    try {
      current.sending();
      await ask(statement);
      return null;
    } catch (error) {
      last = error;
      if (!DENIED.has(serverErrno(error) ?? 0)) return error;
    }
  }
  return last;
}

/**
 * Sets the quoting, and the server's time limit: a change that waits on the server longer than we wait for its answer
 * would be applied after the caller has given up. Null on success.
 */
async function prepare(
  { ask, identity, address, tls, isMariadb }: LoggedIn,
  candidate: string,
  remainingMs: number,
): Promise<ChangeFinding | null> {
  const patienceS = Math.max(1, Math.floor((remainingMs * 0.8) / 1000));
  const limits = [`lock_wait_timeout = ${patienceS}`, ...(isMariadb ? [`max_statement_time = ${patienceS}`] : [])];
  try {
    await ask(`set session sql_mode = '${QUOTING_MODE}', ${limits.join(", ")}`);
    if (identity === null) return null;
    const [row] = await ask<{ is_read_only: unknown }>("select @@global.read_only as is_read_only");
    return Number(row?.is_read_only) === 1 ? refused("not-changeable", READ_ONLY(nameOf(address))) : null;
  } catch (error) {
    // MySQL does not allow SET while the password has expired.
    const isSure = serverErrno(error) === MUST_CHANGE && isPlain(candidate);
    return isSure ? null : unsent(loginFailure(error, address, tls.mode !== "disable"));
  }
}

const READ_ONLY = (target: string) =>
  `${target} is read-only (possibly a replica). Passwords are changed on the primary server: use its address.`;

/** The reason why the logged-in account is not the one whose password should change; null when it is. */
export function otherAccountRefusal({ identity, address, greeting }: LoggedIn): NotChanged | null {
  if (identity === null) return null;
  const target = nameOf(address);
  if (identity.proxy || nameIn(identity.account) !== address.username) {
    return refused(
      "not-changeable",
      `${target} lets ${address.username} in on behalf of another account, and would change that account's password.`,
    );
  }
  // MariaDB prefixes 5.5.5- for old clients.
  if (greeting.replace(/^5\.5\.5-/, "") === identity.version) return null;
  return refused(
    "not-changeable",
    `A proxy answers at ${target}. It may store its own passwords, so change them on the server behind it: use its address.`,
  );
}

async function refusalOf(error: unknown, loggedIn: LoggedIn, name: string): Promise<ChangeFinding> {
  const target = nameOf(loggedIn.address);
  const errno = serverErrno(error);
  switch (errno) {
    case 1044:
    case 1142:
    case 1227:
      return refused("no-permission", `The login has no permission to change the password of ${name} on ${target}.`);
    case 1133:
    case 1396:
      return refused("no-such-account", `There is no account ${name} on ${target}.`);
    case 1819:
      return (await isReused(loggedIn))
        ? refused("reused", `${target} did not accept the new password for ${name}: it has been used before.`)
        : refused(
            "password-rules",
            `${target} did not accept the new password for ${name}: it breaks a password rule there.`,
          );
    case 3638: // MySQL
      return refused("reused", `${target} did not accept the new password for ${name}: it has been used before.`);
    case 1290:
      return refused("not-changeable", RULES_WANT_TEXT(target));
    case 1372:
    case 1699:
    case 1827:
      return refused(
        "not-changeable",
        `${name} uses an authentication method on ${target} whose password is stored elsewhere.`,
      );
    case 1205:
    case 1213:
    case 1969:
    case 3024:
      // The server rolled the change back, as if it had never been sent.
      return unsent(
        unreachable(
          "not-ready",
          `Another session has locked the accounts of ${target}. Nothing was changed. Try again later.`,
        ),
      );
    case 3892: // MySQL
      return refused("not-changeable", `${target} requires the current password of ${name} in the statement.`);
    default:
      return unknown(
        `${target} did not confirm whether the change was made: ${errno === null ? "the connection was lost" : `it answered with error ${errno}`}.`,
      );
  }
}

const RULES_WANT_TEXT = (target: string) =>
  `${target} checks new passwords against its rules, and needs to read them for that. Enable SSL/TLS with a verified certificate.`;

/** MariaDB has one error number for all rules; the plugin prefixes its own name. */
async function isReused({ ask }: LoggedIn): Promise<boolean> {
  try {
    const warnings = await ask<{ Message: unknown }>("show warnings");
    return warnings.some(({ Message }) => String(Message).startsWith("password_reuse_check:"));
  } catch {
    // The refusal is certain, but its reason is not.
    return false;
  }
}

/** Changes the password of the account that is logged in with it, even if it has expired. */
export async function changePassword(
  target: Target,
  password: string,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const problem = candidateProblem(candidate);
  if (problem !== null) return problem;
  const login = await logIn(target, password, current, { isToChange: true });
  if ("failure" in login) return unsent(login.failure);
  return otherAccountRefusal(login.loggedIn) ?? setPassword(login.loggedIn, null, candidate, current);
}
