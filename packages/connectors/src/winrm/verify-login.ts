// Checks that a WinRM service accepts a name and a password, and requires them.
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, verified } from "../finding.ts";
import { ask, serviceOf, statusFailure } from "./session.ts";
import { IDENTIFY, isIdentity } from "./wsman.ts";

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const service = serviceOf(target, { username: target.username, password });
  if ("failure" in service) return service.failure;
  const where = nameOf(service.endpoint);
  const answer = await ask(service, IDENTIFY, current);
  if ("failure" in answer) return answer.failure;
  const refusal = statusFailure(answer, service);
  if (refusal !== null) return refusal;
  if (!isIdentity(answer.body))
    return misconfigured("protocol-error", `${where} did not answer as a WinRM service. Check the port.`);
  const without = await ask(service, IDENTIFY, current, { isAnonymous: true });
  if ("failure" in without) return without.failure;
  if (without.status !== 401)
    return misconfigured(
      "password-not-checked",
      `${where} answers without a password too, so the stored one was not verified.`,
    );
  return verified(`${where} accepted the password of ${service.username}.`);
}
