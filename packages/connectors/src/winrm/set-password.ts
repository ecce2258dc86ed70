// Runs one of the scripts in a shell on the target, and reads its verdict.
import type { Attempt, ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Failure, Finding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, rejected, unknown, unreachable, unsent, verified } from "../finding.ts";
import {
  argumentsFor,
  CHANGE_PASSWORD,
  CHECK_RIGHT,
  inputFor,
  POWERSHELL,
  SET_PASSWORD,
  verdictIn,
} from "./scripts.ts";
import { ask, isAccountName, NO_NAME, serviceOf, statusFailure, type Service } from "./session.ts";
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

/** Each request waits up to the service's own time limit; a command that prints nothing for so long is stuck. */
const MAX_RECEIVES = 60;
const ACCESS_DENIED = 5;
const CLOSING_MS = 1_000;

export function changeOwn(target: Target, password: string, candidate: string, current: ChangeAttempt) {
  const service = serviceOf(target, { username: target.username, password });
  if ("failure" in service) return Promise.resolve(unsent(service.failure));
  const scriptInput = { name: service.username, old: password, new: candidate };
  return setPassword(service, CHANGE_PASSWORD, scriptInput, current);
}

export function changeOther(target: Target, by: ReconcileLogin, candidate: string, current: ChangeAttempt) {
  const service = serviceOf(target, { username: by.username, password: by.secret.reveal() });
  if ("failure" in service) return Promise.resolve(unsent(service.failure));
  if (!isAccountName(target.username)) return Promise.resolve(unsent(misconfigured("bad-input", NO_NAME)));
  return setPassword(service, SET_PASSWORD, { name: target.username, new: candidate }, current);
}

async function setPassword(
  service: Service,
  script: string,
  scriptInput: ScriptInput & { new: string },
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  if (scriptInput.new === "" || scriptInput.new.includes("\0") || scriptInput.new.length > 127)
    return unsent(misconfigured("bad-input", "A Windows password must have 1 to 127 characters and no NUL character."));
  const ran = await runScript(service, script, scriptInput, current, current.sending);
  const where = nameOf(service.endpoint);
  if (typeof ran === "string")
    return ran === "OK"
      ? changed(`Changed the password of ${scriptInput.name} on ${where}.`)
      : refusalOf(ran, where, scriptInput.name);
  return current.isSent()
    ? unknown(`The new password of ${scriptInput.name} was sent to ${where}, but no clear response was received.`)
    : unsent(ran.failure);
}

/** Windows' error codes behind an HRESULT (winerror.h, lmerr.h). */
function refusalOf(verdict: string, where: string, name: string): ChangeFinding {
  switch (verdict) {
    case "800708C5":
    case "8007052D":
      return refused(
        "password-rules",
        `${where} did not accept the new password of ${name}: it breaks the rules for length, complexity, history or minimum age.`,
      );
    case "80070005":
      return refused("no-permission", `${where} does not allow this account to set the password of ${name}.`);
    case "800708AD":
      return refused("no-such-account", `${where} has no local account ${name}.`);
    case "80070056":
    case "80070775":
      return refused(
        "not-changeable",
        `${where} did not accept the current password of ${name}, or the account is locked.`,
      );
    default:
      return unknown(`${where} failed to change the password of ${name} (${verdict}).`);
  }
}

export async function checkRight(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  const service = serviceOf(target, { username: by.username, password: by.secret.reveal() });
  if ("failure" in service) return service.failure;
  if (!isAccountName(target.username)) return misconfigured("bad-input", NO_NAME);
  const where = nameOf(service.endpoint);
  const ran = await runScript(service, CHECK_RIGHT, { name: target.username }, current);
  if (typeof ran !== "string") return ran.failure;
  if (ran === "OK")
    return verified(`${by.username} has permission to set the password of ${target.username} on ${where}.`);
  if (ran === "800708AD") return misconfigured("bad-input", `${where} has no local account ${target.username}.`);
  return rejected("no-permission", `${by.username} can log in to ${where}, but is not an administrator there.`);
}

/** The verdict of the script, or the failure. `sending` is called right before the secrets are sent. */
async function runScript(
  service: Service,
  script: string,
  scriptInput: ScriptInput,
  attempt: Attempt,
  sending?: () => void,
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
    return after === null || owner === service ? await verdictOf(service, shellId, commandId, attempt) : after;
  } finally {
    await closeShell(owner, shellId, attempt);
  }
}

/** The input of a script. `old` only when an account changes its own password. */
interface ScriptInput {
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
): Promise<string | { failure: Failure }> {
  let output = "";
  for (let time = 0; time < MAX_RECEIVES; time += 1) {
    const answer = await step(service, receiveOutput(service.url, shellId, commandId), attempt);
    if ("failure" in answer) return answer;
    const { text, isDone } = outputIn(answer.body);
    output = (output + text).slice(-4_096);
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
