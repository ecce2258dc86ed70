// Describes the file operations in an SFTP stream (version 3, draft-ietf-secsh-filexfer-02) that passes through unchanged.
import { TrafficError, type TrafficLog } from "#gateway/core/ports.ts";

export interface FileOperation {
  /** For example `upload`, `remove`; `extension` for one that this log does not know, with its name as the path. */
  action: string;
  /** As the target sees it, with control characters and invalid UTF-8 escaped. */
  path: string;
  /** The new path of a rename or link. */
  to?: string;
  /** Transferred bytes, once the file is closed or the session has ended. */
  bytes?: number;
  /** The status code of a refusal. */
  failure?: number;
}

interface Request {
  kind: "open" | "close" | "other";
  /** Null: the log does not name this request. */
  operation: FileOperation | null;
}

interface OpenFile {
  path: string;
  read: number;
  written: number;
}

/** OpenSSH accepts no larger packet. */
const LARGEST_PACKET = 256 * 1024;
/** The number of bytes kept of a packet: enough for paths, not for the content of files. */
const KEPT_BYTES = 16 * 1024;
/** For a packet with file content: enough for its id and handle. */
const KEPT_OF_CONTENT = 512;
const LONGEST_PATH = 4096;
const MOST_REQUESTS = 10_000;
const MOST_HANDLES = 2000;

const [INIT, OPEN, CLOSE, READ, WRITE, SETSTAT, FSETSTAT, OPENDIR] = [1, 3, 4, 5, 6, 9, 10, 11];
const [REMOVE, MKDIR, RMDIR, RENAME, SYMLINK, EXTENDED] = [13, 14, 15, 18, 20, 200];
const [VERSION, STATUS, HANDLE, DATA] = [2, 101, 102, 103];
const ONE_PATH: Readonly<Record<number, string>> = {
  [SETSTAT]: "change attributes of",
  [OPENDIR]: "list",
  [REMOVE]: "remove",
  [MKDIR]: "make folder",
  [RMDIR]: "remove folder",
};
/** Extensions that change files, with the number of their paths. */
const EXTENSIONS: Readonly<Record<string, { action: string; paths: 1 | 2 }>> = {
  "posix-rename@openssh.com": { action: "rename", paths: 2 },
  "hardlink@openssh.com": { action: "link", paths: 2 },
  "lsetstat@openssh.com": { action: "change attributes of", paths: 1 },
};
/** Extensions that change no file and read no content. Any other is named in the log. */
const HARMLESS_EXTENSIONS: ReadonlySet<string> = new Set([
  "expand-path@openssh.com",
  "fstatvfs@openssh.com",
  "fsync@openssh.com",
  "home-directory",
  "limits@openssh.com",
  "statvfs@openssh.com",
  "users-groups-by-id@openssh.com",
]);
/** In later versions, packets have other meanings. */
const LATEST_VERSION = 3;

/**
 * INVARIANT: an operation is described before it reaches the target, and its result before the user learns it. Both
 * functions throw `TrafficError` for a stream that they cannot follow, which ends the session.
 */
export function createSftpLog(onOperation: (operation: FileOperation) => void): TrafficLog {
  const requests = new Map<number, Request>();
  const files = new Map<string, OpenFile>();
  const fromUser = createSplitter();
  const fromTarget = createSplitter();

  function tell(operation: FileOperation): string[] {
    onOperation(operation);
    return [inWords(operation)];
  }

  function request({ type, body }: Packet): string[] {
    if (type === INIT) return [];
    const read = reader(body);
    const id = read.number();
    // INVARIANT: an answer belongs to one request, so no request can take the answer of another one.
    if (requests.has(id)) throw new TrafficError("The SFTP session was ended: two pending requests have the same ID.");
    if (requests.size >= MOST_REQUESTS)
      throw new TrafficError("The SFTP session was ended: too many requests wait for answers.");
    if (type === OPEN) {
      const path = read.text();
      const operation = { action: openedFor(read.number()), path };
      requests.set(id, { kind: "open", operation });
      return tell(operation);
    }
    if (type === CLOSE) {
      requests.set(id, { kind: "close", operation: null });
      return closed(read.bytes().toString("latin1"));
    }
    if (type === WRITE) {
      const file = files.get(read.bytes().toString("latin1"));
      read.skip(8);
      if (file !== undefined) file.written += read.number();
    }
    const operation = type === READ ? readOf(read.bytes()) : changeOf(type, read);
    requests.set(id, { kind: "other", operation });
    return operation === null || type === READ ? [] : tell(operation);
  }

  /** A read is only counted; its request names the file that the data belongs to. */
  const readOf = (handle: Buffer): FileOperation => ({ action: "read", path: handle.toString("latin1") });

  function changeOf(type: number, read: Reader): FileOperation | null {
    const action = ONE_PATH[type];
    if (action !== undefined) return { action, path: read.text() };
    if (type === FSETSTAT) {
      const path = files.get(read.bytes().toString("latin1"))?.path ?? "an unknown file";
      return { action: "change attributes of", path };
    }
    if (type === RENAME) return { action: "rename", path: read.text(), to: read.text() };
    // OpenSSH sends the target of the link first.
    if (type === SYMLINK) return { action: "link", path: read.text(), to: read.text() };
    if (type !== EXTENDED) return null;
    const name = read.text();
    if (HARMLESS_EXTENSIONS.has(name)) return null;
    const known = EXTENSIONS[name];
    if (known === undefined) return { action: "extension", path: name };
    const path = read.text();
    return { action: known.action, path, ...(known.paths === 2 ? { to: read.text() } : {}) };
  }

  function reply({ type, body, length }: Packet): string[] {
    const read = reader(body);
    if (type === VERSION) {
      if (read.number() <= LATEST_VERSION) return [];
      throw new TrafficError("The SFTP session was ended: client and target use a later version than 3.");
    }
    const id = read.number();
    const asked = requests.get(id);
    requests.delete(id);
    if (asked === undefined || asked.operation === null) return [];
    if (type === DATA && asked.operation.action === "read") {
      const file = files.get(asked.operation.path);
      // After the type: the id and the length of the data.
      if (file !== undefined) file.read += length - 9;
      return [];
    }
    if (type === HANDLE && asked.kind === "open") {
      if (files.size >= MOST_HANDLES) throw new TrafficError("The SFTP session was ended: too many files are open.");
      files.set(read.bytes().toString("latin1"), { path: asked.operation.path, read: 0, written: 0 });
      return [];
    }
    const failure = type === STATUS ? read.number() : 0;
    return failure === 0 || asked.operation.action === "read" ? [] : tell({ ...asked.operation, failure });
  }

  function closed(handle: string): string[] {
    const file = files.get(handle);
    files.delete(handle);
    if (file === undefined) return [];
    const { path, read, written } = file;
    const uploaded = written > 0 ? tell({ action: "uploaded", path, bytes: written }) : [];
    if (read === 0 && written > 0) return uploaded;
    return [...uploaded, ...tell({ action: "downloaded", path, bytes: read })];
  }

  return {
    input: (bytes) => fromUser(bytes).flatMap(request),
    output: (bytes) => fromTarget(bytes).flatMap(reply),
    end: () => [...files.keys()].flatMap((handle) => closed(handle)).map((line) => `${line}, not closed`),
  };
}

