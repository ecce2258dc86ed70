// Changes a part of a file on a Unix host over SSH: reads it, edits it here, and replaces it atomically.
import type { Secret } from "@strongroom/keys";
import { createHash } from "node:crypto";
import type { Client } from "ssh2";
import { attemptChange, type ChangeAttempt } from "../../attempt.ts";
import type { ChangeFinding, ChangeResult, Target, VerifyContext } from "../../connector.ts";
import { changed, misconfigured, refused, unknown, unsent } from "../../finding.ts";
import { openChannel, textOf } from "./channel.ts";
import { quoted, shell } from "./probe-host.ts";

export interface FileEdit {
  /** Absolute. */
  path: string;
  /** The new content; a sentence when the content cannot be changed; null when it needs no change. */
  edit(content: Buffer): Buffer | string | null;
  /** Keep the previous content beside the file; default true. */
  keepsBackup?: boolean;
  /** What the edit writes; default "the new secret". */
  written?: string;
}

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * The file keeps its owner, mode and attributes, and its previous content stays beside it as `.strongroom-backup`, unless
 * `keepsBackup` is false. A file
 * that another program changed in the meantime is not replaced. Repeating the call is harmless.
 */
export function replaceInFile(
  target: Target,
  secret: Secret,
  file: FileEdit,
  context: VerifyContext,
): Promise<ChangeResult> {
  const login = secret.reveal();
  return attemptChange(context, (current) => replace(target, login, file, current));
}

async function replace(
  target: Target,
  login: string,
  { path, edit, keepsBackup = true, written: what = "the new secret" }: FileEdit,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  if (!path.startsWith("/") || path.includes("\0")) return unsent(misconfigured("bad-input", "The path is invalid."));
  const { openSession } = await import("../session.ts");
  const opened = await openSession(target, login, current, { maxReceivedBytes: 4 * MAX_BYTES });
  if ("failure" in opened) return unsent(opened.failure);
  const { client, where, username } = opened.session;
  current.waitFor(`${where} to send the file`);
  const before = await run(client, asRoot(`cat -- ${quoted(path)}`), null);
  if (before === null || before.status !== 0 || before.output.length > MAX_BYTES) {
    return refused("no-permission", `${username} could not read ${path} on ${where}.`);
  }
  const after = edit(before.output);
  if (after === null) return changed(`${path} on ${where} is up to date.`);
  if (typeof after === "string") return refused("not-changeable", after);
  current.waitFor(`${where} to write the file`);
  current.sending();
  const written = await run(client, asRoot(scriptFor(path, keepsBackup)), inputFor(before.output, after));
  if (written === null || written.status === null) {
    return unknown(`The connection was lost while ${path} on ${where} was written.`);
  }
  if (written.status === CHANGED_MEANWHILE) {
    return refused(
      "not-changeable",
      `Another program changed ${path} on ${where} at the same time. It is tried again.`,
    );
  }
  if (written.status !== 0) return refused("no-permission", `${username} could not write ${path} on ${where}.`);
  return changed(`Wrote ${what} into ${path} on ${where}.`);
}

const CHANGED_MEANWHILE = 9;

/** As root where sudo needs no password, because only root can keep another owner. */
const asRoot = (script: string): string =>
  shell(`LC_ALL=C; export LC_ALL
if [ "$(id -u)" != 0 ] && sudo -n true </dev/null 2>/dev/null; then exec sudo -n sh -c ${quoted(script)}; else exec sh -c ${quoted(script)}; fi`);

/**
 * INVARIANT: root writes to no file but new ones. The owner of the folder may exchange its files and itself for links at any
 * moment: the shell enters the folder once, creates each new file exclusively, and then uses only its descriptor.
 *
 * INVARIANT: checksums of the content are not arguments: other users can list them, and sudo logs them.
 */
function scriptFor(path: string, keepsBackup: boolean): string {
  // `cp -a` keeps owner, mode, times, access lists and labels; writing into the copy changes only its content.
  const copyTo = (name: string, descriptor: number) => `rm -f -- "${name}"
set -C; exec ${descriptor}> "${name}"; set +C
[ -f /proc/self/fd/${descriptor} ]
cp -aL -- /proc/self/fd/4 /proc/self/fd/${descriptor}`;
  return `set -e; umask 077
read -r before; read -r after
f=$(readlink -f -- ${quoted(path)})
cd -P -- "\${f%/*}/"
f=./\${f##*/}; n=$f.strongroom-new; b=$f.strongroom-backup
exec 4< "$f"
[ "$(sha256sum <&4)" = "$before  -" ] || exit ${CHANGED_MEANWHILE}
trap 'rm -f -- "$n"' EXIT
${copyTo("$n", 3)}
cat > /proc/self/fd/3
[ "$(sha256sum < /proc/self/fd/3)" = "$after  -" ]
${keepsBackup ? copyTo("$b", 5) : ":"}
[ "$(sha256sum < "$f")" = "$before  -" ] || exit ${CHANGED_MEANWHILE}
mv -fT -- "$n" "$f"`;
}

/** The checksums of the old and the new content on a line each, then the new content. */
const inputFor = (before: Buffer, after: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${sha256(before)}\n${sha256(after)}\n`), after]);

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

interface Run {
  status: number | null;
  output: Buffer;
}

async function run(client: Client, command: string, input: Buffer | null): Promise<Run | null> {
  const channel = await openChannel(client, command);
  if (channel === null) return null;
  const pieces: Buffer[] = [];
  let length = 0;
  let status: number | null = null;
  const { promise, resolve } = Promise.withResolvers<void>();
  channel.on("data", (piece: Buffer) => {
    length += piece.length;
    if (length <= MAX_BYTES + 1) pieces.push(piece);
  });
  void textOf(channel.stderr);
  channel.on("exit", (code: number | null) => (status = code));
  channel.on("close", () => resolve());
  channel.end(input ?? "");
  await promise;
  return { status, output: Buffer.concat(pieces) };
}
