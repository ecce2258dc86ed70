// Changes the password of a local account, as itself or as an administrator.
import type { Attempt, ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Finding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, rejected, unknown, unsent, verified } from "../finding.ts";
import { runScript, type ScriptInput } from "./run-script.ts";
import { CHANGE_PASSWORD, CHECK_RIGHT, SET_PASSWORD } from "./scripts.ts";
import { isAccountName, NO_NAME, serviceOf, type Service } from "./session.ts";

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
  const ran = await runScript(service, script, scriptInput, current, { sending: current.sending });
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