/** The flags of an open request that change a file: write, append, create, truncate. */
const CHANGING = 0x02 | 0x04 | 0x08 | 0x10;

const openedFor = (flags: number): string => ((flags & CHANGING) === 0 ? "download" : "upload");

function inWords({ action, path, to, bytes, failure }: FileOperation): string {
  const what = `${action} ${path}${to === undefined ? "" : ` to ${to}`}`;
  if (failure !== undefined) return `${what}: refused (status ${failure})`;
  return bytes === undefined ? what : `${what} (${bytes} bytes)`;
}

interface Packet {
  type: number;
  /** The packet's body after the type, up to `KEPT_BYTES` or `KEPT_OF_CONTENT`. */
  body: Buffer;
  /** Of the whole packet, with its type. */
  length: number;
}

/** Splits a stream into packets and skips the content of files. */
function createSplitter(): (bytes: Buffer) => Packet[] {
  let header = Buffer.alloc(0);
  let length = 0;
  let seen = 0;
  let kept: Buffer[] = [];
  let keptBytes = 0;

  return (bytes) => {
    const packets: Packet[] = [];
    let rest = bytes;
    while (rest.length > 0) {
      if (header.length < 4) {
        const more = rest.subarray(0, 4 - header.length);
        header = Buffer.concat([header, more]);
        rest = rest.subarray(more.length);
        if (header.length < 4) break;
        length = header.readUInt32BE(0);
        if (length < 1 || length > LARGEST_PACKET)
          throw new TrafficError("The SFTP session was ended: a packet has an impossible length.");
        continue;
      }
      const part = rest.subarray(0, length - seen);
      rest = rest.subarray(part.length);
      seen += part.length;
      const type = kept[0]?.[0] ?? part[0];
      const limit = type === DATA || type === WRITE ? KEPT_OF_CONTENT : KEPT_BYTES;
      const wanted = part.subarray(0, Math.max(0, limit - keptBytes));
      // A copy: the part belongs to a larger packet of the connection.
      if (wanted.length > 0) kept.push(Buffer.from(wanted));
      keptBytes += wanted.length;
      if (seen < length) continue;
      const [first] = kept;
      const whole = kept.length === 1 && first !== undefined ? first : Buffer.concat(kept);
      packets.push({ type: whole[0] ?? 0, body: whole.subarray(1), length });
      header = Buffer.alloc(0);
      [seen, kept, keptBytes] = [0, [], 0];
    }
    return packets;
  };
}

interface Reader {
  number(): number;
  bytes(): Buffer;
  /** A path, escaped for display. */
  text(): string;
  skip(count: number): void;
}

function reader(body: Buffer): Reader {
  let at = 0;
  const number = (): number => {
    if (at + 4 > body.length) throw new TrafficError("The SFTP session was ended: a packet is too short.");
    at += 4;
    return body.readUInt32BE(at - 4);
  };
  const bytes = (): Buffer => {
    const length = number();
    if (at + length > body.length)
      throw new TrafficError("The SFTP session was ended: a packet is too short, or a name is too long.");
    at += length;
    return body.subarray(at - length, at);
  };
  return {
    number,
    bytes,
    skip: (count) => void (at += count),
    text() {
      const path = bytes();
      if (path.length > LONGEST_PATH) throw new TrafficError("The SFTP session was ended: a path is too long.");
      return shown(path);
    },
  };
}

/** INVARIANT: a path can neither control a terminal that shows it nor look like another path. */
function shown(path: Buffer): string {
  const text = path.toString("utf8");
  const isText = Buffer.from(text).equals(path);
  const source = isText ? text : path.toString("latin1");
  const unsafe = isText ? /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/gu : /[^\x20-\x5b\x5d-\x7e]/g;
  return source.replace(unsafe, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}
