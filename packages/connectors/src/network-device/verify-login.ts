// Logs in to a device, from the first byte to the prompt, and checks whether an account can configure it.
import type { Attempt } from "../attempt.ts";
import type { Finding, ReconcileLogin, Target } from "../connector.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { ShownSecret } from "./console.ts";
import { follow } from "./dialogue.ts";
import { isPlainName, NO_NAME, openSession, type Session } from "./session.ts";
import { passwordEchoed } from "./session-failure.ts";

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const session = await openSession(target, { username: target.username, password }, current);
  if ("failure" in session) return session.failure;
  session.close();
  return loggedIn(session, `${nameOf(session.endpoint)} as ${target.username}`);
}

function loggedIn({ isReady, facts }: Session, where: string): Finding {
  const parts = [`Logged in to ${where}.`];
  const hostKey = facts["hostKey"] as { type: string; fingerprint: string } | undefined;
  if (hostKey !== undefined && facts["isFirstUse"] === true)
    parts.push(`Its host key was seen for the first time: ${hostKey.type} ${hostKey.fingerprint}.`);
  if (!isReady) parts.push("Its prompt does not match the device's script, so its passwords cannot be changed.");
  return verified(parts.join(" "), { ...facts, showsPrompt: isReady });
}

/** Runs the script's check, which changes nothing. */
export async function checkRight(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  const username = target.username ?? "";
  if (!isPlainName(username)) return misconfigured("bad-input", NO_NAME);
  const password = by.secret.reveal();
  const session = await openSession(target, { username: by.username, password }, current);
  if ("failure" in session) return session.failure;
  const { script, endpoint, facts } = session;
  const where = nameOf(endpoint);
  current.waitFor(`${where} to answer the script's check`);
  try {
    const ended = await follow(session, script.check, { username, current: password });
    if ("output" in ended) return verified(`${by.username} has permission to set passwords on ${where}.`, facts);
    if ("refusal" in ended && ended.refusal === "busy")
      return unreachable("not-ready", `Another session is configuring ${where}. Try again later.`);
    return rejected(
      "no-permission",
      `${by.username} can log in to ${where}, but has no permission to set passwords there.`,
      facts,
    );
  } catch (error) {
    return error instanceof ShownSecret ? passwordEchoed(endpoint) : connectionFailure(error, endpoint);
  } finally {
    session.close();
  }
}
