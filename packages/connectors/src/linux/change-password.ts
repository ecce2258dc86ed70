// Changes a Unix password as its owner: runs passwd and answers its prompts.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Target } from "../connector.ts";
import { changed, misconfigured, refused, unknown, unsent } from "../finding.ts";
import { connectionFailure } from "../dial.ts";
import { answerTo, promptIn, type Renewal } from "./password-prompts.ts";
import { runCommand, type CommandResult } from "./run-command.ts";
import { openSession, type Session } from "./session.ts";

/** More than any system accepts (crypt(3) and PAM allow 511 bytes). */
const MAX_BYTES = 256;

/** The reason why this candidate cannot be a Unix password, found before anything is sent; null when it can. */
export function candidateProblem(candidate: string): ChangeFinding | null {
  if (/\p{Cc}/u.test(candidate)) {
    return unsent(
      misconfigured("bad-input", "A Unix password cannot contain control characters: they cannot be typed."),
    );
  }
  if (Buffer.byteLength(candidate) <= MAX_BYTES) return null;
  return unsent(misconfigured("bad-input", `The new password is longer than ${MAX_BYTES} bytes.`));
}

/**
 * Also changes a password that must be changed: during the login where the server asks for it there, or in a terminal
 * where it runs passwd instead of a command. This is why there is always a terminal.
 */
export async function changePassword(
  target: Target,
  password: string,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const problem = candidateProblem(candidate);
  if (problem !== null) return problem;
  const renewal: Renewal = { candidate, sending: current.sending, stage: "before" };
  const opened = await openSession(target, password, current, { renewal });
  if ("failure" in opened) {
    const name = `${target.username} on ${target.host}`;
    return renewal.stage === "before" ? unsent(opened.failure) : endedEarly(renewal, name);
  }
  const { session } = opened;
  const name = `${session.username} on ${session.where}`;
  if (renewal.stage === "retyped") return changed(`Changed the password of ${name} during the login.`);

  current.waitFor(`passwd on ${session.where} to answer`);
  const result = await typeIn(session, password, renewal);
  if (result === null) return refused("not-changeable", NO_COMMANDS(name));
  if (result.isLost && renewal.stage === "before") return unsent(connectionFailure(null, session.endpoint));
  return meaningOf(result, renewal, name);
}

const NO_COMMANDS = (name: string) =>
  `${name} cannot run commands, so it cannot change its own password. Use a reconcile account.`;

function typeIn({ client }: Session, password: string, renewal: Renewal): Promise<CommandResult | null> {
  return runCommand(client, "env LC_ALL=C LANGUAGE=C passwd", {
    pty: true,
    talk: {
      onText: (text, { answer, giveUp }) => {
        const prompt = promptIn(text);
        if (prompt === "none") return;
        const line = answerTo(prompt, password, renewal);
        if (line === null) giveUp();
        else answer(line);
      },
    },
  });
}

/** The connection ended during a login that asked for a new password. */
function endedEarly(renewal: Renewal, name: string): ChangeFinding {
  return renewal.stage === "asked-again"
    ? refused("password-rules", `The new password of ${name} breaks the system's password rules.`)
    : unknown(`The connection was lost while ${name} changed its password. It is not known which password is active.`);
}

/** Uses the exit status first; the text (LC_ALL=C) only gives the reason, and none of it is passed on. */
function meaningOf({ status, stdout, stderr }: CommandResult, renewal: Renewal, name: string): ChangeFinding {
  const output = `${stdout}\n${stderr}`;
  const { stage } = renewal;
  // A shell that exits with 0 without showing a prompt has changed nothing.
  if (status === 0 && stage === "retyped") return changed(`Changed the password of ${name}.`);
  if (TOO_YOUNG.test(output)) {
    return refused("too-young", `The password of ${name} was changed too recently: its minimum age has not passed.`);
  }
  if (stage === "before") return refused("not-changeable", beforehand(status, output, name));
  if (REUSED.test(output)) {
    return refused("reused", `The new password of ${name} has been used before, or is too similar to the current one.`);
  }
  if (stage === "asked-again" || RULES.test(output)) {
    return refused("password-rules", `The new password of ${name} breaks the system's password rules.`);
  }
  if (status !== null && status !== 0 && FAILED.test(output)) {
    return refused(
      "not-changeable",
      `${name} could not write the new password: the password database is locked or read-only.`,
    );
  }
  return unknown(
    status === null
      ? `The connection was lost after ${name} sent its new password. It is not known which password is active.`
      : `passwd did not confirm the new password of ${name} (exit status ${status}).`,
  );
}

function beforehand(status: number | null, output: string, name: string): string {
  if (status === 127) return `${name} has no passwd command.`;
  if (/not currently available|nologin|not available/i.test(output)) return NO_COMMANDS(name);
  return `passwd did not ask ${name} for a new password${status === null ? "" : ` (exit status ${status})`}.`;
}

const TOO_YOUNG = /must wait longer|too (soon|recently)|minimum (password )?age|cannot be changed yet/i;
const REUSED =
  /already (been )?used|used before|reuse|^password unchanged|not been changed|too similar|same as the old|is the same/im;
const RULES =
  /bad password|too (short|simple|easy)|dictionary|longer password|weak|palindrome|case changes|not enough|exhausted/i;
const FAILED = /manipulation error|lock|read-only|no space|permission denied/i;
