// Writes a file on a Unix host over SSH atomically, and reads back its checksum.
import type { Secret } from "@strongroom/keys";
import { createHash, randomBytes } from "node:crypto";
import { attemptChange, type ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, ChangeResult, Target, VerifyContext } from "../connector.ts";
import { changed, misconfigured, refused, unknown, unsent } from "../finding.ts";
import { quoted, shell } from "./files/probe-host.ts";
import { runCommand } from "./run-command.ts";
import type { Session } from "./session.ts";

export interface FileToWrite {
  /** Absolute. */
  path: string;
  /** Octal digits. */
  mode: string;
  content: string;
  /** A systemd unit to reload afterwards. */
  reloadUnit: string | null;
}

/**
 * Logs in with the target's own secret. The content goes through the standard input, never through a command line; the
 * file replaces the old one only when it is complete. Repeating the call is harmless.
 */
export function writeFile(
  target: Target,
  secret: Secret,
  file: FileToWrite,
  context: VerifyContext,
): Promise<ChangeResult> {
  const login = secret.reveal();
  return attemptChange(context, (current) => write(target, login, file, current));
}

async function write(target: Target, login: string, file: FileToWrite, current: ChangeAttempt): Promise<ChangeFinding> {
  const { path, mode, content, reloadUnit } = file;
  if (!/^\/[^\0\n\r]+$/.test(path) || !/^0?[0-7]{3}$/.test(mode)) {
    return unsent(misconfigured("bad-input", "The path or mode of the file is invalid."));
  }
  // Loads ssh2 when the first file is written, to keep startup fast.
  const { openSession } = await import("./session.ts");
  const opened = await openSession(target, login, current);
  if ("failure" in opened) return unsent(opened.failure);
  const { session } = opened;
  current.waitFor(`${session.where} to write the file`);
  current.sending();
  const size = Buffer.byteLength(content, "utf8");
  const result = await runCommand(session.client, commandFor(path, mode, size), { input: content });
  if (result === null || result.status === null) {
    return unknown(`The connection was lost while ${path} on ${session.where} was written.`);
  }
  if (result.status !== 0) {
    return refused("no-permission", `${session.username} could not write ${path} on ${session.where}.`);
  }
  const sum = createHash("sha256").update(content, "utf8").digest("hex");
  if (!result.stdout.startsWith(sum))
    return refused("not-changeable", `${path} on ${session.where} differs from what was written.`);
  if (reloadUnit === null) return changed(`Wrote ${path} on ${session.where}.`);
  return reload(session, reloadUnit, path);
}

/**
 * INVARIANT: the content goes only into a new file. The owner of the folder may exchange its files for links at any moment, and
 * the login may be root: the file is created exclusively, under a name that nobody can guess, and then written through its
 * descriptor. Only a whole file replaces the old one.
 */
function commandFor(path: string, mode: string, size: number): string {
  const slash = path.lastIndexOf("/");
  const [folder, name] = [quoted(path.slice(0, slash + 1)), quoted(`./${path.slice(slash + 1)}`)];
  const fresh = `./.strongroom-${randomBytes(12).toString("hex")}`;
  return shell(`set -e; umask 077; cd -P -- ${folder}
trap 'rm -f -- ${fresh}' EXIT
set -C; exec 3> ${fresh}; set +C
cat >&3
[ "$(wc -c < ${fresh})" -eq ${size} ]
if [ -f /proc/self/fd/3 ]; then chmod ${mode} /proc/self/fd/3; else chmod ${mode} ${fresh}; fi
[ ! -d ${name} ]
mv -f -- ${fresh} ${name}
sha256sum < ${name}`);
}

async function reload(session: Session, unit: string, path: string): Promise<ChangeFinding> {
  if (!/^[\w@.:][\w@.:-]*$/.test(unit)) return refused("not-changeable", "This is not a valid unit name.");
  const command = `systemctl reload -- ${quoted(unit)} || sudo -n systemctl reload -- ${quoted(unit)}`;
  const result = await runCommand(session.client, command, {});
  if (result?.status === 0) return changed(`Wrote ${path} on ${session.where} and reloaded ${unit}.`);
  return refused("not-changeable", `Wrote ${path} on ${session.where}, but could not reload ${unit}.`);
}
