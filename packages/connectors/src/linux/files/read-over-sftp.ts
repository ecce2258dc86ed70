// Reads files over SFTP, for hosts without a shell or without GNU find and tar. Slower: one request for each file.
import type { FileEntryWithStats, SFTPWrapper } from "ssh2";
import { inParallel, withinLimits, type FileSearch, type FoundFile } from "../../file-search.ts";
import { matcherOf } from "../../path-patterns.ts";
import type { Reading } from "./reading.ts";

/** Requests at the same time; more are no faster. */
const IN_FLIGHT = 16;
const MAX_DEPTH = 40;

/** Returns the known paths that no longer exist; null when the host offers no SFTP. */
export async function readOverSftp(reading: Reading): Promise<string[] | null> {
  const sftp = await openSftp(reading);
  if (sftp === null) return null;
  const files = await walk(sftp, reading);
  const gone: string[] = [];
  await inParallel(reading.search.known, IN_FLIGHT, async (path) => {
    if (await isGone(sftp, path)) gone.push(path);
  });
  const chosen = withinLimits(reading, await reading.reader.choose(files));
  await inParallel(chosen, IN_FLIGHT, async (file) => {
    if (await reading.isOver()) return;
    const content = await contentOf(sftp, file.path);
    if (content === null || content.length > reading.search.maxFileSize) reading.unread.add(file.path);
    else await reading.reader.read({ ...file, content, isOfPackage: false });
  });
  sftp.end();
  return gone;
}

function openSftp({ client }: Reading): Promise<SFTPWrapper | null> {
  const { promise, resolve } = Promise.withResolvers<SFTPWrapper | null>();
  client.once("close", () => resolve(null));
  try {
    client.sftp((error, sftp) => resolve(error === undefined ? sftp : null));
  } catch {
    resolve(null);
  }
  return promise;
}

async function walk(sftp: SFTPWrapper, reading: Reading): Promise<FoundFile[]> {
  const { search } = reading;
  const isSkipped = matcherOf(search.excludes);
  const isWanted = search.names.length === 0 ? () => true : matcherOf(search.names);
  const files: FoundFile[] = [];
  let folders = [...search.roots];
  for (let depth = 0; folders.length > 0 && depth < MAX_DEPTH; depth += 1) {
    const next: string[] = [];
    await inParallel(folders, IN_FLIGHT, async (folder) => {
      if (files.length >= search.maxFiles || (await reading.isOver())) return;
      const entries = await entriesOf(sftp, folder);
      if (entries === null) {
        if (depth > 0) reading.unread.add(folder);
        return;
      }
      for (const entry of entries) {
        const path = `${folder === "/" ? "" : folder}/${entry.filename}`;
        if (entry.filename === "." || entry.filename === ".." || isSkipped(path)) continue;
        if (entry.attrs.isDirectory()) next.push(path);
        else if (entry.attrs.isFile() && isWanted(path) && isSmall(entry, search)) files.push(fileOf(path, entry));
      }
    });
    folders = next;
  }
  if (files.length >= search.maxFiles) reading.limit ??= "files";
  return files.slice(0, search.maxFiles).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

const isSmall = ({ attrs }: FileEntryWithStats, { maxFileSize }: FileSearch): boolean => attrs.size <= maxFileSize;

function fileOf(path: string, { attrs, longname }: FileEntryWithStats): FoundFile {
  const { size, mtime, uid, gid } = attrs;
  // `ls -l`: mode, links, owner, group.
  const [, , owner = String(uid), group = String(gid)] = longname.split(/\s+/);
  const mode = (attrs.mode & 0o7777).toString(8);
  const stamp = [size, mtime, mode, owner, group].join(" ");
  return { path, size, stamp, modifiedAt: new Date(mtime * 1000).toISOString(), mode, owner, group };
}

function entriesOf(sftp: SFTPWrapper, folder: string): Promise<FileEntryWithStats[] | null> {
  return new Promise((resolve) => {
    sftp.readdir(folder, (error, list) => resolve(error === undefined ? list : null));
  });
}

const NO_SUCH_FILE = 2;

function isGone(sftp: SFTPWrapper, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    sftp.lstat(path, (error) => resolve((error as { code?: unknown } | undefined)?.code === NO_SUCH_FILE));
  });
}

function contentOf(sftp: SFTPWrapper, path: string): Promise<Buffer | null> {
  return new Promise((resolve) => {
    sftp.readFile(path, (error, content) => resolve(error === undefined ? content : null));
  });
}
