// Puts a new password in force for a PostgreSQL role: ALTER ROLE with a verifier, so that the server never sees the password.
import pg, { type Client } from "pg";
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, unknown, unreachable, unsent } from "../finding.ts";
import { unencryptedHint } from "../tls-settings.ts";
import { loginFailure } from "./login-failure.ts";
import type { LoggedIn } from "./login.ts";
import { isSameEverywhere, scramVerifier } from "./scram-verifier.ts";
import { obstacle } from "./server.ts";

/** Names are cut off there at this many bytes: a longer one would be somebody else's. */
export const MAX_NAME_BYTES = 63;

/** Why this cannot be a password there, before anything is sent; null when it can. */
export function candidateProblem(candidate: string): ChangeFinding | null {
  if (candidate.includes("\0")) {
    return unsent(misconfigured("bad-input", "PostgreSQL takes no NUL character in a password."));
  }
  if (isSameEverywhere(candidate)) return null;
  return refused(
    "password-rules",
    "The new password holds characters that PostgreSQL's clients do not treat alike (special spaces, composed or invisible ones). Nothing was sent.",
  );
}

/** `username` is the role whose password it is; null for whoever has logged in. */
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
  current.waitFor(`${target} to answer the change`);
  try {
    current.sending();
    await client.query(alterRole(username, verifier, current.remainingMs()));
  } catch (error) {
    return refusalOf(error, client, name, target);
  }
  const formerly =
    isMd5 && username === null
      ? " It was kept as md5 and is now kept as SCRAM-SHA-256, which clients older than PostgreSQL 10 do not know."
      : "";
  return changed(`Changed the password of ${name} on ${target}.${formerly}${unencryptedHint(tls)}`, {
    passwordKind: "scram-sha-256",
  });
}

/**
 * One message is one transaction, and leaves nothing set in a session that somebody else may get. `session_user` is who
 * logged in, also where the role's settings make it another one.
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

/** An error of the server after which it still answers has undone the transaction. After any other end nobody knows. */
async function refusalOf(error: unknown, client: Client, name: string, target: string): Promise<ChangeFinding> {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined || !(await answers(client))) {
    return unknown(`${target} lost the connection after the change was sent, and did not say whether it was made.`);
  }
  const sqlState = /^[0-9A-Z]{5}$/.test(error.code) ? error.code : "?";
  switch (sqlState) {
    case "42501":
      return refused("no-permission", `The log-in may not change the password of ${name} on ${target}.`);
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
      // Undone: as if it had never been sent.
      return unsent(
        unreachable(
          "not-ready",
          `Something else holds the role ${name} on ${target}, so the change was given up. Nothing was changed.`,
        ),
      );
    default:
      return /^(22|23|28|P0)/.test(sqlState)
        ? refused("password-rules", `${target} did not take the new password for ${name} (SQLSTATE ${sqlState}).`)
        : refused("not-changeable", `${target} did not change the password of ${name} (SQLSTATE ${sqlState}).`);
  }
}

async function answers(client: Client): Promise<boolean> {
  try {
    await client.query("select 1");
    return true;
  } catch {
    // That it does not answer is the answer.
    return false;
  }
}
