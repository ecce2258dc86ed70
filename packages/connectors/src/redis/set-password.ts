// Sets the password of a Redis user by its SHA-256, so that the new one is neither sent nor logged.
import { createHash } from "node:crypto";
import { closing, type Attempt, type ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Finding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, rejected, unanswered, unsent, verified } from "../finding.ts";
import { failureOf, logIn, protocolError, type RedisSession } from "./log-in.ts";
import { RedisError } from "./resp.ts";

export async function changeOwn(
  target: Target,
  current: string,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const login = await logIn(target, current, attempt);
  if ("failure" in login) return unsent(login.failure);
  return closing(
    login,
    (error) => failureOf(error, login.endpoint),
    () => setPassword(login, login.username, candidate, attempt),
  );
}

export async function reset(
  target: Target,
  by: ReconcileLogin,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const login = await logIn({ ...target, username: by.username }, by.secret.reveal(), attempt);
  if ("failure" in login) return unsent(login.failure);
  const username = target.username || "default";
  return closing(
    login,
    (error) => failureOf(error, login.endpoint),
    async () => {
      // Otherwise the command would create a missing user.
      const user = await login.ask("ACL", "GETUSER", username);
      if (user === null) return refused("no-such-account", `${nameOf(login.endpoint)} has no user ${username}.`);
      if (user instanceof RedisError) return notAllowed(login, username);
      return setPassword(login, username, candidate, attempt);
    },
  );
}

async function setPassword(
  login: RedisSession,
  username: string,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const where = nameOf(login.endpoint);
  const hash = createHash("sha256").update(candidate).digest("hex");
  attempt.waitFor(`${where} to confirm the change`);
  attempt.sending();
  try {
    // One command, so that the user is never without a password.
    const reply = await login.ask("ACL", "SETUSER", username, "resetpass", `#${hash}`);
    if (reply === "OK") return await saved(login, username);
    if (reply instanceof RedisError && reply.code === "NOPERM") return notAllowed(login, username);
    if (reply instanceof RedisError && reply.code === "ERR") {
      return refused("not-changeable", `${where} does not support this way of changing the password of ${username}.`);
    }
  } catch {
    // The server did not answer.
  }
  return unanswered(where);
}

/** The password is active already; saving the ACL file decides whether it survives a restart. */
async function saved({ ask, endpoint }: RedisSession, username: string): Promise<ChangeFinding> {
  const done = `Changed the password of ${username} on ${nameOf(endpoint)}.`;
  const reply = await ask("ACL", "SAVE").catch(() => null);
  if (reply === "OK") return changed(done, { isPersistent: true });
  return changed(
    `${done} It could not be saved there (no ACL file, or no permission for ACL SAVE): unless it is saved, a restart of Redis restores the old one.`,
    { isPersistent: false },
  );
}

function notAllowed({ endpoint, username: by }: RedisSession, username: string): ChangeFinding {
  return refused(
    "no-permission",
    `${nameOf(endpoint)} does not allow ${by} to set the password of ${username} (+acl|setuser and, for others, +acl|getuser).`,
  );
}

/**
 * Sends a change that Redis rejects as invalid: without permission to change users it answers that first. Either way
 * nothing changes.
 */
export async function checkReset(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  const login = await logIn({ ...target, username: by.username }, by.secret.reveal(), current);
  if ("failure" in login) return login.failure;
  const { ask, endpoint } = login;
  const where = nameOf(endpoint);
  const username = target.username || "default";
  const no = rejected(
    "no-permission",
    `${by.username} can log in to ${where}, but has no permission to set the password of ${username}.`,
  );
  try {
    const user = await ask("ACL", "GETUSER", username);
    if (user === null) return misconfigured("bad-input", `${where} has no user ${username}.`);
    if (user instanceof RedisError) return no;
    const reply = await ask("ACL", "SETUSER", username, "%only-asking");
    if (!(reply instanceof RedisError)) return protocolError(endpoint);
    if (reply.code !== "ERR") return no;
    return verified(`${by.username} can log in to ${where} and has permission to set the password of ${username}.`, {
      mayReset: true,
    });
  } catch (error) {
    return failureOf(error, endpoint);
  } finally {
    login.close();
  }
}
