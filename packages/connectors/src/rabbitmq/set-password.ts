// Sets the password of a RabbitMQ user as a salted hash, and keeps the user's tags.
import { createHash, randomBytes } from "node:crypto";
import type { Attempt, ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Failure, Finding, ReconcileLogin, Target } from "../connector.ts";
import { changed, misconfigured, refused, unanswered, unknown, unsent, verified } from "../finding.ts";
import { jsonOf, managementOf, memberOf, pathOf, tagsOf, tagsOfOwn, type Management } from "./management.ts";
import { verifyLogin } from "./verify-login.ts";

/** Only administrators can set passwords, including their own. */
export async function changeOwn(
  target: Target,
  current: string,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  // The management interface gives the same answer for a wrong password and for a user without access to it.
  const login = await verifyLogin({ ...target, databaseName: null }, current, attempt);
  if (login.outcome !== "verified") return unsent(login);
  return setPassword(target, { username: target.username ?? "", secret: current }, candidate, attempt);
}

export async function reset(
  target: Target,
  by: ReconcileLogin,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const login = await logInAs(target, by, attempt);
  if (login !== null) return unsent(login);
  return setPassword(target, { username: by.username, secret: by.secret.reveal() }, candidate, attempt);
}

/** Checks that `by` is an administrator and that the user exists. */
export async function checkReset(target: Target, by: ReconcileLogin, attempt: Attempt): Promise<Finding> {
  const login = await logInAs(target, by, attempt);
  if (login !== null) return login;
  const management = managementOf({ ...target, username: by.username }, by.secret.reveal(), attempt);
  if ("failure" in management) return management.failure;
  const own = await tagsOfOwn(management);
  if ("failure" in own) return own.failure;
  const { where } = management;
  if (!own.tags.includes("administrator")) return management.failureOf(403);
  const user = await userOf(management, target.username ?? "");
  if ("failure" in user) return user.failure;
  if (user.tags === null) return misconfigured("bad-input", `${where} has no user ${target.username}.`);
  return verified(
    `${by.username} can log in to ${where} and has permission to set the password of ${target.username}.`,
    {
      mayReset: true,
    },
  );
}

/** Null when the password is correct. */
async function logInAs(target: Target, by: ReconcileLogin, attempt: Attempt): Promise<Failure | null> {
  const who = { ...target, username: by.username, databaseName: null };
  const login = await verifyLogin(who, by.secret.reveal(), attempt);
  return login.outcome === "verified" ? null : login;
}

async function setPassword(
  target: Target,
  by: { username: string; secret: string },
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const username = target.username ?? "";
  const management = managementOf({ ...target, username: by.username }, by.secret, attempt);
  if ("failure" in management) return unsent(management.failure);
  const { where } = management;
  const user = await userOf(management, username);
  if ("failure" in user) {
    const isRefusal = user.failure.outcome === "rejected";
    return isRefusal ? refused("no-permission", user.failure.message) : unsent(user.failure);
  }
  // The request would create a missing user.
  if (user.tags === null) return refused("no-such-account", `${where} has no user ${username}.`);

  const body = {
    password_hash: saltedHash(candidate),
    hashing_algorithm: "rabbit_password_hashing_sha256",
    tags: user.tags.join(","),
  };
  const answer = await management.ask("PUT", pathOf(username), { body, sending: attempt.sending });
  if ("failure" in answer) {
    return attempt.isSent() ? unanswered(where) : unsent(answer.failure);
  }
  if (answer.status === 201 || answer.status === 204)
    return changed(`Changed the password of ${username} on ${where}.`);
  if (answer.status === 401 || answer.status === 403)
    return refused("no-permission", management.failureOf(answer.status).message);
  if (answer.status === 400) {
    return refused("not-changeable", `${where} does not support this way of changing the password of ${username}.`);
  }
  return unknown(
    `${where} answered the change with status ${answer.status}, so it is not known whether the password changed.`,
  );
}

/** The tags of a user; null when the user does not exist. */
async function userOf(
  management: Management,
  username: string,
): Promise<{ tags: string[] | null } | { failure: Failure }> {
  if (username === "") return { failure: misconfigured("bad-input", "The user name is missing.") };
  const answer = await management.ask("GET", pathOf(username));
  if ("failure" in answer) return answer;
  if (answer.status === 404) return { tags: null };
  if (answer.status !== 200) return { failure: management.failureOf(answer.status) };
  const user = jsonOf(answer.body);
  // The answer describes a different object, whose tags must not be given to the user.
  if (memberOf(user, "name") !== username) return { failure: management.failureOf(answer.status) };
  return { tags: tagsOf(user) };
}

/** Four random bytes, then the SHA-256 of these and the password ("Credentials and Passwords" in the manual). */
function saltedHash(password: string): string {
  const salt = randomBytes(4);
  return Buffer.concat([salt, createHash("sha256").update(salt).update(password).digest()]).toString("base64");
}
