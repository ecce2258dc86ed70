// Sets a new password for a MongoDB user, logged in as that user or as an account with the permission.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, unknown, unsent } from "../finding.ts";
import { mayCarryClearText } from "../tls-settings.ts";
import { openSession, type Session } from "./session.ts";
import { ServerError } from "./wire.ts";

export function changeOwn(target: Target, password: string, candidate: string, current: ChangeAttempt) {
  return setPassword(target, { username: target.username, password }, candidate, current);
}

export async function changeOther(target: Target, by: ReconcileLogin, candidate: string, current: ChangeAttempt) {
  if (!target.username) return unsent(misconfigured("bad-input", "The user name is missing."));
  return setPassword(target, { username: by.username, password: by.secret.reveal() }, candidate, current);
}

async function setPassword(
  target: Target,
  credentials: { username: string | null; password: string },
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  if (candidate === "" || candidate.includes("\0"))
    return unsent(misconfigured("bad-input", "MongoDB does not allow an empty password or a NUL character in one."));
  const session = await openSession(target, credentials, current);
  if ("failure" in session) return unsent(session.failure);
  const { address, tls, run, close } = session;
  const username = target.username || address.username;
  try {
    if (!mayCarryClearText(tls)) {
      const message = `MongoDB sends a new password in clear text, so ${nameOf(address)} needs TLS with a verified certificate. Nothing was sent.`;
      return unsent(misconfigured("insecure-authentication", message));
    }
    current.waitFor(`${nameOf(address)} to confirm the change`);
    current.sending();
    // A majority must have the change: if the primary fails first, the new password would be lost with it.
    await run({ updateUser: username, pwd: candidate, writeConcern: { w: "majority", wtimeout: patienceOf(current) } });
    return changed(`Changed the password of ${username} on ${nameOf(address)}.`);
  } catch (error) {
    return refusalOf(error, session, username);
  } finally {
    close();
  }
}

const patienceOf = (current: ChangeAttempt) => Math.max(1, Math.floor(current.remainingMs() * 0.8));

/** Only errors that mean that nothing was done are refusals: after a shutdown or a late majority, the change may have been made. */
function refusalOf(error: unknown, { address }: Session, username: string): ChangeFinding {
  const target = nameOf(address);
  switch (error instanceof ServerError ? error.code : null) {
    case 11:
      return refused("no-such-account", `${target} has no user ${username} in that database (auth_source).`);
    case 13:
      return refused(
        "no-permission",
        `${target} does not allow this user to change the password of ${username} (changeOwnPassword, changePassword).`,
      );
    case 2:
    case 9:
    case 14:
      return refused("password-rules", `${target} did not accept the new password for ${username}.`);
    case 59:
    case 115:
    case 8000:
      return refused(
        "not-changeable",
        `${target} does not change passwords by command. Use the hosting provider's interface.`,
      );
    case 10107:
    case 13435:
    case 13436:
      return refused(
        "not-changeable",
        `${target} is not the primary of its replica set. Enter the primary as the host.`,
      );
    default:
      return unknown(`${target} did not confirm whether it changed the password of ${username}.`);
  }
}
