// Sets the password of a domain account ([MS-ADTS] §3.1.1.3.1.5): as oneself by old and new in one request, else by replacing it.
import { Attribute, Change, type Entry } from "ldapts";
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Login, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { changed, misconfigured, refused, rejected, unsent } from "../finding.ts";
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
  return closing(login, async () => {
    const entry = await findEntry(login.session.client, login.name, ["pwdLastSet"]);
    const changes = [passwordValue("delete", current), passwordValue("add", candidate)];
    return entry === null ? notFound(login) : send(login, entry, changes, attempt);
  });
}

export async function reset(
  target: Target,
  by: Login,
  candidate: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const { username } = target;
  if (!username) return unsent(misconfigured("bad-input", "There is no user name."));
  const name = domainName(username, target);
  if ("failure" in name) return unsent(name.failure);
  const login = await logIn({ ...target, username: by.username }, by.secret.reveal(), attempt);
  if ("failure" in login) return unsent(login.failure);
  return closing(login, async () => {
    const found = { ...login, address: { ...login.address, username } };
    const entry = await findEntry(login.session.client, name, ["pwdLastSet"]);
    return entry === null ? notFound(found) : send(found, entry, [passwordValue("replace", candidate)], attempt);
  });
}

/** What fails in `work` fails before anything was sent. */
async function closing(login: DomainSession, work: () => Promise<ChangeFinding>): Promise<ChangeFinding> {
  try {
    return await work();
  } catch (error) {
    return unsent(login.session.failureOf(error));
  } finally {
    login.session.close();
  }
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
  // The minimum age of a password is nothing to those who reset it.
  const isOwn = changes.length > 1;
  attempt.waitFor(`${nameOf(address)} to answer the change`);
  attempt.sending();
  try {
    await session.client.modify(entry.dn, changes);
  } catch (error) {
    return (await refusalOf(error, login, isOwn ? entry : null, attempt)) ?? lost(address);
  }
  return changed(
    `${nameOf(address)} has a new password for ${address.username}. It may accept the old one for up to ${OLD_PASSWORD_MINUTES} minutes more.`,
    { oldPasswordMayWorkForMinutes: OLD_PASSWORD_MINUTES },
  );
}

/** Null for an answer that does not say whether the password is the old one. */
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
          `${where} let ${username} in with a password that is no longer in force, and changed nothing.`,
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

/** The eight digits with which a controller begins its diagnostic text. */
function windowsErrorOf(error: unknown): string | null {
  if (resultCodeOf(error) === null || !(error instanceof Error)) return null;
  return /^([0-9A-F]{8}):/i.exec(error.message)?.[1]?.toUpperCase() ?? null;
}

/** One code for every rule; the age is told apart by the clock, the history only by controllers that say so. */
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
    `${where} refused the new password for ${username}: it is too short or too simple for the domain, or was used before.`,
  );
}

/** By the minimum age of the domain; finer policies are not looked at. */
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
    `${nameOf(address)} has no entry that is ${address.username} alone, or does not show it to the account that was to change it.`,
  );
}
