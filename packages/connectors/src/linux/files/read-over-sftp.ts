// Reads files over SFTP, for hosts without a shell or without GNU find and tar. Slower: one request for each file.
import type { FileEntryWithStats, SFTPWrapper } from "ssh2";
import { inParallel, withinLimits, type FileSearch, type FoundFile } from "../../file-search.ts";
import { matcherOf } from "../../path-patterns.ts";
import type { Reading } from "./reading.ts";

/** Concurrent requests; more are not faster. */
const IN_FLIGHT = 16;
const MAX_DEPTH = 40;
/** As for `find`: a list of 200,000 files. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;

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
    const content = await contentOf(sftp, file.path, reading.search.maxFileSize);
    if (content === null) reading.unread.add(file.path);
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
  let listedBytes = 0;
  const isFull = () => files.length >= search.maxFiles || listedBytes > MAX_LIST_BYTES;
  let folders = [...search.roots];
  for (let depth = 0; folders.length > 0 && depth < MAX_DEPTH; depth += 1) {
    const next: string[] = [];
    await inParallel(folders, IN_FLIGHT, async (folder) => {
      if (isFull() || (await reading.isOver())) return;
      const take = (entry: FileEntryWithStats): boolean => {
        const path = `${folder === "/" ? "" : folder}/${entry.filename}`;
        listedBytes += path.length;
        if (!isName(entry.filename) || isSkipped(path)) return !isFull();
        if (entry.attrs.isDirectory()) next.push(path);
        else if (entry.attrs.isFile() && isWanted(path) && isSmall(entry, search)) files.push(fileOf(path, entry));
        return !isFull();
      };
      if (!(await readFolder(sftp, folder, take)) && depth > 0) reading.unread.add(folder);
    });
    folders = next;
  }
  if (isFull()) reading.limit ??= "files";
  return files.slice(0, search.maxFiles).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** A hostile server may send anything as the name of an entry. */
const isName = (name: string): boolean => name !== "." && name !== ".." && !/[\0/]/.test(name);

const isSmall = ({ attrs }: FileEntryWithStats, { maxFileSize }: FileSearch): boolean => attrs.size <= maxFileSize;

function fileOf(path: string, { attrs, longname }: FileEntryWithStats): FoundFile {
  const { size, uid, gid } = attrs;
  // A server may leave out any attribute.
  const mtime = Number.isFinite(attrs.mtime) ? attrs.mtime : 0;
  // `ls -l`: mode, links, owner, group.
  const [, , owner = String(uid), group = String(gid)] = longname.split(/\s+/);
  const mode = (attrs.mode & 0o7777).toString(8);
  const stamp = [size, mtime, mode, owner, group].join(" ");
  return { path, size, stamp, modifiedAt: new Date(mtime * 1000).toISOString(), mode, owner, group };
}

/** Gives the entries of a folder to `take` until it returns false. Resolves to false when the folder cannot be read. */
function readFolder(sftp: SFTPWrapper, folder: string, take: (entry: FileEntryWithStats) => boolean): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  sftp.opendir(folder, (error, handle) => {
    if (error !== undefined) {
      resolve(false);
      return;
    }
    const end = (isRead: boolean) => sftp.close(handle, () => resolve(isRead));
    const readMore = () =>
      sftp.readdir(handle, (failure, list) => {
        if (failure !== undefined) end((failure as { code?: unknown }).code === END_OF_FILE);
        else if (list.every(take)) readMore();
        else end(true);
      });
    readMore();
  });
  return promise;
}

const END_OF_FILE = 1;
const NO_SUCH_FILE = 2;

function isGone(sftp: SFTPWrapper, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    sftp.lstat(path, (error) => resolve((error as { code?: unknown } | undefined)?.code === NO_SUCH_FILE));
  });
}

const PIECE_BYTES = 64 * 1024;

/** Null when the file cannot be read, or is larger than `maxBytes`, whatever size the host announced. */
async function contentOf(sftp: SFTPWrapper, path: string, maxBytes: number): Promise<Buffer | null> {
  const handle = await new Promise<Buffer | null>((resolve) => {
    sftp.open(path, "r", (error, opened) => resolve(error === undefined ? opened : null));
  });
  if (handle === null) return null;
  const pieces: Buffer[] = [];
  let length = 0;
  let piece: Buffer | null;
  do {
    piece = await pieceAt(sftp, handle, length);
    if (piece !== null) pieces.push(piece);
    length += piece?.length ?? 0;
  } while (piece !== null && piece.length > 0 && length <= maxBytes);
  sftp.close(handle, () => {});
  return piece === null || length > maxBytes ? null : Buffer.concat(pieces);
}

/** Empty at the end of the file; null when it cannot be read. */
function pieceAt(sftp: SFTPWrapper, handle: Buffer, position: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    sftp.read(handle, Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, position, (error, bytes, data) =>
      resolve(error ? null : data.subarray(0, bytes)),
    );
  });
}
