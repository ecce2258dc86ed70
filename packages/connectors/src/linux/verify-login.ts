// One SSH log-in, from the first byte to the proof that a session opens (ssh2).
import { type Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { dial, nameOf } from "../dial.ts";
import { misconfigured, verified } from "../finding.ts";
import { logIn, mustChange, type LoggedIn } from "./login.ts";
import { loginSecret } from "./login-secret.ts";
import { proveSession } from "./session-proof.ts";

export async function verifyLogin(target: Target, value: string, current: Attempt): Promise<Finding> {
  const { host, username } = target;
  if (!host) return misconfigured("bad-input", "There is no host.");
  if (!username) return misconfigured("bad-input", "There is no user name.");
  const secret = await loginSecret(value, target.type === "ssh", current.signal);
  if ("failure" in secret) return secret.failure;

  const endpoint = { host, port: target.port ?? 22 };
  const dialled = await dial(endpoint, current);
  if ("failure" in dialled) return dialled.failure;

  current.waitFor(`${nameOf(endpoint)} to answer the SSH log-in`);
  const pinned = target.knownHostKey ?? null;
  const login = await logIn(dialled.stream, { endpoint, username, secret, pinned });
  if ("failure" in login) return login.failure;

  const proof = await proveSession(login.loggedIn.client, current.remainingMs());
  if (proof === "must-change") return mustChange({ endpoint, username, secret });
  return loggedIn(login.loggedIn, `${nameOf(endpoint)} as ${username}`, pinned === null, proof === "runs-commands");
}

function loggedIn({ hostKey, method }: LoggedIn, where: string, isFirstUse: boolean, runsCommands: boolean): Finding {
  const parts = [`Logged in to ${where}.`];
  if (isFirstUse) parts.push(`Its host key was seen for the first time: ${hostKey.type} ${hostKey.fingerprint}.`);
  if (!runsCommands) parts.push("The account runs no commands.");
  return verified(parts.join(" "), { hostKey, isFirstUse, method, runsCommands });
}
