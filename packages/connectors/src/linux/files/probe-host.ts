// Finds out which tools a host has for reading its files, and whether they can run as root.
import type { Client } from "ssh2";
import { runCommand } from "../run-command.ts";

export interface HostTools {
  /** Text before `find` and `tar`: sudo and a low priority, where the host has them. */
  findPrefix: string;
  tarPrefix: string;
  isRoot: boolean;
  cores: number;
}

// A sudo rule may allow only one of the two programs. Nothing is written, and no password is ever asked for.
const PROBE = `LC_ALL=C; export LC_ALL; umask 077
f=; t=; u=$(id -u)
if [ "$u" != 0 ]; then
  sudo -n find --version >/dev/null 2>&1 && f=sudo
  sudo -n tar --version >/dev/null 2>&1 && t=sudo
fi
n=; command -v nice >/dev/null 2>&1 && n=nice
i=; command -v ionice >/dev/null 2>&1 && ionice -c3 true >/dev/null 2>&1 && i=ionice
find --version 2>/dev/null | grep -q 'GNU findutils' && tar --version 2>/dev/null | grep -q 'GNU tar' && g=gnu
c=$(grep -c '^processor' /proc/cpuinfo 2>/dev/null)
echo "tools:$g:$u:$f:$t:$n:$i:$c:"`;

/** `script` as one word of a command line, run by the host's `sh`, whatever the login shell is. */
export const shell = (script: string): string => `sh -c ${quoted(script)}`;

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Null when the host runs no commands, or has no GNU find and tar. */
export async function probeHost(client: Client): Promise<HostTools | null> {
  const result = await runCommand(client, "sh -s", { input: PROBE });
  const [, gnu, uid, find, tar, nice, ionice, cores] =
    /^tools:(gnu)?:(\d+):(sudo)?:(sudo)?:(nice)?:(ionice)?:(\d*):$/m.exec(result?.stdout ?? "") ?? [];
  if (gnu === undefined) return null;
  const low = `${ionice === undefined ? "" : "ionice -c3 "}${nice === undefined ? "" : "nice -n 19 "}`;
  return {
    findPrefix: `${low}${find === undefined ? "" : "sudo -n "}`,
    tarPrefix: `${low}${tar === undefined ? "" : "sudo -n "}`,
    isRoot: uid === "0" || (find !== undefined && tar !== undefined),
    cores: Math.max(1, Number(cores)),
  };
}
