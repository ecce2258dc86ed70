// Sets the password of a Redis user: by its SHA-256, so that the new one is neither sent nor logged.
import { createHash } from "node:crypto";
import type { Attempt, ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Finding, Login as By, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, rejected, unanswered, unsent, verified } from "../finding.ts";
import { failureOf, logIn, protocolError, type Login } from "./log-in.ts";
import { RedisError } from "./resp.ts";

export async function changeOwn(
  target: Target,
  current: string,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const login = await logIn(target, current, attempt);
  if ("failure" in login) return unsent(login.failure);
  return closing(login, () => setPassword(login, login.username, candidate, attempt));
}

export async function reset(target: Target, by: By, candidate: string, attempt: ChangeAttempt): Promise<ChangeFinding> {
  const login = await logIn({ ...target, username: by.username }, by.secret.reveal(), attempt);
  if ("failure" in login) return unsent(login.failure);
  const username = target.username || "default";
  return closing(login, async () => {
    // The command makes users that do not exist.
    const user = await login.ask("ACL", "GETUSER", username);
    if (user === null) return refused("no-such-account", `${nameOf(login.endpoint)} has no user ${username}.`);
    if (user instanceof RedisError) return notAllowed(login, username);
    return setPassword(login, username, candidate, attempt);
  });
}

/** What fails in `work` before anything was sent was not sent. */
async function closing(login: Login, work: () => Promise<ChangeFinding>): Promise<ChangeFinding> {
  try {
    return await work();
  } catch (error) {
    return unsent(failureOf(error, login.endpoint));
  } finally {
    login.close();
  }
}

async function setPassword(
  login: Login,
  username: string,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const where = nameOf(login.endpoint);
  const hash = createHash("sha256").update(candidate).digest("hex");
  attempt.waitFor(`${where} to answer the change`);
  attempt.sending();
  try {
    // One command: there is no moment without a password.
    const reply = await login.ask("ACL", "SETUSER", username, "resetpass", `#${hash}`);
    if (reply === "OK") return await saved(login, username);
    if (reply instanceof RedisError && reply.code === "NOPERM") return notAllowed(login, username);
    if (reply instanceof RedisError && reply.code === "ERR") {
      return refused("not-changeable", `${where} does not change the password of ${username} in this way.`);
    }
  } catch {
    // Nobody answered.
  }
  return unanswered(where);
}

/** The password is in force already; whether it outlives a restart is told by the file that users are kept in. */
async function saved({ ask, endpoint }: Login, username: string): Promise<ChangeFinding> {
  const done = `${nameOf(endpoint)} has a new password for ${username}.`;
  const reply = await ask("ACL", "SAVE").catch(() => null);
  if (reply === "OK") return changed(done, { isPersistent: true });
  return changed(
    `${done} It could not be saved there (no ACL file, or no right to ACL SAVE): unless somebody saves it, a restart of Redis brings the old one back.`,
    { isPersistent: false },
  );
}

function notAllowed({ endpoint, username: by }: Login, username: string): ChangeFinding {
  return refused(
    "no-permission",
    `${nameOf(endpoint)} does not let ${by} set the password of ${username}: that takes the rights +acl|setuser and, for others, +acl|getuser.`,
  );
}

/** Asks for a change that no Redis understands: who may not change users is told so first. Nothing can come of it. */
export async function checkReset(target: Target, by: By, current: Attempt): Promise<Finding> {
  const login = await logIn({ ...target, username: by.username }, by.secret.reveal(), current);
  if ("failure" in login) return login.failure;
  const { ask, endpoint } = login;
  const where = nameOf(endpoint);
  const username = target.username || "default";
  const no = rejected(
    "no-permission",
    `${by.username} logs in to ${where}, but may not set the password of ${username}.`,
  );
  try {
    const user = await ask("ACL", "GETUSER", username);
    if (user === null) return misconfigured("bad-input", `${where} has no user ${username}.`);
    if (user instanceof RedisError) return no;
    const reply = await ask("ACL", "SETUSER", username, "%only-asking");
    if (!(reply instanceof RedisError)) return protocolError(endpoint);
    if (reply.code !== "ERR") return no;
    return verified(`${by.username} logs in to ${where} and may set the password of ${username}.`, { mayReset: true });
  } catch (error) {
    return failureOf(error, endpoint);
  } finally {
    login.close();
  }
}
