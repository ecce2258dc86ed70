// Sets a password in a directory: by the operation made for it (RFC 3062), or by replacing the attribute where that is not known.
import { Attribute, BerWriter, Change, PasswordPolicyControl, PasswordPolicyError } from "ldapts";
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Login, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, unsent } from "../finding.ts";
import { distinguishedName } from "./distinguished-name.ts";
import { logIn, type Bound } from "./log-in.ts";
import { mayNotSet, refusalByCode, tooYoung, usedBefore } from "./password-refusal.ts";
import { lost, resultCodeOf } from "./session.ts";

const PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";

interface Wish {
  dn: string;
  username: string;
  /** Null when somebody else sets it. */
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
  try {
    const { dn } = bound;
    const { username } = bound.address;
    return await setPassword(
      bound,
      { dn, username, current, candidate, isByAttribute: isByAttribute(target) },
      attempt,
    );
  } finally {
    bound.session.close();
  }
}

export async function reset(
  target: Target,
  by: Login,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const { username } = target;
  if (!username) return unsent(misconfigured("bad-input", "There is no user name."));
  const name = distinguishedName(username, target);
  if ("failure" in name) return unsent(name.failure);
  const bound = await logIn({ ...target, username: by.username }, by.secret.reveal(), attempt);
  if ("failure" in bound) return unsent(bound.failure);
  try {
    const wish = { ...name, username, current: null, candidate, isByAttribute: isByAttribute(target) };
    const finding = await setPassword(bound, wish, attempt);
    if (finding.outcome === "changed") await dropMustChange(bound, name.dn);
    const isReused = finding.outcome === "refused" && finding.code === "reused";
    return isReused && (await isInForce(target, candidate, attempt)) ? done(bound, username) : finding;
  } finally {
    bound.session.close();
  }
}

/** A change that is asked for again meets the history of the directory: what counts is that the log-in works. */
async function isInForce(target: Target, candidate: string, attempt: ChangeAttempt): Promise<boolean> {
  const bound = await logIn(target, candidate, attempt);
  if ("failure" in bound) return false;
  bound.session.close();
  return true;
}

function done({ address }: Bound, username: string): ChangeFinding {
  return changed(`${nameOf(address)} has a new password for ${username}.`);
}

/** `password_change` is `modify` for directories whose password operation is not to be used. */
function isByAttribute({ additionalParams }: Target): boolean {
  return additionalParams["password_change"] === "modify";
}

async function setPassword(bound: Bound, wish: Wish, attempt: ChangeAttempt): Promise<ChangeFinding> {
  const { session, address } = bound;
  const control = new PasswordPolicyControl();
  attempt.waitFor(`${nameOf(address)} to answer the change`);
  attempt.sending();
  try {
    if (wish.isByAttribute) await session.client.modify(wish.dn, replacement(wish.candidate), control);
    else await session.client.exop(PASSWORD_MODIFY, passwordModify(wish), control);
    return done(bound, wish.username);
  } catch (error) {
    // Protocol error: the operation is not known there, so nothing happened.
    if (resultCodeOf(error) === 2 && !wish.isByAttribute)
      return setPassword(bound, { ...wish, isByAttribute: true }, attempt);
    return refusalOf(error, control, nameOf(address), wish) ?? lost(address);
  }
}

/** PasswdModifyRequestValue (RFC 3062 §2). */
function passwordModify({ dn, current, candidate }: Wish): Buffer {
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

/** Null for an answer that does not say whether the password is the old one. */
function refusalOf(
  error: unknown,
  control: PasswordPolicyControl,
  where: string,
  { username }: Wish,
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

/** A policy may let somebody whose password was set by another do nothing but change it: the platform has done so already. */
async function dropMustChange({ session }: Bound, dn: string): Promise<void> {
  const noReset = new Change({
    operation: "replace",
    modification: new Attribute({ type: "pwdReset", values: [] }),
  });
  try {
    await session.client.modify(dn, noReset);
  } catch {
    // Who may not, or has no such policy, leaves it: the log-in that follows tells.
  }
}
