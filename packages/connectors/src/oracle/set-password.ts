// Sets a new password for an Oracle user: the user's own through the driver's encrypted message, another's with ALTER
// USER.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, unsent } from "../finding.ts";
import { mayCarryClearText } from "../tls-settings.ts";
import { changeRefusal, numberOf } from "./failures.ts";
import { openSession, type Session } from "./session.ts";
import { alterUser, isName, isPassword, loginName } from "./statements.ts";

type Work = (session: Session, name: string) => Promise<unknown>;

export function changeOwn(target: Target, password: string, candidate: string, current: ChangeAttempt) {
  const work: Work = ({ connection }, name) => connection.changePassword(loginName(name), password, candidate);
  return setPassword(target, { username: target.username, password }, candidate, current, { work, isClear: false });
}

export async function changeOther(target: Target, by: ReconcileLogin, candidate: string, current: ChangeAttempt) {
  if (!isName(target.username ?? ""))
    return unsent(misconfigured("bad-input", "The user name is missing or not valid for Oracle."));
  const credentials = { username: by.username, password: by.secret.reveal() };
  const work: Work = ({ connection }, name) => connection.execute(alterUser(name, candidate));
  return setPassword(target, credentials, candidate, current, { work, isClear: true });
}

async function setPassword(
  target: Target,
  credentials: { username: string | null; password: string },
  candidate: string,
  current: ChangeAttempt,
  { work, isClear }: { work: Work; isClear: boolean },
): Promise<ChangeFinding> {
  if (!isPassword(candidate))
    return unsent(
      misconfigured(
        "bad-input",
        "Oracle passwords must not be empty or contain quotation marks or control characters.",
      ),
    );
  const session = await openSession(target, credentials, current);
  if ("failure" in session) return unsent(session.failure);
  const { address, tls, close } = session;
  const [where, name] = [nameOf(address), target.username || address.username];
  try {
    if (isClear && !mayCarryClearText(tls)) {
      const message = `${where} needs the new password of another user in clear text, and that needs TLS with a verified certificate. Nothing was sent.`;
      return unsent(misconfigured("insecure-authentication", message));
    }
    current.waitFor(`${where} to confirm the change`);
    current.sending();
    await work(session, name);
    return changed(`Changed the password of ${name} on ${where}.`);
  } catch (error) {
    return changeRefusal(numberOf(error), where, name);
  } finally {
    close();
  }
}
