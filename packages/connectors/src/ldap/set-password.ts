// Sets a password in a directory: with the password modify operation (RFC 3062), or by replacing the attribute where
// that is unsupported.
import { Attribute, BerWriter, Change, PasswordPolicyControl, PasswordPolicyError } from "ldapts";
import { closing, type ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, unsent } from "../finding.ts";
import { logInToReset } from "./directory-login.ts";
import { distinguishedName } from "./distinguished-name.ts";
import { logIn, type Bound } from "./log-in.ts";
import { mayNotSet, refusalByCode, tooYoung, usedBefore } from "./password-refusal.ts";
import { lost, resultCodeOf } from "./session.ts";

const PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";

interface PasswordChange {
  dn: string;
  username: string;
  /** Null when a different account sets the password. */
  current: string | null;
  candidate: string;
  isByAttribute: boolean;
}

export async function changeOwn(
  target: Target,
  current: string,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const bound = await logIn(target, current, attempt);
  if ("failure" in bound) return unsent(bound.failure);
  return closing(bound.session, bound.session.failureOf, () => {
    const { dn, address } = bound;
    const { username } = address;
    return setPassword(bound, { dn, username, current, candidate, isByAttribute: isByAttribute(target) }, attempt);
  });
}

export async function reset(
  target: Target,
  by: ReconcileLogin,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const started = await logInToReset({ nameIn: distinguishedName, logIn }, target, by, attempt);
  if ("failure" in started) return unsent(started.failure);
  const { login: bound, username, name } = started;
  return closing(bound.session, bound.session.failureOf, async () => {
    const passwordChange = { ...name, username, current: null, candidate, isByAttribute: isByAttribute(target) };
    const finding = await setPassword(bound, passwordChange, attempt);
    if (finding.outcome === "changed") await dropMustChange(bound, name.dn);
    const isReused = finding.outcome === "refused" && finding.code === "reused";
    return isReused && (await isInForce(target, candidate, attempt)) ? done(bound, username) : finding;
  });
}

/**
 * A repeated change can fail because of the directory's password history: a successful login with the candidate
 * decides.
 */
async function isInForce(target: Target, candidate: string, attempt: ChangeAttempt): Promise<boolean> {
  const bound = await logIn(target, candidate, attempt);
  if ("failure" in bound) return false;
  bound.session.close();
  return true;
}

function done({ address }: Bound, username: string): ChangeFinding {
  return changed(`Changed the password of ${username} on ${nameOf(address)}.`);
}

/** `password_change` is `modify` for directories where the password operation must not be used. */
function isByAttribute({ additionalParams }: Target): boolean {
  return additionalParams["password_change"] === "modify";
}

async function setPassword(
  bound: Bound,
  passwordChange: PasswordChange,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const { session, address } = bound;
  const control = new PasswordPolicyControl();
  attempt.waitFor(`${nameOf(address)} to confirm the change`);
  attempt.sending();
  try {
    if (passwordChange.isByAttribute)
      await session.client.modify(passwordChange.dn, replacement(passwordChange.candidate), control);
    else await session.client.exop(PASSWORD_MODIFY, passwordModify(passwordChange), control);
    return done(bound, passwordChange.username);
  } catch (error) {
    // A protocol error means that the directory does not know the operation, so nothing changed.
    if (resultCodeOf(error) === 2 && !passwordChange.isByAttribute)
      return setPassword(bound, { ...passwordChange, isByAttribute: true }, attempt);
    return refusalOf(error, control, nameOf(address), passwordChange) ?? lost(address);
  }
}

/** PasswdModifyRequestValue (RFC 3062 §2). */
function passwordModify({ dn, current, candidate }: PasswordChange): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeString(dn, 0x80);
  if (current !== null) writer.writeString(current, 0x81);
  writer.writeString(candidate, 0x82);
  writer.endSequence();
  return writer.buffer;
}

function replacement(candidate: string): Change {
  return new Change({
    operation: "replace",
    modification: new Attribute({ type: "userPassword", values: [candidate] }),
  });
}

/** Null for a result that leaves open whether the password changed. */
function refusalOf(
  error: unknown,
  control: PasswordPolicyControl,
  where: string,
  { username }: PasswordChange,
): ChangeFinding | null {
  switch (control.value?.error) {
    case PasswordPolicyError.PasswordTooYoung:
      return tooYoung(where, username);
    case PasswordPolicyError.PasswordInHistory:
      return usedBefore(where, username);
    case PasswordPolicyError.PasswordModNotAllowed:
      return mayNotSet(where, username);
    default:
      return refusalByCode(error, where, username);
  }
}

/**
 * After a reset, a policy may force the account to change its password again. Clears that flag, because the platform
 * has just changed the password.
 */
async function dropMustChange({ session }: Bound, dn: string): Promise<void> {
  const noReset = new Change({
    operation: "replace",
    modification: new Attribute({ type: "pwdReset", values: [] }),
  });
  try {
    await session.client.modify(dn, noReset);
  } catch {
    // Without the permission or such a policy nothing changes; the next login shows the result.
  }
}
