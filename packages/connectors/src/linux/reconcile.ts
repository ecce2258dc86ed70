// Sets a Unix password with another account: chpasswd, as root or through sudo.
import type { Attempt, ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Failure, Finding, ReconcileLogin, Target } from "../connector.ts";
import { connectionFailure } from "../dial.ts";
import {
  changed,
  misconfigured,
  obstacleTo,
  refused,
  unknown,
  unsent,
  unsupported,
  verified,
  type NotChanged,
} from "../finding.ts";
import { looksLikePrivateKey, parseJsonSecret } from "../private-key/json-secret.ts";
import { candidateProblem } from "./change-password.ts";
import { runCommand, type CommandResult } from "./run-command.ts";
import { openSessionBy, type Session } from "./session.ts";

/** How a login runs commands as root. */
type WayToRoot = "root" | "sudo" | "sudo-with-password";

/** sudo's prompt, distinct so that no other output is mistaken for it. */
const QUESTION = "strongroom-asks-for-sudo:";

const KEYS = unsupported("An SSH key can only be changed by its own account; a reconcile account sets passwords.");

export async function reconcilePassword(
  target: Target,
  by: ReconcileLogin,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  if (looksLikePrivateKey(candidate) || parseJsonSecret(candidate) !== null) return unsent(KEYS);
  const problem = candidateProblem(candidate);
  if (problem !== null) return problem;
  const checked = await mayReconcile(target, by, current);
  if ("refusal" in checked) return checked.refusal;

  const { session, username, way } = checked;
  const name = `${username} on ${session.where}`;
  current.waitFor(`chpasswd on ${session.where} to answer`);
  current.sending();
  const result = await asRoot(session, way, "chpasswd", `${username}:${candidate}\n`);
  if (result === null || result.status === null) {
    return unknown(
      `The connection was lost while the password of ${name} was set. It is not known which password is active.`,
    );
  }
  if (result.status === 0) return changed(`Set the password of ${name}.`);
  if (/not found|does not exist|not known to the underlying/i.test(result.stderr)) {
    return refused("no-such-account", `There is no account ${name}.`);
  }
  return /bad password|too short|too simple|dictionary|reuse|already used/i.test(result.stderr)
    ? refused("password-rules", `The new password of ${name} breaks the system's password rules.`)
    : refused("not-changeable", `chpasswd did not set the password of ${name} (exit status ${result.status}).`);
}

export async function checkRight(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  if (target.type === "ssh") return KEYS;
  const checked = await mayReconcile(target, by, current);
  if (!("refusal" in checked)) {
    const { session, username } = checked;
    return verified(
      `Logged in to ${session.where} as ${by.username}, which has permission to set the password of ${username}.`,
    );
  }
  return obstacleTo(checked.refusal);
}

type Checked = { session: Session; username: string; way: WayToRoot } | { refusal: NotChanged };

/** Logs in as `by` and checks, without a change, whether it may set the password. */
async function mayReconcile(target: Target, by: ReconcileLogin, current: Attempt): Promise<Checked> {
  const { username } = target;
  if (!username || !isUserName(username)) {
    return { refusal: unsent(misconfigured("bad-input", "This is not a valid Unix user name.")) };
  }
  const opened = await openSessionBy(target, by, current);
  if ("failure" in opened) return { refusal: unsent(opened.failure) };
  const { session } = opened;
  current.waitFor(`${session.where} to report the permissions of ${by.username}`);
  const way = await wayToRoot(session);
  if ("failure" in way) return { refusal: unsent(way.failure) };
  if (way.found === null) return { refusal: refused("no-permission", missingRight(by, session)) };
  const passwd = await runCommand(session.client, `getent passwd -- '${username}'`, {});
  if (passwd?.status === 2)
    return { refusal: refused("no-such-account", `There is no account ${username} on ${session.where}.`) };
  // Works only where sudo also allows this command; elsewhere a locked account is not detected.
  const state = await asRoot(session, way.found, `passwd -S -- '${username}'`, "");
  if (state?.status === 0 && /^\S+ LK? /.test(state.stdout)) {
    const message = `${username} on ${session.where} is locked. Setting a password would unlock it, so nothing was changed.`;
    return { refusal: refused("not-changeable", message) };
  }
  return { session, username, way: way.found };
}

/**
 * The first way in which chpasswd runs as root. Without input chpasswd changes nothing, so its success proves that it
 * may run.
 */
async function wayToRoot(session: Session): Promise<{ found: WayToRoot | null } | { failure: Failure }> {
  const ways: WayToRoot[] = session.username === "root" ? ["root"] : ["sudo", "sudo-with-password"];
  for (const way of ways) {
    if (way === "sudo-with-password" && session.secret.kind !== "password") continue;
    const trial = await asRoot(session, way, "chpasswd", "");
    if (trial?.isLost === true) return { failure: connectionFailure(null, session.endpoint) };
    if (trial?.status === 0) return { found: way };
    if (trial === null || !wantsPassword(trial)) break;
  }
  return { found: null };
}

const missingRight = (by: ReconcileLogin, { where }: Session) =>
  `${by.username} has no permission to run chpasswd as root on ${where}: it is not root, and sudo does not allow it.`;

/** Names that useradd and directories allow, and that chpasswd, a shell or an option parser cannot misread. */
function isUserName(name: string): boolean {
  return /^[\p{L}\p{N}_.][\p{L}\p{N}_.@$+-]{0,255}$/u.test(name);
}

/**
 * `command` consists only of our own words; `input` is its standard input. Null when the host runs no commands.
 *
 * INVARIANT: the input leaves in one SSH packet, whole or not at all. chpasswd accepts a truncated line as complete,
 * and would set half of a password.
 */
function asRoot(
  { client, secret }: Session,
  way: WayToRoot,
  command: string,
  input: string,
): Promise<CommandResult | null> {
  if (way === "root") {
    return runCommand(client, `env LC_ALL=C PATH=/usr/sbin:/sbin:/usr/bin:/bin ${command}`, { input });
  }
  if (way === "sudo" || secret.kind !== "password") {
    return runCommand(client, `env LC_ALL=C sudo -n ${command}`, { input });
  }
  let isAnswered = false;
  return runCommand(client, `env LC_ALL=C sudo -k -S -p ${QUESTION} ${command}`, {
    talk: {
      onText: (text, { finish, giveUp }) => {
        if (!text.includes(QUESTION)) return;
        // A second prompt means a wrong password: do not send the rest of the input as a password.
        if (isAnswered) giveUp();
        else finish(`${secret.password}\n${input}`);
        isAnswered = true;
      },
    },
  });
}

/** True when sudo would allow the command, but requires a password. */
const wantsPassword = (result: CommandResult) => /a password is required|terminal is required/i.test(result.stderr);
