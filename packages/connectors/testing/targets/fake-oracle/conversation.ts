// The fake Oracle's answers to each message of an accepted client, from login to logoff.
import { randomBytes } from "node:crypto";
import {
  count,
  dataTypesAnswer,
  done,
  ended,
  pairs,
  protocolAnswer,
  status,
  texts,
  warning,
  whole,
} from "./answers.ts";
import { embeddedLogIn, logInIn, statementIn, type LogIn } from "./questions.ts";
import type { Release } from "./release.ts";
import { executeStatement, nameIn, setPassword, type Catalog, type StoredUser, type Users } from "./users.ts";
import {
  challenge,
  challengePairs,
  isPasswordOf,
  passwordIn,
  serverResponse,
  sessionKey,
  verifierOf,
  type Challenge,
} from "./verifier.ts";

const [PROTOCOL, DATA_TYPES, FUNCTION, FAST_LOG_IN] = [1, 2, 3, 34];
const [LOG_IN_FIRST, LOG_IN_SECOND, EXECUTE, LOG_OFF, COMMIT, ROLLBACK, PING] = [118, 115, 94, 9, 14, 15, 147];
const CHANGE_PASSWORD = 2;
const [WRONG_PASSWORD, LOCKED, NO_RIGHT, NOT_LOGGED_ON, OLD_IS_WRONG] = [1017, 28_000, 1031, 1012, 28_008];

interface Answer {
  content: Buffer;
  isError: boolean;
}

/** Overrides the result of the next password change. */
export interface Planned {
  next: { error: number | null } | null;
}

/** Serves one client. Null means that the connection ends without an answer. */
export function startConversation(
  users: Users,
  catalog: Catalog,
  planned: Planned,
  release: Release,
): (message: Buffer) => Answer | null {
  let started: Challenge | null = null;
  let session: { user: StoredUser; key: Buffer } | null = null;
  const ok = (...parts: Buffer[]): Answer => ({ content: whole(release, ...parts), isError: false });
  const refusal = (error: number): Answer => ({ content: whole(release, ended(release, error)), isError: true });

  /** Does not reveal whether a user exists: an unknown user gets a verifier of no password. */
  const beginLogIn = ({ name }: LogIn): Buffer[] => {
    started = challenge(users.get(nameIn(name))?.verifier ?? verifierOf(randomBytes(16).toString("hex")));
    return [pairs(challengePairs(started)), ended(release, 0)];
  };

  const endLogIn = ({ name, pairs: sent }: LogIn): Answer => {
    const [user, asked] = [users.get(nameIn(name)), started];
    started = null;
    if (user?.error === LOCKED) return refusal(LOCKED);
    const key = asked === null ? null : sessionKey(asked, sent);
    if (user === undefined || key === null || asked?.verifier !== user.verifier) return refusal(WRONG_PASSWORD);
    if (user.error !== null) return refusal(user.error);
    session = { user, key };
    const told = pairs([
      ["AUTH_VERSION_NO", String(release.version)],
      ["AUTH_SVR_RESPONSE", serverResponse(key)],
    ]);
    return ok(told, ...(user.warning === null ? [] : [warning(user.warning)]), ended(release, 0));
  };

  /** Old and new password, encrypted with the session key. */
  const changeOwn = ({ name, mode, pairs: sent }: LogIn, { user, key }: { user: StoredUser; key: Buffer }): Answer => {
    if ((mode & CHANGE_PASSWORD) === 0 || nameIn(name) !== user.name) return refusal(NO_RIGHT);
    const [old, password] = [passwordIn(key, sent.get("AUTH_PASSWORD")), passwordIn(key, sent.get("AUTH_NEWPASSWORD"))];
    if (old === null || !isPasswordOf(user.verifier, old)) return refusal(OLD_IS_WRONG);
    const error = setPassword(user, password ?? "");
    return error === null ? ok(pairs([]), ended(release, 0)) : refusal(error);
  };

  const execute = (statement: string, by: StoredUser): Answer | null => {
    const result = executeStatement(statement, by, users, catalog);
    if (result === null) return null;
    if ("rows" in result) return ok(texts(release, result.names, result.rows));
    if ("count" in result) return ok(count(release, "COUNT(*)", result.count));
    return result.error === 0 ? ok(done(release)) : refusal(result.error);
  };

  const planning = (change: () => Answer | null): Answer | null => {
    const own = planned.next;
    planned.next = null;
    if (typeof own?.error === "number") return refusal(own.error);
    const answer = change();
    return own === null ? answer : null;
  };

  return (message) => {
    const [type, call = 0] = message;
    if (type === PROTOCOL) return ok(protocolAnswer(release));
    if (type === DATA_TYPES) return ok(dataTypesAnswer());
    if (type === FAST_LOG_IN)
      return ok(protocolAnswer(release), dataTypesAnswer(), ...beginLogIn(embeddedLogIn(message)));
    if (type !== FUNCTION) return null;
    if (call === LOG_IN_FIRST) return ok(...beginLogIn(logInIn(message, release)));
    if (call === LOG_IN_SECOND && session === null) return endLogIn(logInIn(message, release));
    if (session === null) return refusal(NOT_LOGGED_ON);
    const current = session;
    if (call === LOG_IN_SECOND) return planning(() => changeOwn(logInIn(message, release), current));
    if ([LOG_OFF, COMMIT, ROLLBACK, PING].includes(call)) return ok(status());
    if (call !== EXECUTE) return null;
    const statement = statementIn(message, release);
    const executed = () => execute(statement, current.user);
    return /^ALTER/i.test(statement) ? planning(executed) : executed();
  };
}
