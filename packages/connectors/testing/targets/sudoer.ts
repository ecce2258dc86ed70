// Lets a throwaway Unix account run one command as root by sudo, with its own password (root only).
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, type UnixUser } from "./unix-user.ts";

const FOLDER = "/etc/sudoers.d";

/** `command` as sudoers writes it: a full path and what may follow. `remove` takes the right away. */
export function allowBySudo({ username }: UnixUser, command: string): { remove: () => void } {
  for (const name of readdirSync(FOLDER)) {
    const pid = /^srt_([0-9a-z]+)_[0-9a-f]{8}$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number.parseInt(pid, 36))) rmSync(join(FOLDER, name), { force: true });
  }
  const file = join(FOLDER, username);
  writeFileSync(file, `${username} ALL=(root) ${command}\n`, { mode: 0o440 });
  return { remove: () => rmSync(file, { force: true }) };
}
