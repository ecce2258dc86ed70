// Reads what the next commit of a Git repository contains, and which of its lines are new.
import { execFile } from "node:child_process";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { CommandError } from "../command-error.ts";
import type { Source } from "./source.ts";
import type { WalkOptions } from "./walk.ts";

const run = promisify(execFile);

const SUBMODULE = "160000";
const NO_BLOB = /^0+$/;

/**
 * The staged files below `paths`. Findings on lines that the commit does not change are not its fault. Contents are
 * read by their ids, because names of files can have a meaning to git.
 */
export async function* staged(paths: readonly string[], options: WalkOptions): AsyncGenerator<Source> {
  const root = (await git(process.cwd(), ["rev-parse", "--show-toplevel"])).toString().replace(/\n$/, "");
  const wanted = paths.map((path) => relative(root, resolve(path)) || ".");
  const list = await git(root, [
    "diff",
    "--cached",
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-renames",
    "--no-relative",
    "--diff-filter=ACMRT",
    "--",
    ...wanted,
  ]);
  for (const { mode, before, after, name } of entriesOf(list.toString())) {
    const path = relative(process.cwd(), join(root, name));
    if (mode === SUBMODULE || options.isExcluded(path)) continue;
    const size = Number((await git(root, ["cat-file", "-s", after])).toString());
    if (size > options.maxSize) {
      yield { path, unread: "too large" };
      continue;
    }
    const content = new Uint8Array(await git(root, ["cat-file", "blob", after]));
    if (NO_BLOB.test(before)) yield { path, content };
    else yield { path, content, hasChanged: await changesBetween(root, before, after) };
  }
}

interface Entry {
  mode: string;
  before: string;
  after: string;
  name: string;
}

/** `:100644 100644 BEFORE AFTER M`, then the name, each ended by NUL. */
function entriesOf(list: string): Entry[] {
  const parts = list.split("\0");
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, index) => {
    const [, mode = "", before = "", after = ""] = parts[2 * index]!.split(" ");
    return { mode, before, after, name: parts[2 * index + 1]! };
  });
}

/**
 * Whether the commit changes one of the lines from `from` to `to`. INVARIANT: attributes and settings of the repository hide no
 * line and run no program.
 */
async function changesBetween(root: string, before: string, after: string) {
  const diff = await git(root, [
    "diff",
    "--unified=0",
    "--inter-hunk-context=0",
    "--text",
    "--no-textconv",
    "--no-ext-diff",
    "--no-color",
    before,
    after,
  ]);
  // `@@ -a,b +c,d @@`: lines c to c + d - 1 are new.
  const ranges = [...diff.toString("latin1").matchAll(/(?:^|\n)@@ -\S+ \+(\d+)(?:,(\d+))? @@/g)].map(
    ([, start, count]) => [Number(start), Number(start) + Number(count ?? 1)] as const,
  );
  return (from: number, to: number) => ranges.some(([start, end]) => to >= start && from < end);
}

/** Programs that git would run: to watch files, to fetch missing objects, and to show pages. */
const SAFELY = ["-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "--no-pager"];
const ENVIRONMENT = { GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0", GIT_LITERAL_PATHSPECS: "1" };

async function git(folder: string, words: readonly string[]): Promise<Buffer> {
  try {
    const { stdout } = await run("git", [...SAFELY, ...words], {
      cwd: folder,
      env: { ...process.env, ...ENVIRONMENT },
      encoding: "buffer",
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const message = isMissing ? "git is not installed." : "This is not a Git repository, or git failed.";
    throw new CommandError(message, { cause: error, status: 2 });
  }
}
