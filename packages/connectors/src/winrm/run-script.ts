// Runs one of our scripts in a shell on the target, and reads its verdict.
import type { Attempt } from "../attempt.ts";
import type { Failure } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { rejected, unreachable } from "../finding.ts";
import { argumentsFor, inputFor, POWERSHELL, verdictIn } from "./scripts.ts";
import { ask, statusFailure, type Service } from "./session.ts";
import {
  commandIdIn,
  createShell,
  deleteShell,
  faultIn,
  outputIn,
  receiveOutput,
  runCommand,
  sendInput,
  shellIdIn,
} from "./wsman.ts";

/** Each request waits up to the service's own time limit; a command that prints nothing for that long is stuck. */
const MAX_RECEIVES = 200;
const ACCESS_DENIED = 5;
const CLOSING_MS = 1_000;

/** The verdict of the script, or the failure. `sending` is called right before the secrets are sent. */
export async function runScript(
  service: Service,
  script: string,
  scriptInput: ScriptInput,
  attempt: Attempt,
  { sending, output }: { sending?: () => void; output?: ScriptOutput } = {},
): Promise<string | { failure: Failure }> {
  const { url } = service;
  const shell = await step(service, createShell(url), attempt);
  if ("failure" in shell) return shell;
  const shellId = shellIdIn(shell.body);
  if (shellId === null) return strange(service);
  let owner = service;
  try {
    const command = await step(service, runCommand(url, shellId, POWERSHELL, argumentsFor(script)), attempt);
    if ("failure" in command) return command;
    const commandId = commandIdIn(command.body);
    if (commandId === null) return strange(service);
    const fed = await step(service, sendInput(url, shellId, commandId, inputFor(scriptInput)), attempt, sending);
    if ("failure" in fed) return fed;
    const renewed = { ...service, password: scriptInput.new ?? "" };
    // After changing its own password, the account logs in with the new password, unless the change was refused.
    const after = scriptInput.old === undefined ? null : await verdictOf(renewed, shellId, commandId, attempt);
    if (after !== null && !isWrongPassword(after)) owner = renewed;
    return after === null || owner === service ? await verdictOf(service, shellId, commandId, attempt, output) : after;
  } finally {
    await closeShell(owner, shellId, attempt);
  }
}

/** Receives the lines that a script prints before its verdict. */
export interface ScriptOutput {
  text: string;
  maxLength: number;
}

/** The input of a script. `old` only when an account changes its own password. */
export interface ScriptInput {
  name: string;
  old?: string;
  new?: string;
}

const isWrongPassword = (verdict: string | { failure: Failure }): boolean =>
  typeof verdict !== "string" && "code" in verdict.failure && verdict.failure.code === "wrong-password";

/** The service closes the shell after a minute anyway, so wait at most a second for the answer. */
async function closeShell(service: Service, shellId: string, attempt: Attempt): Promise<void> {
  const enough = Promise.withResolvers<void>();
  const timer = setTimeout(enough.resolve, CLOSING_MS);
  await Promise.race([ask(service, deleteShell(service.url, shellId), attempt), enough.promise]);
  clearTimeout(timer);
}

async function verdictOf(
  service: Service,
  shellId: string,
  commandId: string,
  attempt: Attempt,
  whole?: ScriptOutput,
): Promise<string | { failure: Failure }> {
  let output = "";
  for (let time = 0; time < MAX_RECEIVES; time += 1) {
    const answer = await step(service, receiveOutput(service.url, shellId, commandId), attempt);
    if ("failure" in answer) return answer;
    const { text, isDone } = outputIn(answer.body);
    output = (output + text).slice(-4_096);
    if (whole !== undefined && whole.text.length < whole.maxLength) whole.text += text;
    const verdict = verdictIn(output);
    if (verdict !== null) return verdict;
    if (isDone) break;
  }
  return strange(service);
}

/** A fault has status 500; access denied is one of them. */
async function step(service: Service, body: string, attempt: Attempt, sending?: () => void) {
  const answer = await ask(service, body, attempt, sending === undefined ? {} : { sending });
  if ("failure" in answer) return answer;
  const refusal = statusFailure(answer, service);
  if (refusal === null) return answer;
  if (faultIn(answer.body) !== ACCESS_DENIED) return { failure: refusal };
  const { endpoint, username } = service;
  return {
    failure: rejected(
      "no-permission",
      `${nameOf(endpoint)} does not allow ${username} to open a shell (Remote Management Users, Administrators).`,
    ),
  };
}

function strange({ endpoint }: Service): { failure: Failure } {
  return { failure: unreachable("server-error", `${nameOf(endpoint)} ran the script, but did not report its result.`) };
}
