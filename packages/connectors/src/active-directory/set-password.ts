// Sets the password of a domain account ([MS-ADTS] §3.1.1.3.1.5): as the account itself with old and new in one
// request, else by replacement.
import { Attribute, Change, type Entry } from "ldapts";
import { closing, type ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, refused, rejected, unsent } from "../finding.ts";
import { logInToReset } from "../ldap/directory-login.ts";
import { entryAt, textOf } from "../ldap/entries.ts";
import { refusalByCode, tooYoung, usedBefore } from "../ldap/password-refusal.ts";
import { lost, resultCodeOf } from "../ldap/session.ts";
import { domainBase, findEntry, OLD_PASSWORD_MINUTES, timeOfFiletime } from "./entry.ts";
import { logIn, type DomainSession } from "./log-in.ts";
import { domainName } from "./user-name.ts";

export async function changeOwn(
  target: Target,
  current: string,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const login = await logIn(target, current, attempt);
  if ("failure" in login) return unsent(login.failure);
  return closing(login.session, login.session.failureOf, async () => {
    const entry = await findEntry(login.session.client, login.name, ["pwdLastSet"]);
    const changes = [passwordValue("delete", current), passwordValue("add", candidate)];
    return entry === null ? notFound(login) : send(login, entry, changes, attempt);
  });
}

export async function reset(
  target: Target,
  by: ReconcileLogin,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const started = await logInToReset({ nameIn: domainName, logIn }, target, by, attempt);
  if ("failure" in started) return unsent(started.failure);
  const { login, username, name } = started;
  return closing(login.session, login.session.failureOf, async () => {
    const found = { ...login, address: { ...login.address, username } };
    const entry = await findEntry(login.session.client, name, ["pwdLastSet"]);
    return entry === null ? notFound(found) : send(found, entry, [passwordValue("replace", candidate)], attempt);
  });
}

function passwordValue(operation: "add" | "delete" | "replace", password: string): Change {
  const values = [Buffer.from(`"${password}"`, "utf16le")];
  return new Change({ operation, modification: new Attribute({ type: "unicodePwd", values }) });
}

async function send(
  login: DomainSession,
  entry: Entry,
  changes: Change[],
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const { session, address } = login;
  // The domain's minimum password age does not apply to a reset.
  const isOwn = changes.length > 1;
  attempt.waitFor(`${nameOf(address)} to confirm the change`);
  attempt.sending();
  try {
    await session.client.modify(entry.dn, changes);
  } catch (error) {
    return (await refusalOf(error, login, isOwn ? entry : null, attempt)) ?? lost(address);
  }
  return changed(
    `Changed the password of ${address.username} on ${nameOf(address)}. The controller may accept the old one for up to ${OLD_PASSWORD_MINUTES} more minutes.`,
    { oldPasswordMayWorkForMinutes: OLD_PASSWORD_MINUTES },
  );
}

/** Null for a result that leaves open whether the password changed. */
async function refusalOf(
  error: unknown,
  login: DomainSession,
  own: Entry | null,
  attempt: ChangeAttempt,
): Promise<ChangeFinding | null> {
  const where = nameOf(login.address);
  const { username } = login.address;
  switch (windowsErrorOf(error)) {
    case WRONG_PASSWORD:
      return unsent(
        rejected(
          "wrong-password",
          `${where} accepted a previous password of ${username} and changed nothing. Store the current password.`,
        ),
      );
    case PASSWORD_RESTRICTION:
      return rulesRefusal(error, login, own, attempt.context.now());
    default:
      return refusalByCode(error, where, username);
  }
}

/** ERROR_INVALID_PASSWORD and ERROR_PASSWORD_RESTRICTION ([MS-ERREF] §2.2). */
const WRONG_PASSWORD = "00000056";
const PASSWORD_RESTRICTION = "0000052D";

/** The eight digits at the start of a controller's diagnostic text. */
function windowsErrorOf(error: unknown): string | null {
  if (resultCodeOf(error) === null || !(error instanceof Error)) return null;
  return /^([0-9A-F]{8}):/i.exec(error.message)?.[1]?.toUpperCase() ?? null;
}

/** The controller returns one code for every rule: the clock reveals a minimum age, and only some controllers report the history. */
async function rulesRefusal(
  error: unknown,
  login: DomainSession,
  own: Entry | null,
  now: Date,
): Promise<ChangeFinding> {
  const where = nameOf(login.address);
  const { username } = login.address;
  const text = error instanceof Error ? error.message : "";
  if (/too young/i.test(text) || (own !== null && (await isTooYoung(login, own, now)))) {
    return tooYoung(where, username);
  }
  if (/already used|history/i.test(text)) {
    return usedBefore(where, username);
  }
  return refused(
    "password-rules",
    `${where} refused the new password for ${username}: it is too short, too simple, or has been used before.`,
  );
}

/** Uses the domain's minimum age; fine-grained policies are not read. */
async function isTooYoung({ session }: DomainSession, entry: Entry, now: Date): Promise<boolean> {
  const changedAt = timeOfFiletime(textOf(entry, "pwdLastSet"));
  if (changedAt === null) return false;
  try {
    const base = await domainBase(session.client);
    const domain = base === null ? null : await entryAt(session.client, base, ["minPwdAge"]);
    const minAgeMs = Math.abs(Number(domain === null ? 0 : textOf(domain, "minPwdAge"))) / 10_000;
    return now.getTime() - Date.parse(changedAt) < minAgeMs;
  } catch {
    return false;
  }
}

function notFound({ address }: DomainSession): ChangeFinding {
  return refused(
    "no-such-account",
    `${nameOf(address)} has no unique entry for ${address.username}, or the login has no permission to see it.`,
  );
}
