// Root works in folders of other users, and leaves files there that those could not read.
import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { CommandError } from "./command-error.ts";

/** Throws CommandError when we are somebody else than the owner of what exists at `path`. */
export function refuseUnlessOwner(path: string): void {
  const us = process.geteuid?.();
  const { uid } = statSync(path);
  if (us === undefined || us === uid) return;
  throw new CommandError(
    `${path} is another user's (uid ${uid}), and you are ${userInfo().username}: run this as that user.`,
  );
}
