// Reads what the next commit of a Git repository contains, and which of its lines are new.
import { execFile } from "node:child_process";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { CommandError } from "../command-error.ts";
import type { Source } from "./source.ts";
import type { WalkOptions } from "./walk.ts";

const run = promisify(execFile);

/** The staged files below `paths`. Findings on lines that the commit does not change are not its fault. */
export async function* staged(paths: readonly string[], options: WalkOptions): AsyncGenerator<Source> {
  const root = (await git(process.cwd(), ["rev-parse", "--show-toplevel"])).toString().trim();
  const wanted = paths.map((path) => relative(root, resolve(path)) || ".");
  const list = await git(root, [
    "diff",
    "--cached",
    "--name-only",
    "-z",
    "--no-renames",
    "--diff-filter=ACMRT",
    "--",
    ...wanted,
  ]);
  for (const name of list
    .toString()
    .split("\0")
    .filter((each) => each !== "")) {
    const path = relative(process.cwd(), join(root, name));
    if (options.isExcluded(path)) continue;
    const size = Number((await git(root, ["cat-file", "-s", `:${name}`])).toString());
    if (size > options.maxSize) {
      yield { path, unread: "too large" };
      continue;
    }
    const content = new Uint8Array(await git(root, ["cat-file", "blob", `:${name}`]));
    const diff = await git(root, [
      "diff",
      "--cached",
      "--unified=0",
      "--no-color",
      "--no-ext-diff",
      "--no-renames",
      "--",
      name,
    ]);
    yield { path, content, isChanged: linesOf(diff.toString("latin1")) };
  }
}

/** `@@ -a,b +c,d @@`: lines c to c + d - 1 are new. */
function linesOf(diff: string): (line: number) => boolean {
  const ranges = [...diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].map(([, from, count]) => {
    return [Number(from), Number(from) + Number(count ?? 1)] as const;
  });
  return (line) => ranges.some(([from, to]) => line >= from && line < to);
}

async function git(folder: string, words: readonly string[]): Promise<Buffer> {
  try {
    const { stdout } = await run("git", [...words], { cwd: folder, encoding: "buffer", maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const message = isMissing ? "git is not installed." : "This is not a Git repository, or git failed.";
    throw new CommandError(message, { cause: error, status: 2 });
  }
}
