// The login over Telnet: a name and a password, each once and at its own prompt.
import type { Failure } from "../connector.ts";
import { nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected } from "../finding.ts";
import { ShownSecret, type Console, type ConsoleOutput } from "./console.ts";
import { MUST_CHANGE } from "./presets.ts";
import type { Script } from "./presets.ts";
import { mustChange } from "./session-failure.ts";

export interface PromptLogin {
  script: Script;
  endpoint: Endpoint;
  username: string;
  password: string;
}

/**
 * Null when the device shows its ready prompt after the password. Rejects when the connection ends without an answer.
 */
export async function logInByPrompts(console: Console, login: PromptLogin): Promise<Failure | null> {
  const { script, endpoint, username, password } = login;
  const { ready } = script;
  const first = await outputAt(console, [...script.username, ...script.password, ...ready]);
  if (ready.includes(first.pattern)) return notChecked(login);
  if (script.username.includes(first.pattern)) {
    console.send(username);
    const second = await outputAt(console, [...script.password, ...script.username, ...ready]);
    if (ready.includes(second.pattern)) return notChecked(login);
    if (!script.password.includes(second.pattern)) return refusedAs(second.lines, login);
  } else {
    return misconfigured(
      "method-not-offered",
      `${nameOf(endpoint)} asks for a password without a user name, so this account cannot be verified. The password was not sent.`,
    );
  }
  console.send(password, true);
  try {
    const third = await outputAt(console, [...ready, ...MUST_CHANGE, ...script.username, ...script.password]);
    if (ready.includes(third.pattern)) return null;
    if (MUST_CHANGE.includes(third.pattern)) return mustChange(endpoint, username);
    return refusedAs(third.lines, login);
  } catch (error) {
    const saidNo = console.lines().some((line) => SAYS_NO.test(line));
    if (error instanceof ShownSecret || !saidNo) throw error;
    return refusedAs(console.lines(), login);
  }
}

const SAYS_NO = /expired|incorrect|invalid|denied|failed|locked|bad (password|login)/i;

/** The device's text only selects one of our own messages. */
function refusedAs(lines: readonly string[], { endpoint, username }: PromptLogin): Failure {
  const where = nameOf(endpoint);
  if (lines.some((line) => /account.{0,20}expired/i.test(line)))
    return rejected("account-expired", `The account ${username} on ${where} has expired.`);
  if (lines.some((line) => /password.{0,20}expired/i.test(line)))
    return rejected("password-expired", `The password of ${username} on ${where} has expired.`);
  if (lines.some((line) => /\blocked\b/i.test(line)))
    return rejected("account-locked", `The account ${username} on ${where} is locked.`);
  return rejected(
    "wrong-password",
    `${where} did not accept the password for ${username}. Possible causes: wrong password, unknown name, or locked account.`,
  );
}

function notChecked({ endpoint, username }: PromptLogin): Failure {
  return misconfigured(
    "password-not-checked",
    `${nameOf(endpoint)} lets ${username} in without a password, so the stored one was not verified.`,
  );
}

async function outputAt(console: Console, patterns: readonly string[]): Promise<ConsoleOutput> {
  const output = await console.expect(patterns);
  if (output === null) throw new Error("no answer without a time limit");
  return output;
}
