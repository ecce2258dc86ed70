// The log-in over Telnet: a name, a password, each at its own prompt and once.
import type { Failure } from "../connector.ts";
import { nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected } from "../finding.ts";
import { ShownSecret, type Console, type Turn } from "./console.ts";
import { MUST_CHANGE } from "./presets.ts";
import type { Script } from "./script.ts";
import { mustChange } from "./session-failure.ts";

export interface PromptLogin {
  script: Script;
  endpoint: Endpoint;
  username: string;
  password: string;
}

/** Null when the device shows its ready prompt after the password. Rejects when the connection ends without a word. */
export async function logInByPrompts(console: Console, login: PromptLogin): Promise<Failure | null> {
  const { script, endpoint, username, password } = login;
  const { ready } = script;
  const first = await turnAt(console, [...script.username, ...script.password, ...ready]);
  if (ready.includes(first.pattern)) return notChecked(login);
  if (script.username.includes(first.pattern)) {
    console.send(username);
    const second = await turnAt(console, [...script.password, ...script.username, ...ready]);
    if (ready.includes(second.pattern)) return notChecked(login);
    if (!script.password.includes(second.pattern)) return refusedAs(second.lines, login);
  } else {
    return misconfigured(
      "method-not-offered",
      `${nameOf(endpoint)} asks for a password without a user name. It was not sent: such a line password belongs to no account.`,
    );
  }
  console.send(password, true);
  try {
    const third = await turnAt(console, [...ready, ...MUST_CHANGE, ...script.username, ...script.password]);
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

/** The device's words only decide between our own. */
function refusedAs(lines: readonly string[], { endpoint, username }: PromptLogin): Failure {
  const where = nameOf(endpoint);
  if (lines.some((line) => /account.{0,20}expired/i.test(line)))
    return rejected("account-expired", `${where} says that the account ${username} has expired.`);
  if (lines.some((line) => /password.{0,20}expired/i.test(line)))
    return rejected("password-expired", `${where} says that the password of ${username} has expired.`);
  if (lines.some((line) => /\blocked\b/i.test(line)))
    return rejected("account-locked", `${where} says that ${username} is locked.`);
  return rejected(
    "wrong-password",
    `${where} did not accept the password for ${username}. Most devices answer the same for a wrong password, an unknown name and a locked account.`,
  );
}

function notChecked({ endpoint, username }: PromptLogin): Failure {
  return misconfigured(
    "password-not-checked",
    `${nameOf(endpoint)} lets ${username} in without asking for the password, so the stored one proves nothing.`,
  );
}

async function turnAt(console: Console, patterns: readonly string[]): Promise<Turn> {
  const turn = await console.expect(patterns);
  if (turn === null) throw new Error("no turn without a limit of time");
  return turn;
}
