// Puts a new password in force for a MongoDB user, by the user or by somebody with the right.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Login, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, unknown, unsent } from "../finding.ts";
import { mayCarryClearText } from "../tls-settings.ts";
import { openSession, type Session } from "./session.ts";
import { ServerSaidNo } from "./wire.ts";

export function changeOwn(target: Target, password: string, candidate: string, current: ChangeAttempt) {
  return setPassword(target, { username: target.username, password }, candidate, current);
}

export async function changeOther(target: Target, by: Login, candidate: string, current: ChangeAttempt) {
  if (!target.username) return unsent(misconfigured("bad-input", "There is no user name."));
  return setPassword(target, { username: by.username, password: by.secret.reveal() }, candidate, current);
}

async function setPassword(
  target: Target,
  who: { username: string | null; password: string },
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  if (candidate === "" || candidate.includes("\0"))
    return unsent(misconfigured("bad-input", "MongoDB takes no empty password and no NUL character in one."));
  const session = await openSession(target, who, current);
  if ("failure" in session) return unsent(session.failure);
  const { address, tls, run, close } = session;
  const username = target.username || address.username;
  try {
    if (!mayCarryClearText(tls)) {
      const message = `${nameOf(address)} takes new passwords in clear text only. Nothing was sent: that needs SSL/TLS with a checked certificate.`;
      return unsent(misconfigured("insecure-authentication", message));
    }
    current.waitFor(`${nameOf(address)} to answer the change`);
    current.sending();
    // A majority must have it: a primary that fails would otherwise take the new password with it.
    await run({ updateUser: username, pwd: candidate, writeConcern: { w: "majority", wtimeout: patienceOf(current) } });
    return changed(`Changed the password of ${username} on ${nameOf(address)}.`);
  } catch (error) {
    return refusalOf(error, session, username);
  } finally {
    close();
  }
}

const patienceOf = (current: ChangeAttempt) => Math.max(1, Math.floor(current.remainingMs() * 0.8));

/** Only what says that nothing was done is a refusal: a server that stops, or a majority that is late, may have done it. */
function refusalOf(error: unknown, { address }: Session, username: string): ChangeFinding {
  const target = nameOf(address);
  switch (error instanceof ServerSaidNo ? error.code : null) {
    case 11:
      return refused("no-such-account", `${target} knows no user ${username} in that database (auth_source).`);
    case 13:
      return refused(
        "no-permission",
        `${target} does not let this user change the password of ${username} (changeOwnPassword, changePassword).`,
      );
    case 2:
    case 9:
    case 14:
      return refused("password-rules", `${target} did not take the new password for ${username}.`);
    case 59:
    case 115:
    case 8000:
      return refused(
        "not-changeable",
        `${target} does not change passwords by command; a hosted MongoDB has its own interface for that.`,
      );
    case 10107:
    case 13435:
    case 13436:
      return refused(
        "not-changeable",
        `${target} is not the primary of its replica set: name the primary as the host.`,
      );
    default:
      return unknown(`${target} did not say clearly whether it changed the password of ${username}.`);
  }
}
