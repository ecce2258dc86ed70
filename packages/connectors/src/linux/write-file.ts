// Writes a file on a Unix host over SSH atomically, and reads back its checksum.
import type { Secret } from "@strongroom/keys";
import { createHash } from "node:crypto";
import { attemptChange, type ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, ChangeResult, Target, VerifyContext } from "../connector.ts";
import { changed, misconfigured, refused, unknown, unsent } from "../finding.ts";
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
  const result = await runCommand(session.client, commandFor(path, mode), { input: content });
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

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function commandFor(path: string, mode: string): string {
  const [there, beside] = [quoted(path), quoted(`${path}.strongroom`)];
  return `umask 077 && cat > ${beside} && chmod ${mode} ${beside} && mv -f -- ${beside} ${there} && sha256sum < ${there}`;
}

async function reload(session: Session, unit: string, path: string): Promise<ChangeFinding> {
  if (!/^[\w@.:][\w@.:-]*$/.test(unit)) return refused("not-changeable", "This is not a valid unit name.");
  const command = `systemctl reload -- ${quoted(unit)} || sudo -n systemctl reload -- ${quoted(unit)}`;
  const result = await runCommand(session.client, command, {});
  if (result?.status === 0) return changed(`Wrote ${path} on ${session.where} and reloaded ${unit}.`);
  return refused("not-changeable", `Wrote ${path} on ${session.where}, but could not reload ${unit}.`);
}
