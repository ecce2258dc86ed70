// Changes a password on a device with its script: the login's own, or that of another account if the login may configure the device.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, ReconcileLogin, RefusedCode, Target } from "../connector.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import { changed, misconfigured, refused, unknown, unreachable, unsent, unsupported } from "../finding.ts";
import { isLine, ShownSecret, type ConsoleOutput } from "./console.ts";
import { follow, type Placeholders } from "./dialogue.ts";
import type { Script, Step } from "./presets.ts";
import {
  isPlainName,
  isTypeable,
  NO_NAME,
  NOT_TYPEABLE,
  openSession,
  type Session,
  type DeviceLogin,
} from "./session.ts";
import { pbkdf2, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { passwordEchoed } from "./session-failure.ts";

const ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const SALT_LENGTH = 14;

const derive = promisify(pbkdf2);

const scryptAsync = promisify<string, string, number, { N: number; r: number; p: number }, Buffer>(scrypt);

export function changeOwn(target: Target, current: string, candidate: string, attempt: ChangeAttempt) {
  if (!isTypeable(current)) return Promise.resolve(unsent(misconfigured("bad-input", NOT_TYPEABLE)));
  return change(target, { username: target.username, password: current }, candidate, attempt, ({ change }) => change);
}

export function changeOther(target: Target, by: ReconcileLogin, candidate: string, attempt: ChangeAttempt) {
  const deviceLogin = { username: by.username, password: by.secret.reveal() };
  return change(
    target,
    deviceLogin,
    candidate,
    attempt,
    ({ change, reconcile }) => reconcile ?? (change.some(({ send }) => send.includes("{current}")) ? null : change),
  );
}

async function change(
  target: Target,
  deviceLogin: DeviceLogin,
  candidate: string,
  attempt: ChangeAttempt,
  stepsOf: (script: Script) => readonly Step[] | null,
): Promise<ChangeFinding> {
  const username = target.username ?? "";
  if (!isPlainName(username)) return unsent(misconfigured("bad-input", NO_NAME));
  if (!isTypeable(candidate)) return unsent(misconfigured("bad-input", NOT_TYPEABLE));
  const values = { username, current: deviceLogin.password, candidate, ...(await hashes(candidate)) };
  const session = await openSession(target, deviceLogin, attempt);
  if ("failure" in session) return unsent(session.failure);
  try {
    const steps = stepsOf(session.script);
    if (steps === null || steps.length === 0)
      return unsent(unsupported("The device's script has no steps to set the password of another account."));
    attempt.waitFor(`${nameOf(session.endpoint)} to answer the device's script`);
    return await run(session, steps, values, attempt);
  } catch (error) {
    return cutOff(error, session, attempt);
  } finally {
    session.close();
  }
}

async function hashes(candidate: string): Promise<Placeholders> {
  return { candidate_cisco8: await ciscoType8(candidate), candidate_cisco9: await ciscoType9(candidate) };
}

async function run(
  session: Session,
  steps: readonly Step[],
  values: Placeholders,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const where = nameOf(session.endpoint);
  const before = ({ send }: Step) => {
    if (send.includes("{candidate")) attempt.sending();
  };
  const ended = await follow(session, steps, values, { before });
  if ("refusal" in ended) return refusedBecause(ended.refusal, where, values["username"] ?? "", attempt);
  if ("lost" in ended) return offScript(where, attempt);
  const { success } = session.script;
  if (success.length > 0 && !hasLine(ended.output, success)) return offScript(where, attempt);
  const isSaved = await save(session, values, attempt.remainingMs());
  const note = isSaved
    ? ""
    : " It did not confirm that it saved its configuration: a restart may restore the old password.";
  return changed(`${where} changed the password of ${values["username"]}.${note}`, { isSaved });
}

function hasLine({ lines }: ConsoleOutput, wanted: readonly string[]): boolean {
  return lines.some((line) => wanted.some((pattern) => isLine(pattern, line)));
}

/** The change has been made: a later error or timeout does not undo it. */
async function save(session: Session, values: Placeholders, remainingMs: number): Promise<boolean> {
  const { script } = session;
  if (script.save.length === 0) return true;
  // The steps and their prompts share half of the remaining time.
  const withinMs = remainingMs / 2 / (script.save.length + 1);
  try {
    const ended = await follow({ ...session, script: { ...script, save: [] } }, script.save, values, { withinMs });
    return "output" in ended;
  } catch {
    return false;
  }
}

function offScript(where: string, attempt: ChangeAttempt): ChangeFinding {
  return attempt.isSent()
    ? unknown(`The new password was sent to ${where}, but the device did not confirm it.`)
    : unsent(misconfigured("protocol-error", `${where} showed a prompt that the device's script does not expect.`));
}

function cutOff(error: unknown, { endpoint }: Session, attempt: ChangeAttempt): ChangeFinding {
  const where = nameOf(endpoint);
  if (attempt.isSent()) {
    const why = error instanceof ShownSecret ? "displayed it" : "closed the connection";
    return unknown(`The new password was sent to ${where}, which ${why} before confirming it.`);
  }
  return unsent(error instanceof ShownSecret ? passwordEchoed(endpoint) : connectionFailure(error, endpoint));
}

const REFUSAL_TEXTS: Record<RefusedCode, string> = {
  "password-rules": "did not accept the new password: it breaks the device's rules",
  "too-young": "did not change the password: it was changed too recently",
  reused: "did not accept the new password: it has been used before",
  "no-permission": "does not allow this account to change the password",
  "no-such-account": "has no such account",
  "limit-reached": "has no room for another password",
  "not-changeable": "refused a command of the device's script",
};

function refusedBecause(
  code: Script["refusals"][number]["code"],
  where: string,
  username: string,
  attempt: ChangeAttempt,
): ChangeFinding {
  if (code !== "busy") return refused(code, `${where} ${REFUSAL_TEXTS[code]} (account ${username}).`);
  if (attempt.isSent()) return unknown(`The new password was sent to ${where}, which answered that it is busy.`);
  return unsent(unreachable("not-ready", `Another session is configuring ${where}. Try again later.`));
}

/** `$8$`: PBKDF2 with SHA-256, 20,000 rounds. */
export async function ciscoType8(password: string, salt = randomSalt()): Promise<string> {
  return `$8$${salt}$${encoded(await derive(password, salt, 20_000, 32, "sha256"))}`;
}

/** `$9$`: scrypt, N = 16384, r = 1, p = 1. */
export async function ciscoType9(password: string, salt = randomSalt()): Promise<string> {
  return `$9$${salt}$${encoded(await scryptAsync(password, salt, 32, { N: 16_384, r: 1, p: 1 }))}`;
}

function randomSalt(): string {
  return [...randomBytes(SALT_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** Base64 with a different alphabet order, without padding. */
function encoded(bytes: Buffer): string {
  const usual = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const letters = bytes.toString("base64").replace(/=+$/, "");
  return [...letters].map((letter) => ALPHABET[usual.indexOf(letter)]).join("");
}
