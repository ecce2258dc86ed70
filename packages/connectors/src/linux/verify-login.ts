// One SSH login, from the first byte to the proof that a session can be opened (ssh2).
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { verified } from "../finding.ts";
import { mustChange, type LoggedIn } from "./login.ts";
import { openSession } from "./session.ts";
import { proveSession } from "./session-proof.ts";

export async function verifyLogin(target: Target, value: string, current: Attempt): Promise<Finding> {
  const opened = await openSession(target, value, current);
  if ("failure" in opened) return opened.failure;
  const { client, login, where, username } = opened.session;
  const proof = await proveSession(client, current.remainingMs());
  if (proof === "must-change") return mustChange(opened.session);
  return loggedIn(login, `${where} as ${username}`, (target.knownHostKey ?? null) === null, proof === "runs-commands");
}

function loggedIn({ hostKey, method }: LoggedIn, where: string, isFirstUse: boolean, runsCommands: boolean): Finding {
  const parts = [`Logged in to ${where}.`];
  if (isFirstUse) parts.push(`Its host key was seen for the first time: ${hostKey.type} ${hostKey.fingerprint}.`);
  if (!runsCommands) parts.push("The account cannot run commands.");
  return verified(parts.join(" "), { hostKey, isFirstUse, method, runsCommands });
}
