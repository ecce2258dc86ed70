// Sets a new password for a PostgreSQL role: ALTER ROLE with a verifier, so that the server never receives the
// password.
import pg, { type Client } from "pg";
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, unknown, unreachable, unsent } from "../finding.ts";
import { unencryptedHint } from "../tls-settings.ts";
import { loginFailure } from "./login-failure.ts";
import { logIn, type LoggedIn } from "./login.ts";
import { isSameEverywhere, scramVerifier } from "./scram-verifier.ts";
import { obstacle } from "./server.ts";

/** The server truncates names to this many bytes: a longer one would refer to a different role. */
export const MAX_NAME_BYTES = 63;

/** The reason why this candidate cannot be a PostgreSQL password, found before anything is sent; null when it can. */
export function candidateProblem(candidate: string): ChangeFinding | null {
  if (candidate.includes("\0")) {
    return unsent(misconfigured("bad-input", "PostgreSQL does not allow a NUL character in a password."));
  }
  if (isSameEverywhere(candidate)) return null;
  return refused(
    "password-rules",
    "The new password contains characters that PostgreSQL clients treat differently (special spaces, composed or invisible characters). Nothing was sent.",
  );
}

/** `username` is the role whose password changes; null for the role that is logged in. */
export async function setPassword(
  { client, address, isMd5, tls }: LoggedIn,
  username: string | null,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const target = nameOf(address);
  const name = username ?? address.username;
  const verifier = await scramVerifier(candidate);
  try {
    const reason = await obstacle(client, address);
    if (reason !== null) return refused("not-changeable", reason);
  } catch (error) {
    return unsent(loginFailure(error, address, tls.mode !== "disable"));
  }
  current.waitFor(`${target} to confirm the change`);
  try {
    current.sending();
    await client.query(alterRole(username, verifier, current.remainingMs()));
  } catch (error) {
    return refusalOf(error, client, name, target);
  }
  const formerly =
    isMd5 && username === null
      ? " It was stored as md5 and is now stored as SCRAM-SHA-256, which clients older than PostgreSQL 10 do not support."
      : "";
  return changed(`Changed the password of ${name} on ${target}.${formerly}${unencryptedHint(tls)}`, {
    passwordKind: "scram-sha-256",
  });
}

/**
 * One message is one transaction, and leaves no settings in a session that another client may get. `session_user` is
 * the role that logged in, even where the role's settings switch to another one.
 */
function alterRole(username: string | null, verifier: string, remainingMs: number): string {
  const patienceMs = Math.max(1, Math.floor(remainingMs * 0.8));
  return [
    "set transaction read write",
    ...(username === null ? ["set local role none"] : []),
    "set local synchronous_commit = on",
    `set local statement_timeout = ${patienceMs}`,
    `set local lock_timeout = ${patienceMs}`,
    `alter role ${username === null ? "session_user" : pg.escapeIdentifier(username)} password ${pg.escapeLiteral(verifier)}`,
  ].join("; ");
}

/**
 * A server error after which the session still answers has rolled the transaction back. After any other end the result
 * is unknown.
 */
async function refusalOf(error: unknown, client: Client, name: string, target: string): Promise<ChangeFinding> {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined || !(await answers(client))) {
    return unknown(
      `The connection to ${target} was lost after the change was sent. It is not known whether the password changed.`,
    );
  }
  const sqlState = /^[0-9A-Z]{5}$/.test(error.code) ? error.code : "?";
  switch (sqlState) {
    case "42501":
      return refused("no-permission", `The login has no permission to change the password of ${name} on ${target}.`);
    case "42704":
      return refused("no-such-account", `There is no role ${name} on ${target}.`);
    case "25006":
    case "0A000":
      return refused("not-changeable", `${target} is read-only. Passwords are changed on the primary server.`);
    case "55P03":
    case "57014":
    case "40001":
    case "40P01":
    case "XX000":
      // The server rolled the change back, as if it had never been sent.
      return unsent(
        unreachable(
          "not-ready",
          `Another session has locked the role ${name} on ${target}. Nothing was changed. Try again later.`,
        ),
      );
    default:
      return /^(22|23|28|P0)/.test(sqlState)
        ? refused("password-rules", `${target} did not accept the new password for ${name} (SQLSTATE ${sqlState}).`)
        : refused("not-changeable", `${target} did not change the password of ${name} (SQLSTATE ${sqlState}).`);
  }
}

async function answers(client: Client): Promise<boolean> {
  try {
    await client.query("select 1");
    return true;
  } catch {
    // No answer means that the session has ended.
    return false;
  }
}

/** Changes the password of the role that is logged in with it. */
export async function changePassword(
  target: Target,
  password: string,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const problem = candidateProblem(candidate);
  if (problem !== null) return problem;
  const login = await logIn(target, password, current);
  if ("failure" in login) return unsent(login.failure);
  return setPassword(login.loggedIn, null, candidate, current);
}
