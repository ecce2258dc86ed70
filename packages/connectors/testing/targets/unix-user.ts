// Throwaway Unix accounts of a test run (root only), in the states in which an account can refuse its owner.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { runTool } from "./server-process.ts";

export type UnixUserState = "active" | "locked" | "must-change" | "expired" | "nologin" | "no-password";

export interface UnixUser {
  username: string;
  password: string;
}

const PREFIX = "srt";

/** The name holds the process that made it, so that a later run can clear up after one that was killed. */
export async function addUnixUser(state: UnixUserState): Promise<UnixUser> {
  const username = `${PREFIX}_${process.pid.toString(36)}_${randomBytes(4).toString("hex")}`;
  const password = randomBytes(12).toString("base64url");
  const shell = state === "nologin" ? "/usr/sbin/nologin" : "/bin/sh";
  await runTool("/usr/sbin/useradd", ["--no-create-home", "--home-dir", "/", "--shell", shell, username]);
  const set = spawnSync("/usr/sbin/chpasswd", { input: `${username}:${password}\n` });
  if (set.status !== 0) throw new Error(`chpasswd failed: ${set.stderr.toString()}`);
  if (state === "locked") await runTool("/usr/sbin/usermod", ["--lock", username]);
  if (state === "must-change") await runTool("chage", ["--lastday", "0", username]);
  if (state === "no-password") await runTool("passwd", ["--delete", username]);
  if (state === "expired") await runTool("chage", ["--expiredate", "1970-01-02", username]);
  return { username, password };
}

export function removeUnixUser(username: string): void {
  const removed = spawnSync("/usr/sbin/userdel", ["--force", username]);
  if (removed.status !== 0) throw new Error(`userdel ${username} failed: ${removed.stderr.toString()}`);
}

/** Removes accounts whose test process has died. */
export function removeLeftoverUsers(): void {
  const names = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":")[0] ?? "");
  for (const name of names) {
    const pid = new RegExp(`^${PREFIX}_([0-9a-z]+)_[0-9a-f]{8}$`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number.parseInt(pid, 36))) spawnSync("/usr/sbin/userdel", ["--force", name]);
  }
}

/** Whether a process still runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
