// Changes a password on a website with the request described by its entry.
import { askWithSecret } from "../api-token/verify-token.ts";
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Target } from "../connector.ts";
import { changed, refused, unanswered, unknown, unsent } from "../finding.ts";
import { exchange } from "../http-exchange.ts";
import { changeCall, type ChangeCall } from "./change-call.ts";
import { authorizationOf, loginCheck, refuse } from "./login-check.ts";
import { wordOf } from "./verify-login.ts";

export async function changeOwn(
  target: Target,
  current: string,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const login = loginCheck(target);
  if ("failure" in login) return unsent(login.failure);
  const call = changeCall(target);
  if ("failure" in call) return unsent(call.failure);
  if (candidate === "") return unsent(refuse("The new password is empty.").failure);
  const authorization = authorizationOf(login, target.username, current);
  if ("failure" in authorization) return unsent(authorization.failure);
  const proof = { check: login.check, authorization: authorization.value, what: wordOf(login) };
  const asked = await askWithSecret(proof, login.tls, attempt);
  if ("failure" in asked) return unsent(asked.failure);

  const answer = await exchange(
    {
      url: call.url,
      method: call.method,
      headers: { authorization: authorization.value, "content-type": call.contentType },
      body: call.body({ username: target.username ?? "", old: current, new: candidate }),
      sending: attempt.sending,
    },
    login.tls,
    attempt,
  );
  if (!("failure" in answer)) return meaningOf(answer.status, call);
  return attempt.isSent() ? unanswered(call.url.host) : unsent(answer.failure);
}

function meaningOf(status: number, { url, expectStatus }: ChangeCall): ChangeFinding {
  const where = `${url.host}${url.pathname}`;
  if (status >= expectStatus.from && status <= expectStatus.to)
    return changed(`${where} accepted the new password (status ${status}).`);
  switch (status) {
    case 400:
    case 409:
    case 422:
      return refused("password-rules", `${where} refused the new password (status ${status}).`);
    case 401:
    case 403:
      return refused(
        "no-permission",
        `${where} does not allow this account to change its password (status ${status}).`,
      );
    case 404:
    case 405:
    case 415:
      return refused(
        "not-changeable",
        `${where} does not support this change request (status ${status}). Check change_path, change_method and change_type.`,
      );
    default:
      return unknown(
        `${where} answered the change with status ${status}, so it is not known whether the password changed.`,
      );
  }
}
