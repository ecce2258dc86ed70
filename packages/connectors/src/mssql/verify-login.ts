// A log-in to SQL Server; and whether somebody may set the passwords of others.
import type { Attempt } from "../attempt.ts";
import type { Finding, Login, Target } from "../connector.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { openSession, ServerSaidNo } from "./session.ts";
import { isTakeable, rightsOver } from "./statements.ts";

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const session = await openSession(target, { username: target.username, password }, current);
  if ("failure" in session) return session.failure;
  session.close();
  const { address } = session;
  const where = address.database === null ? nameOf(address) : `${nameOf(address)}/${address.database}`;
  return verified(`Logged in to ${where} as ${address.username}.`);
}

/** Whoever is an administrator is changed by administrators only (`CONTROL SERVER`). Changes nothing. */
export async function checkRight(target: Target, by: Login, current: Attempt): Promise<Finding> {
  const name = target.username ?? "";
  if (!isTakeable(name)) return misconfigured("bad-input", "There is no user name that SQL Server takes.");
  const session = await openSession(target, { username: by.username, password: by.secret.reveal() }, current);
  if ("failure" in session) return session.failure;
  const where = nameOf(session.address);
  try {
    const [row] = await session.run(rightsOver(name));
    if (row === undefined || row["id"] === null)
      return misconfigured("bad-input", `There is no login ${name} on ${where}, or ${by.username} may not see it.`);
    const isAble = row["controls"] === "1" || (row["may"] === "1" && row["sysadmin"] !== "1");
    if (isAble) return verified(`${by.username} may set the password of ${name} on ${where}.`);
    return rejected(
      "no-permission",
      `${by.username} can log in to ${where}, but may not set the password of ${name} (ALTER ANY LOGIN, for administrators CONTROL SERVER).`,
    );
  } catch (error) {
    if (error instanceof ServerSaidNo)
      return unreachable(
        "server-error",
        `${where} did not say what ${by.username} may do (error ${error.numbers[0]}).`,
      );
    return connectionFailure(error, session.address);
  } finally {
    session.close();
  }
}
