// Logs in to SQL Server, and checks whether an account can set the passwords of others.
import type { Attempt } from "../attempt.ts";
import type { Finding, ReconcileLogin, Target } from "../connector.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { openSession, ServerError } from "./session.ts";
import { isAcceptedText, rightsOver } from "./statements.ts";

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const session = await openSession(target, { username: target.username, password }, current);
  if ("failure" in session) return session.failure;
  session.close();
  const { address } = session;
  const where = address.database === null ? nameOf(address) : `${nameOf(address)}/${address.database}`;
  return verified(`Logged in to ${where} as ${address.username}.`);
}

/** Only an administrator (`CONTROL SERVER`) can change another administrator. Changes nothing. */
export async function checkRight(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  const name = target.username ?? "";
  if (!isAcceptedText(name)) return misconfigured("bad-input", "The user name is missing or not valid for SQL Server.");
  const session = await openSession(target, { username: by.username, password: by.secret.reveal() }, current);
  if ("failure" in session) return session.failure;
  const where = nameOf(session.address);
  try {
    const [row] = await session.run(rightsOver(name));
    if (row === undefined || row["id"] === null)
      return misconfigured(
        "bad-input",
        `There is no login ${name} on ${where}, or ${by.username} has no permission to see it.`,
      );
    const isAble = row["controls"] === "1" || (row["may"] === "1" && row["sysadmin"] !== "1");
    if (isAble) return verified(`${by.username} has permission to set the password of ${name} on ${where}.`);
    return rejected(
      "no-permission",
      `${by.username} can log in to ${where}, but has no permission to set the password of ${name} (ALTER ANY LOGIN, for administrators CONTROL SERVER).`,
    );
  } catch (error) {
    if (error instanceof ServerError)
      return unreachable(
        "server-error",
        `${where} did not report the permissions of ${by.username} (error ${error.numbers[0]}).`,
      );
    return connectionFailure(error, session.address);
  } finally {
    session.close();
  }
}
