// Puts a new password in force for an Oracle user: one's own by the driver's encrypted message, another's by ALTER USER.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Login, Target } from "../connector.ts";
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

export async function changeOther(target: Target, by: Login, candidate: string, current: ChangeAttempt) {
  if (!isName(target.username ?? ""))
    return unsent(misconfigured("bad-input", "There is no user name that Oracle takes."));
  const who = { username: by.username, password: by.secret.reveal() };
  const work: Work = ({ connection }, name) => connection.execute(alterUser(name, candidate));
  return setPassword(target, who, candidate, current, { work, isClear: true });
}

async function setPassword(
  target: Target,
  who: { username: string | null; password: string },
  candidate: string,
  current: ChangeAttempt,
  { work, isClear }: { work: Work; isClear: boolean },
): Promise<ChangeFinding> {
  if (!isPassword(candidate))
    return unsent(
      misconfigured("bad-input", "Oracle takes passwords without quotation marks and controls, and not empty ones."),
    );
  const session = await openSession(target, who, current);
  if ("failure" in session) return unsent(session.failure);
  const { address, tls, close } = session;
  const [where, name] = [nameOf(address), target.username || address.username];
  try {
    if (isClear && !mayCarryClearText(tls)) {
      const message = `${where} takes the new password of another user in clear text only. Nothing was sent: that needs SSL/TLS with a checked certificate.`;
      return unsent(misconfigured("insecure-authentication", message));
    }
    current.waitFor(`${where} to answer the change`);
    current.sending();
    await work(session, name);
    return changed(`Changed the password of ${name} on ${where}.`);
  } catch (error) {
    return changeRefusal(numberOf(error), where, name);
  } finally {
    close();
  }
}
