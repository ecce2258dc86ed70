// Logs in to Oracle, and checks whether an account can set the passwords of others.
import type { Attempt } from "../attempt.ts";
import type { Finding, ReconcileLogin, Target } from "../connector.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import { rejected, unreachable, verified } from "../finding.ts";
import { numberOf } from "./failures.ts";
import { openSession } from "./session.ts";
import { MAY_ALTER } from "./statements.ts";

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const session = await openSession(target, { username: target.username, password }, current);
  if ("failure" in session) return session.failure;
  session.close();
  const { address } = session;
  return verified(`Logged in to ${nameOf(address)}/${address.database} as ${address.username}.`);
}

/** Reads the privileges of the session, and changes nothing. */
export async function checkRight(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  const session = await openSession(target, { username: by.username, password: by.secret.reveal() }, current);
  if ("failure" in session) return session.failure;
  const where = nameOf(session.address);
  try {
    const { rows } = await session.connection.execute<[number]>(MAY_ALTER);
    return rows?.[0]?.[0] === 1
      ? verified(`${by.username} has permission to set passwords on ${where}.`)
      : rejected(
          "no-permission",
          `${by.username} can log in to ${where}, but has no permission to set the passwords of others (ALTER USER).`,
        );
  } catch (error) {
    const number = numberOf(error);
    if (number === null || number < 0) return connectionFailure(null, session.address);
    return unreachable(
      "server-error",
      `${where} did not report the permissions of ${by.username} (ORA-${String(number).padStart(5, "0")}).`,
    );
  } finally {
    session.close();
  }
}
