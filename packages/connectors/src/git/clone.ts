// Clones one repository into a folder for the duration of a scan.
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Failure } from "../connector.ts";
import { misconfigured, unreachable } from "../finding.ts";
import { HEAD } from "./history.ts";
import { runGit, type GitFolder } from "./run-git.ts";
import type { GitProxy } from "./source.ts";

const FOLDERS = "strongroom-git-";

const OWN = new RegExp(`^${FOLDERS}(\\d+)-`);
/** The folders of this process. In a container, an earlier process often had the same id. */
const inUse = new Set<string>();

/** Calls `use` with a folder that only this user can read, and removes it. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `${FOLDERS}${process.pid}-`));
  inUse.add(folder);
  try {
    return await use(folder);
  } finally {
    // Processes that were killed may still write.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    inUse.delete(folder);
  }
}

/** Folders of processes that were killed: they contain files in clear text. */
async function removeAbandoned(): Promise<void> {
  const folder = tmpdir();
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const pid = Number(OWN.exec(name)?.[1]);
    if (Number.isNaN(pid) || inUse.has(path) || (pid !== process.pid && isRunning(pid))) continue;
    // Another user's folder stays.
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export interface CloneOptions {
  history: boolean;
  /** Bytes; larger contents are not sent. */
  maxFileSize: number;
}

/** Null when the clone is complete. `folder` names the proxy as its remote `origin`. */
export async function cloneInto(
  folder: GitFolder,
  proxy: GitProxy,
  repository: string,
  { history, maxFileSize }: CloneOptions,
): Promise<Failure | "bytes" | null> {
  await mkdir(folder.path, { mode: 0o700 });
  const made = await runGit(folder, ["init", "--quiet", "--bare", folder.path]);
  if (made.error !== null) return misconfigured("method-not-offered", NO_GIT);
  const options = [
    "--quiet",
    "--no-tags",
    "--no-auto-maintenance",
    "--no-write-fetch-head",
    `--filter=blob:limit=${maxFileSize + 1}`,
  ];
  const refs = [`+HEAD:${HEAD}`, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
  const fetch = (wanted: readonly string[]) =>
    runGit(folder, ["fetch", ...options, ...(history ? [] : ["--depth=1"]), "origin", ...wanted]);
  let fetched = await fetch(history ? refs : refs.slice(0, 1));
  // The default branch does not exist: the repository is empty, or it was renamed.
  if (/couldn't find remote ref HEAD/.test(fetched.text)) fetched = await fetch(history ? refs.slice(1) : []);
  const failure = proxy.takeFailure();
  // Later commands must not fetch the files that the filter left out.
  for (const section of ["remote.origin", "extensions"]) await runGit(folder, ["config", "--remove-section", section]);
  if (failure !== null) return failure;
  if (fetched.status === 0 || /couldn't find remote ref HEAD/.test(fetched.text)) return null;
  return fetchFailure(repository, fetched.text, folder.signal.aborted);
}

/** The failure of a fetch that the server answered, according to git's standard error. */
export function fetchFailure(repository: string, text: string, isAborted: boolean): Failure {
  if (isAborted) return unreachable("timeout", `There was not enough time to receive ${repository}.`);
  if (text.includes("No space left on device"))
    return unreachable(
      "not-ready",
      `The folder for temporary files of Strongroom's server has no room for ${repository}.`,
    );
  return misconfigured("protocol-error", `Git could not read what the server sent for ${repository}.`);
}

const NO_GIT = "The git program is missing on Strongroom's server. Install the package git, version 2.29 or newer.";
