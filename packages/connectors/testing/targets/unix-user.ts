// Throwaway Unix accounts of a test run (root only), in all the states in which an account can refuse its owner.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runTool } from "./server-process.ts";

export type UnixUserState = "active" | "locked" | "must-change" | "expired" | "nologin" | "no-password";

export interface UnixUser {
  username: string;
  password: string;
  /** The account's home directory; `/` when it has none. */
  home: string;
}

export interface UnixUserOptions {
  /** Gives the account its own home directory, which is deleted with the account. */
  hasHome?: boolean;
  /** The text after `NOPASSWD:` in the account's sudoers line, such as `/usr/sbin/chpasswd` or `ALL`. */
  sudo?: string;
}

/** The tools that create and delete accounts, by full path. */
export const ADMIN_TOOLS = ["useradd", "userdel", "usermod", "chpasswd"].map((name) => `/usr/sbin/${name}`);

const PREFIX = "srt";
const HOMES = "/home";
export const SUDOERS = "/etc/sudoers.d";

/** The name contains the process that made it, so that a later run can clean up after one that was killed. */
export async function addUnixUser(
  state: UnixUserState,
  { hasHome = false, sudo }: UnixUserOptions = {},
): Promise<UnixUser> {
  const username = `${PREFIX}_${process.pid.toString(36)}_${randomBytes(4).toString("hex")}`;
  const password = randomBytes(12).toString("base64url");
  const shell = state === "nologin" ? "/usr/sbin/nologin" : "/bin/sh";
  const home = hasHome ? join(HOMES, username) : "/";
  const homeArgs = hasHome ? ["--create-home"] : ["--no-create-home"];
  await runTool("/usr/sbin/useradd", [...homeArgs, "--home-dir", home, "--shell", shell, username]);
  if (sudo !== undefined) {
    writeFileSync(join(SUDOERS, username), `${username} ALL=(root) NOPASSWD: ${sudo}\n`, { mode: 0o440 });
  }
  const set = spawnSync("/usr/sbin/chpasswd", { input: `${username}:${password}\n` });
  if (set.status !== 0) throw new Error(`chpasswd failed: ${set.stderr.toString()}`);
  if (state === "locked") await runTool("/usr/sbin/usermod", ["--lock", username]);
  if (state === "must-change") await runTool("chage", ["--lastday", "0", username]);
  if (state === "no-password") await runTool("passwd", ["--delete", username]);
  if (state === "expired") await runTool("chage", ["--expiredate", "1970-01-02", username]);
  return { username, password, home };
}

export function removeUnixUser(username: string): void {
  const removed = spawnSync("/usr/sbin/userdel", ["--force", username]);
  removeTraces(username);
  if (removed.status !== 0) throw new Error(`userdel ${username} failed: ${removed.stderr.toString()}`);
}

/** Removes accounts whose test process has died. */
export function removeLeftoverUsers(): void {
  const names = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":")[0] ?? "");
  for (const name of names) {
    const pid = new RegExp(`^${PREFIX}_([0-9a-z]+)_[0-9a-f]{8}$`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number.parseInt(pid, 36))) {
      spawnSync("/usr/sbin/userdel", ["--force", name]);
      removeTraces(name);
    }
  }
}

function removeTraces(username: string): void {
  rmSync(join(SUDOERS, username), { force: true });
  rmSync(join(HOMES, username), { recursive: true, force: true });
}

/** Whether a process still runs. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
