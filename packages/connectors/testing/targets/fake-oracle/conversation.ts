// What an Oracle double answers to each message of a client that was accepted: from its log-in to its log-off.
import { randomBytes } from "node:crypto";
import { dataTypesAnswer, errorAnswer, pairsAnswer, protocolAnswer, statusAnswer } from "./answers.ts";
import { fieldsOf } from "./fields.ts";
import { carryOut, nameIn, setPassword, type StoredUser, type Users } from "./users.ts";
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

const [PROTOCOL, DATA_TYPES, FUNCTION] = [1, 2, 3];
const [LOG_IN_FIRST, LOG_IN_SECOND, EXECUTE, LOG_OFF, COMMIT, ROLLBACK, PING] = [118, 115, 94, 9, 14, 15, 147];
const CHANGE_PASSWORD = 2;
const [WRONG_PASSWORD, LOCKED, NOT_LOGGED_ON, OLD_IS_WRONG] = [1017, 28_000, 1012, 28_008];
/** 19.3.0.0.0 */
const VERSION = String((19 << 24) | (3 << 16));

interface Answer {
  content: Buffer;
  isError: boolean;
}

/** What the next change of a password gets instead of its own answer. */
export interface Planned {
  next: { error: number | null } | null;
}

interface Client {
  /** Of a log-in that has begun. */
  challenge: Challenge | null;
  session: { user: StoredUser; key: Buffer } | null;
}

/** One client's. Null: the connection ends without an answer. */
export function startConversation(users: Users, planned: Planned): (message: Buffer) => Answer | null {
  const client: Client = { challenge: null, session: null };
  return (message) => {
    const [type, call] = message;
    if (type === PROTOCOL) return ok(protocolAnswer());
    if (type === DATA_TYPES) return ok(dataTypesAnswer());
    if (type !== FUNCTION) return null;
    if (call === LOG_IN_FIRST) return beginLogIn(message, users, client);
    if (call === LOG_IN_SECOND && client.session === null) return endLogIn(message, users, client);
    if (client.session === null) return refusal(NOT_LOGGED_ON);
    if (call === LOG_IN_SECOND) return planning(planned, () => changeOwn(message, client.session!));
    if (call === EXECUTE) return execute(statementIn(message), client.session.user, users, planned);
    return [LOG_OFF, COMMIT, ROLLBACK, PING].includes(call ?? -1) ? ok(statusAnswer()) : null;
  };
}

const ok = (content: Buffer): Answer => ({ content, isError: false });
const refusal = (error: number): Answer => ({ content: errorAnswer(error), isError: true });

function planning(planned: Planned, change: () => Answer): Answer | null {
  const own = planned.next;
  planned.next = null;
  if (typeof own?.error === "number") return refusal(own.error);
  const answer = change();
  return own === null ? answer : null;
}

function execute(statement: string, by: StoredUser, users: Users, planned: Planned): Answer | null {
  const carried = () => {
    const done = carryOut(statement, by, users);
    return typeof done === "number" ? refusal(done) : ok(done);
  };
  return /^ALTER/i.test(statement) ? planning(planned, carried) : carried();
}

/** Both halves of a log-in begin alike: who it is, what is wanted, and pairs of texts. */
function logInMessage(message: Buffer) {
  const fields = fieldsOf(message, 3);
  fields.byte();
  fields.number();
  const mode = fields.number();
  fields.byte();
  const count = fields.number();
  fields.byte();
  fields.byte();
  return { name: nameIn(fields.bytes().toString()), mode, pairs: fields.pairs(count) };
}

/** Whether there is such a user is not told: who is not there has a verifier of no password. */
function beginLogIn(message: Buffer, users: Users, client: Client): Answer {
  const { name } = logInMessage(message);
  const verifier = users.get(name)?.verifier ?? verifierOf(randomBytes(16).toString("hex"));
  client.challenge = challenge(verifier);
  return ok(pairsAnswer(challengePairs(client.challenge)));
}

function endLogIn(message: Buffer, users: Users, client: Client): Answer {
  const { name, pairs } = logInMessage(message);
  const [user, begun] = [users.get(name), client.challenge];
  client.challenge = null;
  if (user?.error === LOCKED) return refusal(LOCKED);
  const key = begun === null ? null : sessionKey(begun, pairs);
  if (user === undefined || key === null || begun?.verifier !== user.verifier) return refusal(WRONG_PASSWORD);
  if (user.error !== null) return refusal(user.error);
  client.session = { user, key };
  const told: [string, string][] = [
    ["AUTH_VERSION_NO", VERSION],
    ["AUTH_SVR_RESPONSE", serverResponse(key)],
  ];
  return ok(pairsAnswer(told, user.warning));
}

/** Old and new password under the key of the session. */
function changeOwn(message: Buffer, { user, key }: { user: StoredUser; key: Buffer }): Answer {
  const { name, mode, pairs } = logInMessage(message);
  if ((mode & CHANGE_PASSWORD) === 0 || name !== user.name) return refusal(1031);
  const [old, password] = [passwordIn(key, pairs.get("AUTH_PASSWORD")), passwordIn(key, pairs.get("AUTH_NEWPASSWORD"))];
  if (old === null || !isPasswordOf(user.verifier, old)) return refusal(OLD_IS_WRONG);
  const error = setPassword(user, password ?? "");
  return error === null ? ok(pairsAnswer([])) : refusal(error);
}

/** The fields before the text of a statement: 1 is a byte, n a number. */
const BEFORE_TEXT = "nn1n1n111nn1n111111nn111n1nn1n11n1n11n";

function statementIn(message: Buffer): string {
  const fields = fieldsOf(message, 3);
  for (const kind of BEFORE_TEXT) {
    if (kind === "n") fields.number();
    else fields.byte();
  }
  return fields.bytes().toString();
}
