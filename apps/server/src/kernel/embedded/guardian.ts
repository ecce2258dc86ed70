// The guardian of a database server: a small shell process that runs the server and stops it when no process uses it.
// Every Strongroom that uses the server keeps the writing end of a named pipe open, and the guardian waits for the end of that
// pipe. The kernel closes a writing end when its process ends for any reason, so the guardian needs neither process ids, which
// are reused, nor a heartbeat.
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, existsSync, lchownSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { StartError } from "#kernel/start-error.ts";
import type { Folders } from "./folders.ts";
import { endingWithParent } from "./server-user.ts";

/**
 * The guardian's script. Its arguments are the pipe's path and then the server's command. Descriptor 3 is the pipe's reading end.
 * SIGINT is PostgreSQL's fast shutdown. It is repeated, because a server that has just started ignores it. After 30 s, SIGQUIT
 * follows, which is the immediate shutdown; the next start then recovers without loss. Signals that are meant for Strongroom do
 * not end the guardian.
 */
const SCRIPT = `
users=$1; shift
"$@" 3<&- & server=$!
trap : HUP INT TERM
(
  read -r _ <&3
  exec 3<&-
  seconds=0
  while kill -INT "$server"; do
    sleep 1
    seconds=$((seconds + 1))
    [ "$seconds" -lt 30 ] || kill -QUIT "$server"
  done
) 2>/dev/null & watcher=$!
exec 3<&-
wait "$server"; status=$?
while kill -0 "$server" 2>/dev/null; do wait "$server"; status=$?; done
kill "$watcher" 2>/dev/null
rm -f "$users"
exit "$status"
`;

/** A custom setting of the server that names its pipe, so that another Strongroom finds the pipe of exactly this server. */
const SETTING = "strongroom.users";
const PIPE_NAME = /^users-[0-9a-f-]{36}$/;

/** This process's use of a server: the writing end of the server's pipe. */
export interface Membership {
  pipe: string;
  writer: number;
}

export interface NewPipe extends Membership {
  name: string;
  /** The reading end, for the guardian. The caller closes it after starting the guardian. */
  reader: number;
}

/** Creates the pipe of a new server, with this process as its first user. Throws `StartError`. */
export function createPipe({ socket, user }: Folders): NewPipe {
  removeAbandonedPipes(socket);
  const name = `users-${randomUUID()}`;
  const pipe = join(socket, name);
  try {
    execFileSync("mkfifo", ["-m", "600", pipe], { stdio: "ignore" });
  } catch (error) {
    throw new StartError(`The named pipe ${pipe} could not be created: check that "mkfifo" is installed.`, {
      cause: error,
    });
  }
  if (user.isDropped) lchownSync(pipe, user.uid, user.gid);
  // Opening one end waits for the other end; opening both does not.
  const both = openSync(pipe, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    return {
      pipe,
      name,
      reader: openSync(pipe, constants.O_RDONLY | constants.O_NOFOLLOW),
      writer: openSync(pipe, constants.O_WRONLY | constants.O_NOFOLLOW),
    };
  } finally {
    closeSync(both);
  }
}

/** The arguments of `sh` for the guardian of a server. The process's descriptor 3 must be the pipe's reading end. */
export function guardianArguments({ pipe, name }: NewPipe, program: string, args: readonly string[]): string[] {
  const server = endingWithParent(program, [...args, "-c", `${SETTING}=${name}`]);
  return ["-c", SCRIPT, "strongroom-guardian", pipe, ...server];
}

/** The path of the pipe of the server that answers on this connection; null for a server without a guardian. */
export async function pipeOf(client: pg.Client, { socket }: Folders): Promise<string | null> {
  const { rows } = await client.query<{ name: string | null }>(`select current_setting('${SETTING}', true) as name`);
  const name = rows[0]?.name ?? "";
  return PIPE_NAME.test(name) ? join(socket, name) : null;
}

/** Joins the users of a server. Returns null if the server's guardian has gone or is stopping it. */
export function joinUsers(pipe: string): Membership | null {
  try {
    return { pipe, writer: openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW) };
  } catch (error) {
    // No process reads from the pipe, or it was deleted, or it is a link, which we do not follow.
    if (["ENXIO", "ENOENT", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

export function leaveUsers({ writer }: Membership): void {
  closeSync(writer);
}

/** Whether the server has ended: its guardian then deletes the pipe. */
export function hasServerEnded({ pipe }: Membership): boolean {
  return !existsSync(pipe);
}

/** Deletes the pipes of killed guardians. */
function removeAbandonedPipes(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pipe = join(folder, name);
    const created = PIPE_NAME.test(name) ? statSync(pipe, { throwIfNoEntry: false })?.ctimeMs : undefined;
    // A new pipe may not have its reader yet.
    if (created === undefined || Date.now() - created < 60_000) continue;
    const user = joinUsers(pipe);
    if (user === null) rmSync(pipe, { force: true });
    else leaveUsers(user);
  }
}
