// Sets a new password for a SQL Server login, logged in as that login or as one with the permission.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, unknown, unsent } from "../finding.ts";
import { openSession, ServerError, type Session } from "./session.ts";
import { alterLogin, isAcceptedText } from "./statements.ts";

export function changeOwn(target: Target, password: string, candidate: string, current: ChangeAttempt) {
  return setPassword(target, { username: target.username, password }, candidate, current, true);
}

export async function changeOther(target: Target, by: ReconcileLogin, candidate: string, current: ChangeAttempt) {
  if (!target.username) return unsent(misconfigured("bad-input", "The user name is missing."));
  return setPassword(target, { username: by.username, password: by.secret.reveal() }, candidate, current, false);
}

async function setPassword(
  target: Target,
  credentials: { username: string | null; password: string },
  candidate: string,
  current: ChangeAttempt,
  isOwn: boolean,
): Promise<ChangeFinding> {
  if (!isAcceptedText(candidate) || !isAcceptedText(target.username || "x"))
    return unsent(
      misconfigured("bad-input", "SQL Server names and passwords must have 1 to 128 characters and no NUL character."),
    );
  const session = await openSession(target, credentials, current);
  if ("failure" in session) return unsent(session.failure);
  const name = target.username || session.address.username;
  current.waitFor(`${nameOf(session.address)} to confirm the change`);
  try {
    current.sending();
    await session.run(alterLogin(name, candidate, isOwn ? credentials.password : null));
    return changed(`Changed the password of ${name} on ${nameOf(session.address)}.`);
  } catch (error) {
    return refusalOf(error, session, name);
  } finally {
    session.close();
  }
}

/** Error numbers of sys.messages: 15114 to 15119 come from the password policy. */
function refusalOf(error: unknown, { address }: Session, name: string): ChangeFinding {
  const target = nameOf(address);
  const number = error instanceof ServerError ? error.numbers[0] : undefined;
  switch (number) {
    case 15114:
      return refused("too-young", `${target} did not change the password of ${name}: it was changed too recently.`);
    case 15115:
      return refused(
        "reused",
        `${target} did not accept the new password of ${name}: most likely it has been used before.`,
      );
    case 15116:
    case 15117:
    case 15118:
    case 15119:
      return refused(
        "password-rules",
        `${target} did not accept the new password of ${name}: it breaks the password policy.`,
      );
    case 15113:
      return refused("not-changeable", `The login ${name} on ${target} is locked out.`);
    case 15151:
    case 15247:
    case 229:
      return refused(
        "no-permission",
        `${target} does not allow this login to change the password of ${name}, or ${name} does not exist.`,
      );
    default:
      return unknown(
        `${target} did not confirm whether it changed the password of ${name}${number === undefined ? "" : ` (error ${number})`}.`,
      );
  }
}
