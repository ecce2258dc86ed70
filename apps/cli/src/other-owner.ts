// Root can work in other users' folders, but those users could not read files that root leaves there.
import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { CommandError } from "./command-error.ts";

/** Throws CommandError when the current user does not own what exists at `path`. */
export function refuseUnlessOwner(path: string): void {
  const us = process.geteuid?.();
  const { uid } = statSync(path);
  if (us === undefined || us === uid) return;
  throw new CommandError(
    `${path} belongs to another user (uid ${uid}), and you are ${userInfo().username}. Run this command as its owner.`,
  );
}
