// Sets a Unix password by another account: chpasswd, by root itself or through sudo without a password.
import type { Attempt, ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Finding, Login, Target } from "../connector.ts";
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
import { runCommand } from "./run-command.ts";
import { openSessionBy, type Session } from "./session.ts";

const KEYS = unsupported("SSH keys are changed by the account that has them; a reconcile account sets passwords only.");

export async function reconcilePassword(
  target: Target,
  by: Login,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  if (looksLikePrivateKey(candidate) || parseJsonSecret(candidate) !== null) return unsent(KEYS);
  const problem = candidateProblem(candidate);
  if (problem !== null) return problem;
  const checked = await mayReconcile(target, by, current);
  if ("refusal" in checked) return checked.refusal;

  const { session, username } = checked;
  const name = `${username} on ${session.where}`;
  current.waitFor(`chpasswd on ${session.where} to answer`);
  current.sending();
  const result = await asRoot(session, "chpasswd", `${username}:${candidate}\n`);
  if (result === null || result.status === null) {
    return unknown(
      `The connection was lost while the password of ${name} was set, before it was known whether it was.`,
    );
  }
  if (result.status === 0) return changed(`Set the password of ${name}.`);
  if (/not found|does not exist|not known to the underlying/i.test(result.stderr)) {
    return refused("no-such-account", `There is no account ${name}.`);
  }
  return /bad password|too short|too simple|dictionary|reuse|already used/i.test(result.stderr)
    ? refused("password-rules", `The rules for passwords of ${name} do not take the new one.`)
    : refused("not-changeable", `chpasswd did not set the password of ${name} (it ended with ${result.status}).`);
}

export async function checkRight(target: Target, by: Login, current: Attempt): Promise<Finding> {
  if (target.type === "ssh") return KEYS;
  const checked = await mayReconcile(target, by, current);
  if (!("refusal" in checked)) {
    const { session, username } = checked;
    return verified(`Logged in to ${session.where} as ${by.username}, who may set the password of ${username}.`);
  }
  return obstacleTo(checked.refusal);
}

type Checked = { session: Session; username: string } | { refusal: NotChanged };

/** Logs in as `by`, and finds out without changing anything whether that one may set the password. */
async function mayReconcile(target: Target, by: Login, current: Attempt): Promise<Checked> {
  const { username } = target;
  if (!username || !isUserName(username)) {
    return { refusal: unsent(misconfigured("bad-input", "This is not the name of a Unix account.")) };
  }
  const opened = await openSessionBy(target, by, current);
  if ("failure" in opened) return { refusal: unsent(opened.failure) };
  const { session } = opened;
  current.waitFor(`${session.where} to tell what ${by.username} may do`);
  // Without input chpasswd changes nothing: that it runs is the proof.
  const trial = await asRoot(session, "chpasswd", "");
  if (trial?.isLost === true) return { refusal: unsent(connectionFailure(null, session.endpoint)) };
  if (trial?.status !== 0)
    return { refusal: refused("no-permission", missingRight(by, session, trial?.status ?? null)) };
  const passwd = await runCommand(session.client, `getent passwd -- '${username}'`, {});
  if (passwd?.status === 2)
    return { refusal: refused("no-such-account", `There is no account ${username} on ${session.where}.`) };
  // Only where sudo allows this as well; elsewhere a locked account cannot be told.
  const state = await asRoot(session, `passwd -S -- '${username}'`, "");
  if (state?.status === 0 && /^\S+ LK? /.test(state.stdout)) {
    const message = `${username} on ${session.where} is locked. Setting a password would unlock it, so that was not done.`;
    return { refusal: refused("not-changeable", message) };
  }
  return { session, username };
}

const missingRight = (by: Login, { where }: Session, status: number | null) =>
  `${by.username} may not run chpasswd as root on ${where}${status === 127 ? ", or there is no sudo" : ""}. Either it is root, or sudo lets it without a password (NOPASSWD).`;

function asRoot(session: Session, command: string, input: string) {
  const prefix = session.username === "root" ? "PATH=/usr/sbin:/sbin:/usr/bin:/bin" : "sudo -n";
  return runCommand(session.client, `env LC_ALL=C ${prefix} ${command}`, { input });
}

/** What useradd and directories allow, and nothing that chpasswd, a shell or an option parser could take for something else. */
function isUserName(name: string): boolean {
  return /^[\p{L}\p{N}_.][\p{L}\p{N}_.@$+-]{0,255}$/u.test(name);
}
