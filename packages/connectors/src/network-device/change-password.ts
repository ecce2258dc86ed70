// Changes a password on a device by its script: one's own, or another account's by somebody who may configure it.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Login, RefusedCode, Target } from "../connector.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import { changed, misconfigured, refused, unknown, unreachable, unsent, unsupported } from "../finding.ts";
import { ciscoType8, ciscoType9 } from "./cisco-hash.ts";
import { isLine, ShownSecret, type Turn } from "./console.ts";
import { follow, type Words } from "./dialogue.ts";
import type { Script, Step } from "./script.ts";
import { isPlainName, isTypeable, NO_NAME, NOT_TYPEABLE, openSession, type Session, type Who } from "./session.ts";
import { shown } from "./session-failure.ts";

export function changeOwn(target: Target, current: string, candidate: string, attempt: ChangeAttempt) {
  if (!isTypeable(current)) return Promise.resolve(unsent(misconfigured("bad-input", NOT_TYPEABLE)));
  return change(target, { username: target.username, password: current }, candidate, attempt, ({ change }) => change);
}

export function changeOther(target: Target, by: Login, candidate: string, attempt: ChangeAttempt) {
  const who = { username: by.username, password: by.secret.reveal() };
  return change(
    target,
    who,
    candidate,
    attempt,
    ({ change, reconcile }) => reconcile ?? (change.some(({ send }) => send.includes("{current}")) ? null : change),
  );
}

async function change(
  target: Target,
  who: Who,
  candidate: string,
  attempt: ChangeAttempt,
  stepsOf: (script: Script) => readonly Step[] | null,
): Promise<ChangeFinding> {
  const username = target.username ?? "";
  if (!isPlainName(username)) return unsent(misconfigured("bad-input", NO_NAME));
  if (!isTypeable(candidate)) return unsent(misconfigured("bad-input", NOT_TYPEABLE));
  const words = { username, current: who.password, candidate, ...(await hashes(candidate)) };
  const session = await openSession(target, who, attempt);
  if ("failure" in session) return unsent(session.failure);
  try {
    const steps = stepsOf(session.script);
    if (steps === null || steps.length === 0)
      return unsent(unsupported("The device's script does not say how to set the password of another account."));
    attempt.waitFor(`${nameOf(session.endpoint)} to answer the device's script`);
    return await run(session, steps, words, attempt);
  } catch (error) {
    return cutOff(error, session, attempt);
  } finally {
    session.close();
  }
}

async function hashes(candidate: string): Promise<Words> {
  return { candidate_cisco8: await ciscoType8(candidate), candidate_cisco9: await ciscoType9(candidate) };
}

async function run(
  session: Session,
  steps: readonly Step[],
  words: Words,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const where = nameOf(session.endpoint);
  const before = ({ send }: Step) => {
    if (send.includes("{candidate")) attempt.sending();
  };
  const ended = await follow(session, steps, words, { before });
  if ("refusal" in ended) return refusedBecause(ended.refusal, where, words["username"] ?? "", attempt);
  if ("lost" in ended) return offScript(where, attempt);
  const { success } = session.script;
  if (success.length > 0 && !says(ended.turn, success)) return offScript(where, attempt);
  const isSaved = await save(session, words, attempt.remainingMs());
  const note = isSaved
    ? ""
    : " It did not confirm that it saved its configuration: a restart may bring the old one back.";
  return changed(`${where} changed the password of ${words["username"]}.${note}`, { isSaved });
}

function says({ lines }: Turn, wanted: readonly string[]): boolean {
  return lines.some((line) => wanted.some((pattern) => isLine(pattern, line)));
}

/** The change has happened: nothing that goes wrong from here on, nor takes too long, makes it undone. */
async function save(session: Session, words: Words, remainingMs: number): Promise<boolean> {
  const { script } = session;
  if (script.save.length === 0) return true;
  // Each step and the prompt after them get their share of half of the time.
  const withinMs = remainingMs / 2 / (script.save.length + 1);
  try {
    const ended = await follow({ ...session, script: { ...script, save: [] } }, script.save, words, { withinMs });
    return "turn" in ended;
  } catch {
    return false;
  }
}

function offScript(where: string, attempt: ChangeAttempt): ChangeFinding {
  return attempt.isSent()
    ? unknown(`${where} was told the new password, but did not say clearly whether it took it.`)
    : unsent(misconfigured("protocol-error", `${where} showed another prompt than the device's script expects.`));
}

function cutOff(error: unknown, { endpoint }: Session, attempt: ChangeAttempt): ChangeFinding {
  const where = nameOf(endpoint);
  if (attempt.isSent()) {
    const why = error instanceof ShownSecret ? "showed it on the screen" : "ended the connection";
    return unknown(`${where} was told the new password and ${why} before it said whether it took it.`);
  }
  return unsent(error instanceof ShownSecret ? shown(endpoint) : connectionFailure(error, endpoint));
}

const WORDS: Record<RefusedCode, string> = {
  "password-rules": "did not take the new password: it breaks the device's rules",
  "too-young": "does not change the password again so soon",
  reused: "did not take the new password: it was used before",
  "no-permission": "does not let this account change the password",
  "no-such-account": "knows no such account",
  "limit-reached": "has no room for a further password",
  "not-changeable": "refused the command of the device's script",
};

function refusedBecause(
  code: Script["refusals"][number]["code"],
  where: string,
  username: string,
  attempt: ChangeAttempt,
): ChangeFinding {
  if (code !== "busy") return refused(code, `${where} ${WORDS[code]} (account ${username}).`);
  if (attempt.isSent()) return unknown(`${where} was told the new password and said that it is busy.`);
  return unsent(unreachable("not-ready", `${where} is being configured by somebody else.`));
}
