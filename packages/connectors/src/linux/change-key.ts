// Changes an SSH key as its owner: adds the new key beside the old one, and removes the old one once the new one is
// verified.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Failure, Target } from "../connector.ts";
import { changed, misconfigured, refused, unknown, unsent } from "../finding.ts";
import {
  addCommand,
  NOT_THERE,
  NOT_WRITTEN,
  publicKeyOf,
  removeCommand,
  SCRIPT,
  type PublicKey,
} from "./authorized-keys.ts";
import { loginSecret } from "./login-secret.ts";
import { runCommand } from "./run-command.ts";
import { openSession } from "./session.ts";

/** Adds the public half of `candidate` beside that of `value`. */
export async function changeKey(
  target: Target,
  value: string,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const [old, added] = [await keyIn(value, current), await keyIn(candidate, current)];
  if ("failure" in old) return unsent(old.failure);
  if ("failure" in added) return unsent(added.failure);
  return edit(target, value, addCommand(old, added), current);
}

/** Removes the public half of `retired`; `value` logs in and stays. */
export async function retireKey(
  target: Target,
  value: string,
  retired: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const [used, removed] = [await keyIn(value, current), await keyIn(retired, current)];
  if ("failure" in used) return unsent(used.failure);
  if ("failure" in removed) return unsent(removed.failure);
  // INVARIANT: the key that logs in is never removed.
  if (used.blob === removed.blob)
    return refused("not-changeable", "The key to retire is in use, so it was not removed.");
  return edit(target, value, removeCommand(removed), current);
}

async function edit(target: Target, value: string, command: string, current: ChangeAttempt): Promise<ChangeFinding> {
  const opened = await openSession(target, value, current);
  if ("failure" in opened) return unsent(opened.failure);
  const { client, where, username } = opened.session;
  const name = `${username} on ${where}`;
  current.waitFor(`${where} to write the authorized keys`);
  current.sending();
  const result = await runCommand(client, command, { input: SCRIPT });
  if (result === null) return refused("not-changeable", `${name} cannot run commands, so its keys cannot be changed.`);
  const { status, stderr } = result;
  switch (status) {
    case 0:
      return changed(`Updated the authorized keys of ${name}.`);
    case NOT_THERE:
      return refused(
        "not-changeable",
        `The current key of ${name} is not in its own authorized_keys: the server reads it from another place.`,
      );
    case NOT_WRITTEN:
      return refused(
        "not-changeable",
        `${name} has no permission to write its own authorized_keys, or the disk is full.`,
      );
    case null:
      return unknown(`The connection was lost while ${name} wrote its authorized keys.`);
    default:
      return /password (change required|.{0,20}expired)/i.test(stderr)
        ? refused("not-changeable", `The password of ${name} has expired: it must be changed before commands can run.`)
        : refused("not-changeable", `The commands that change the keys of ${name} failed (status ${status}).`);
  }
}

async function keyIn(value: string, { signal }: ChangeAttempt): Promise<PublicKey | { failure: Failure }> {
  const secret = await loginSecret(value, true, signal);
  if ("failure" in secret) return secret;
  return secret.kind === "key"
    ? publicKeyOf(secret.key)
    : { failure: misconfigured("bad-input", "This is not a private key.") };
}
