// Reads the arguments and the environments of a host's running processes, in one command.
import { randomBytes } from "node:crypto";
import type { Client } from "ssh2";
import type { ReadProcess } from "../../file-search.ts";
import { runCommand } from "../run-command.ts";

const MAX_PROCESSES = 5_000;
const MAX_PART_BYTES = 64 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;

/** As root where the login is root or sudo needs no password: other environments are readable only for root. */
const COMMAND = `sh -c 'if [ "$(id -u)" != 0 ] && sudo -n true </dev/null >/dev/null 2>&1; then exec sudo -n sh -s; else exec sh -s; fi'`;

/**
 * `mark` separates the parts: no process can know it, so none can forge a part of another. The shell of the script and
 * its children are left out, and so are threads of the kernel, which have no arguments.
 */
const scriptOf = (mark: string): string => String.raw`
main() {
  LC_ALL=C; export LC_ALL
  count=0
  for folder in /proc/[0-9]*; do
    [ "$folder" = "/proc/$$" ] && continue
    count=$((count + 1)); [ "$count" -gt ${MAX_PROCESSES} ] && break
    [ -n "$(head -c 1 "$folder/cmdline" 2>/dev/null | tr '\0' ' ')" ] || continue
    printf '${mark}P%s\0' "$(stat -c %U "$folder" 2>/dev/null)"
    head -c 64 "$folder/comm" 2>/dev/null
    printf '\0${mark}A'; head -c ${MAX_PART_BYTES} "$folder/cmdline" 2>/dev/null
    if [ -r "$folder/environ" ]; then printf '\0${mark}E'; head -c ${MAX_PART_BYTES} "$folder/environ" 2>/dev/null; fi
  done
  printf '${mark}Z'
}
main
`;

/** Null when the host runs no commands. */
export async function readProcesses(client: Client): Promise<{ processes: ReadProcess[]; isComplete: boolean } | null> {
  // A letter first, because digits after `\0` would belong to the escape sequence.
  const mark = `M${randomBytes(16).toString("hex")}`;
  const result = await runCommand(client, COMMAND, { input: scriptOf(mark), maxBytes: MAX_BYTES });
  if (result === null) return null;
  const [output = "", end] = result.stdout.split(`${mark}Z`);
  const processes = output
    .split(`${mark}P`)
    .slice(1)
    .flatMap((text) => processIn(text, mark));
  return { processes, isComplete: end !== undefined && processes.length < MAX_PROCESSES };
}

function processIn(text: string, mark: string): ReadProcess[] {
  const [head = "", rest = ""] = text.split(`\0${mark}A`);
  const [user = "", name = ""] = head.split("\0");
  const [args = "", environment = ""] = rest.split(`\0${mark}E`);
  const process = { user, name: name.trim(), args: partsOf(args), environment: partsOf(environment) };
  return process.args.length === 0 ? [] : [process];
}

const partsOf = (text: string): string[] => text.split("\0").filter((part) => part !== "");
