// The key file: a root key as three lines of text, readable by its owner alone.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { SealError, type SealErrorCode } from "./errors.ts";
import { KEY_BYTES } from "./primitives.ts";
import { RootKey, rootKeyObject } from "./root-key.ts";

const FIRST_LINE = "strongroom-root-key-v1";
/** First line, root key id (32 hex digits), key (43 characters of base64url), each with a newline. */
const KEY_AT = FIRST_LINE.length + 1 + 32 + 1;
const FILE_BYTES = KEY_AT + 43 + 1;

/**
 * Writes `root` (a new one unless given) to a new file with mode 0600 and returns it. The file is written and synced
 * under a temporary name and linked into place, so the file is either complete or absent, and never replaces an
 * existing one. Throws SealError "key-file.exists" or "key-file.unwritable".
 */
export function createKeyFile(path: string, root: RootKey = RootKey.generate()): RootKey {
  const draft = `${path}.${randomBytes(6).toString("hex")}.draft`;
  try {
    try {
      writeDurably(draft, root);
      linkSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
    syncFolderOf(path);
  } catch (error) {
    throw keyFileError(path, error, "key-file.unwritable");
  }
  return root;
}

/**
 * Reads a key file. Throws SealError with a distinct code for each of: missing, unreadable, not a regular
 * file, readable by group or others, owned by another user (unless this process runs as root), truncated,
 * malformed.
 */
export function readKeyFile(path: string): RootKey {
  const text = readGuarded(path);
  try {
    if (text.length < FILE_BYTES) throw keyFileRefusal("key-file.truncated", path);
    const bytes = Buffer.from(text.toString("latin1", KEY_AT, FILE_BYTES - 1), "base64url");
    if (bytes.length !== KEY_BYTES) throw keyFileRefusal("key-file.malformed", path);
    const root = RootKey.fromBytes(bytes);
    bytes.fill(0);
    // The id doubles as a checksum: a key with a flipped bit must not pass for a different root key.
    if (!render(root).equals(text)) throw keyFileRefusal("key-file.malformed", path);
    return root;
  } finally {
    text.fill(0);
  }
}

/** Makes a created, renamed or deleted directory entry durable. Windows has no such call and needs none. */
export function syncFolderOf(path: string): void {
  if (process.platform === "win32") return;
  const slash = path.lastIndexOf("/");
  const folder = openSync(slash === -1 ? "." : path.slice(0, slash + 1), constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Turns an operating system error into a SealError; a SealError is returned unchanged. `otherwise` is the code
 * when no other fits.
 */
export function keyFileError(path: string, error: unknown, otherwise: SealErrorCode & `key-file.${string}`): SealError {
  if (error instanceof SealError) return error;
  if (isSystemError(error, "EEXIST")) return keyFileRefusal("key-file.exists", path, error);
  if (isSystemError(error, "ENOENT") && otherwise === "key-file.unreadable") {
    return keyFileRefusal("key-file.missing", path, error);
  }
  return keyFileRefusal(otherwise, path, error);
}

export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

export function keyFileRefusal(code: SealErrorCode & `key-file.${string}`, path: string, cause?: unknown): SealError {
  return new SealError(code, sentences[code](path), cause === undefined ? undefined : { cause });
}

const sentences = {
  "key-file.missing": (path) =>
    `The key file ${path} is missing. Restore it from your copy: without it, no secret can be decrypted.`,
  "key-file.exists": (path) => `The key file ${path} already exists. To create a new one, move it first.`,
  "key-file.readable-by-others": (path) => `Other users can read the key file ${path}. Run chmod 600 on it.`,
  "key-file.other-owner": (path) =>
    `The key file ${path} belongs to another user. Run chown on it, or start as that user.`,
  "key-file.not-a-file": (path) => `${path} is not a regular file. Use the path of the key file itself.`,
  "key-file.truncated": (path) => `The key file ${path} is truncated. Restore it from your copy.`,
  "key-file.malformed": (path) => `The key file ${path} is damaged or not a key file. Restore it from your copy.`,
  "key-file.unreadable": (path) => `The key file ${path} cannot be read. Check its owner, mode and folder.`,
  "key-file.unwritable": (path) =>
    `The key file ${path} cannot be written. Check its folder's owner, mode and free space.`,
  "key-file.other-root-key": (path) =>
    `The key file ${path} belongs to another database. Use the one created for this database.`,
} satisfies Record<SealErrorCode & `key-file.${string}`, (path: string) => string>;

function render(root: RootKey): Buffer {
  const bytes = rootKeyObject(root).export();
  const text = Buffer.from(`${FIRST_LINE}\n${root.id}\n${bytes.toString("base64url")}\n`, "latin1");
  bytes.fill(0);
  return text;
}

function writeDurably(path: string, root: RootKey): void {
  const text = render(root);
  const file = openSync(path, "wx", 0o600);
  try {
    fchmodSync(file, 0o600);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
    text.fill(0);
  }
}

/** Checks and reads the file through one descriptor, so that it cannot be swapped in between. */
function readGuarded(path: string): Buffer {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait forever for a writer.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const { mode, uid } = fstatSync(file);
      if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw keyFileRefusal("key-file.not-a-file", path);
      refuseUnlessOurs(path, mode, uid);
      const buffer = Buffer.alloc(FILE_BYTES + 1);
      const length = readSync(file, buffer, 0, buffer.length, 0);
      return buffer.subarray(0, length);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw keyFileError(path, error, "key-file.unreadable");
  }
}

/** On Windows, where files have no such mode and owner, the folder's access list protects the file. */
function refuseUnlessOurs(path: string, mode: number, owner: number): void {
  const us = process.geteuid?.();
  if (us === undefined) return;
  if (us !== 0 && owner !== us) throw keyFileRefusal("key-file.other-owner", path);
  if ((mode & 0o077) !== 0) throw keyFileRefusal("key-file.readable-by-others", path);
}
