// Puts a new password in force for a MySQL or MariaDB account; MariaDB gets its hash, so that the password never travels.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, unknown, unreachable, unsent, type NotChanged } from "../finding.ts";
import { mayCarryClearText, unencryptedHint } from "../tls-settings.ts";
import { loginFailure, serverErrno } from "./login-failure.ts";
import { MUST_CHANGE, nameIn, type LoggedIn } from "./login.ts";
import { isPlain, QUOTING_MODE, statementsFor, type AccountName } from "./statements.ts";

/** Why this cannot be a password there, before anything is sent; null when it can. */
export function candidateProblem(candidate: string): ChangeFinding | null {
  return candidate.includes("\0")
    ? unsent(misconfigured("bad-input", "MySQL takes no NUL character in a password."))
    : null;
}

/** `account` is null for whoever has logged in. */
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

  current.waitFor(`${target} to answer the change`);
  const run = (asHash: boolean) =>
    firstThatWorks(loggedIn, statementsFor(account, candidate, { isMariadb, asHash }), current);
  let error = await run(isMariadb);
  // A server that checks new passwords by a plugin takes no hash: it wants to see the password.
  if (serverErrno(error) === OPTION_PREVENTS && isMariadb && mayCarryClearText(tls)) error = await run(false);
  if (error !== null) return refusalOf(error, loggedIn, name);
  return changed(`Changed the password of ${name} on ${target}.${unencryptedHint(tls)}`);
}

const IN_CLEAR = (target: string) =>
  `${target} takes new passwords in clear text only. Nothing was sent: that needs SSL/TLS with a checked certificate.`;

const OPTION_PREVENTS = 1290;
/** The log-in has not got the right for this statement: there may be another one for which it has. */
const DENIED = new Set([1044, 1142, 1227]);

/** Null when one did, else why the last one did not. */
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
 * Sets the quoting, and how long the server may wait: a change that waits there longer than its answer is waited for here
 * would come into force when nobody expects it any more. Null when all is well.
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
    // MySQL allows no SET while the password has expired.
    const isSure = serverErrno(error) === MUST_CHANGE && isPlain(candidate);
    return isSure ? null : unsent(loginFailure(error, address, tls.mode !== "disable"));
  }
}

const READ_ONLY = (target: string) =>
  `${target} is read-only (a replica, perhaps). Passwords are changed on the primary server: use its address.`;

/** Why whoever is in must not be taken for the account whose password is to be changed; null when it is the one. */
export function standIn({ identity, address, greeting }: LoggedIn): NotChanged | null {
  if (identity === null) return null;
  const target = nameOf(address);
  if (identity.proxy || nameIn(identity.account) !== address.username) {
    return refused(
      "not-changeable",
      `${target} lets ${address.username} in on behalf of another account, whose password it would be that changes.`,
    );
  }
  // MariaDB puts 5.5.5- in front for old clients.
  if (greeting.replace(/^5\.5\.5-/, "") === identity.version) return null;
  return refused(
    "not-changeable",
    `A proxy answers at ${target}. It may keep passwords of its own, so they are changed at the server behind it: use its address.`,
  );
}

async function refusalOf(error: unknown, loggedIn: LoggedIn, name: string): Promise<ChangeFinding> {
  const target = nameOf(loggedIn.address);
  const errno = serverErrno(error);
  switch (errno) {
    case 1044:
    case 1142:
    case 1227:
      return refused("no-permission", `The log-in may not change the password of ${name} on ${target}.`);
    case 1133:
    case 1396:
      return refused("no-such-account", `There is no account ${name} on ${target}.`);
    case 1819:
      return (await isReused(loggedIn))
        ? refused("reused", `${target} did not take the new password for ${name}: it was used before.`)
        : refused("password-rules", `${target} did not take the new password for ${name}: it breaks a rule there.`);
    case 3638: // MySQL
      return refused("reused", `${target} did not take the new password for ${name}: it was used before.`);
    case 1290:
      return refused("not-changeable", RULES_WANT_TEXT(target));
    case 1372:
    case 1699:
    case 1827:
      return refused("not-changeable", `${name} logs in to ${target} by a method whose password is not kept there.`);
    case 1205:
    case 1213:
    case 1969:
    case 3024:
      // Undone: as if it had never been sent.
      return unsent(unreachable("not-ready", `Something else holds the accounts of ${target}. Nothing was changed.`));
    case 3892: // MySQL
      return refused("not-changeable", `${target} wants the current password of ${name} in the statement as well.`);
    default:
      return unknown(
        `${target} did not say whether the change was made: ${errno === null ? "the connection was lost" : `it answered with error ${errno}`}.`,
      );
  }
}

const RULES_WANT_TEXT = (target: string) =>
  `${target} checks new passwords against its rules, and for that it has to see them. Enable SSL/TLS with a checked certificate.`;

/** MariaDB has one number for all rules; the plugin puts its own name in front. */
async function isReused({ ask }: LoggedIn): Promise<boolean> {
  try {
    const warnings = await ask<{ Message: unknown }>("show warnings");
    return warnings.some(({ Message }) => String(Message).startsWith("password_reuse_check:"));
  } catch {
    // The refusal is certain, only its reason is not.
    return false;
  }
}
