// An SFTP client over the WebSocket of a session: lists folders, downloads and uploads files.
import {
  OPEN,
  REPLY,
  REQUEST,
  STATUS,
  createPacketSplitter,
  packetOf,
  type FileEntry,
  type Packet,
} from "./sftp-packets.ts";

/** Every server accepts packets of this size. */
const CHUNK_BYTES = 32 * 1024;
/** Requests of one transfer that wait for answers. */
const TOGETHER = 16;
const VERSION = 3;

class SftpError extends Error {}

export interface SftpOptions {
  url: string;
  /** Can be redeemed only once. */
  ticket: string;
  /** Called once, when the session has ended. */
  onEnd: (detail: string) => void;
}

interface Transfer {
  onProgress: (bytes: number) => void;
  signal: AbortSignal;
}

type Waiting = { resolve: (packet: Packet) => void; reject: (error: Error) => void };

export class SftpClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #split = createPacketSplitter();
  readonly #onEnd: (detail: string) => void;
  readonly #begun = Promise.withResolvers<void>();
  #next = 1;
  #isOver = false;

  constructor({ url, ticket, onEnd }: SftpOptions) {
    this.#onEnd = onEnd;
    this.#begun.promise.catch(() => undefined);
    this.#socket = new WebSocket(url);
    this.#socket.binaryType = "arraybuffer";
    const first = { t: "ticket", ticket, program: "sftp", cols: 80, rows: 24 };
    this.#socket.addEventListener("open", () => this.#socket.send(JSON.stringify(first)));
    this.#socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === "string") this.#take(data);
      else this.#receive(new Uint8Array(data));
    });
    this.#socket.addEventListener("close", () => this.#end("The connection was lost."));
  }

  /** Resolves when files can be listed. */
  get ready(): Promise<void> {
    return this.#begun.promise;
  }

  close(): void {
    this.#isOver = true;
    this.#socket.close();
  }

  /** The absolute path; of `.`, the home folder. */
  async realPath(path: string): Promise<string> {
    const { reader } = await this.#ask(REPLY.name, REQUEST.realPath, path);
    return reader.names()[0]?.name ?? path;
  }

  /** Folders first, without `.` and `..`. A link counts as what it points to. */
  async list(path: string): Promise<FileEntry[]> {
    const handle = await this.#open(REQUEST.openDir, path);
    const found: FileEntry[] = [];
    try {
      for (;;) {
        const packet = await this.#ask(REPLY.name, REQUEST.readDir, handle).catch(nullAtEnd);
        if (packet === null) break;
        found.push(...packet.reader.names());
      }
    } finally {
      await this.#close(handle);
    }
    const kept = found.filter(({ name }) => name !== "." && name !== "..");
    const entries = await Promise.all(kept.map((entry) => this.#follow(path, entry)));
    const rank = ({ kind }: FileEntry) => (kind === "folder" ? 0 : 1);
    return entries.toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
  }

  async download(path: string, { onProgress, signal }: Transfer): Promise<Blob> {
    const handle = await this.#open(REQUEST.open, path, OPEN.read, 0);
    const parts = new Map<number, Uint8Array<ArrayBuffer>>();
    let [next, end, done] = [0, Infinity, 0];
    const readSome = async (): Promise<void> => {
      while (next < end) {
        signal.throwIfAborted();
        const from = next;
        next += CHUNK_BYTES;
        let read = 0;
        while (read < CHUNK_BYTES && from + read < end) {
          const bytes = await this.#read(handle, from + read, CHUNK_BYTES - read);
          if (bytes === null) {
            end = Math.min(end, from + read);
            break;
          }
          parts.set(from + read, bytes);
          read += bytes.length;
          done += bytes.length;
          onProgress(done);
        }
      }
    };
    try {
      await Promise.all(Array.from({ length: TOGETHER }, readSome));
    } finally {
      await this.#close(handle);
    }
    const places = [...parts.keys()].filter((place) => place < end).toSorted((one, other) => one - other);
    return new Blob(places.map((place) => parts.get(place)!));
  }

  /** Replaces an existing file. After a failure, a part of the file can be left on the target. */
  async upload(path: string, file: Blob, { onProgress, signal }: Transfer): Promise<void> {
    const handle = await this.#open(REQUEST.open, path, OPEN.write | OPEN.create | OPEN.truncate, 0);
    let [next, done] = [0, 0];
    const writeSome = async (): Promise<void> => {
      while (next < file.size) {
        signal.throwIfAborted();
        const from = next;
        next += CHUNK_BYTES;
        const bytes = new Uint8Array(await file.slice(from, from + CHUNK_BYTES).arrayBuffer());
        await this.#ask(REPLY.status, REQUEST.write, handle, BigInt(from), bytes);
        done += bytes.length;
        onProgress(done);
      }
    };
    try {
      await Promise.all(Array.from({ length: TOGETHER }, writeSome));
    } finally {
      await this.#close(handle);
    }
  }

  async makeFolder(path: string): Promise<void> {
    // The target chooses the attributes.
    await this.#ask(REPLY.status, REQUEST.makeDir, path, 0);
  }

  /** Rejects when `to` exists. */
  async rename(from: string, to: string): Promise<void> {
    await this.#ask(REPLY.status, REQUEST.rename, from, to);
  }

  /** A folder must be empty. Of a link, only the link itself is removed. */
  async remove(path: string, kind: FileEntry["kind"]): Promise<void> {
    const isFolder = kind === "folder" && !(await this.#isLink(path));
    await this.#ask(REPLY.status, isFolder ? REQUEST.removeDir : REQUEST.remove, path);
  }

  async #isLink(path: string): Promise<boolean> {
    const { reader } = await this.#ask(REPLY.attributes, REQUEST.linkStat, path);
    return reader.attributes().kind === "link";
  }

  async #follow(folder: string, entry: FileEntry): Promise<FileEntry> {
    if (entry.kind !== "link") return entry;
    try {
      const { reader } = await this.#ask(REPLY.attributes, REQUEST.stat, joinPath(folder, entry.name));
      return { name: entry.name, ...reader.attributes() };
    } catch (error) {
      // A link to nothing stays a link.
      if (error instanceof SftpError) return entry;
      throw error;
    }
  }

  async #open(type: number, ...parts: Parameters<typeof packetOf>[1][]): Promise<Uint8Array> {
    const { reader } = await this.#ask(REPLY.handle, type, ...parts);
    return reader.bytes().slice();
  }

  async #read(handle: Uint8Array, from: number, length: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const packet = await this.#ask(REPLY.data, REQUEST.read, handle, BigInt(from), length).catch(nullAtEnd);
    const bytes = packet?.reader.bytes() ?? null;
    return bytes === null || bytes.length === 0 ? null : new Uint8Array(bytes);
  }

  /** The target closes all files with the session, so a failure has no effect. */
  async #close(handle: Uint8Array): Promise<void> {
    await this.#ask(REPLY.status, REQUEST.close, handle).catch(() => undefined);
  }

  /** Rejects with an SftpError when the target refuses, or the session ends. */
  async #ask(expected: number, type: number, ...parts: Parameters<typeof packetOf>[1][]): Promise<Packet> {
    if (this.#isOver) throw new SftpError("The session has ended.");
    const id = this.#next;
    this.#next = (id % 0xffffffff) + 1;
    const reply = await new Promise<Packet>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(packetOf(type, id, ...parts));
    });
    const status = reply.type === REPLY.status ? reply.reader.number() : null;
    if (reply.type === expected && (status === null || status === STATUS.ok)) return reply;
    if (status === null) throw new SftpError("The target sent an unexpected answer.");
    throw new SftpStatusError(status, reply.reader.text());
  }

  #take(text: string): void {
    const frame = JSON.parse(text) as { t: string; detail?: string | null };
    if (frame.t === "ready") this.#socket.send(packetOf(REQUEST.init, VERSION));
    if (frame.t === "end") this.#end(frame.detail ?? "The session has ended.");
  }

  #receive(bytes: Uint8Array): void {
    try {
      for (const packet of this.#split(bytes)) {
        if (packet.type === REPLY.version) {
          this.#begun.resolve();
          continue;
        }
        const id = packet.reader.number();
        this.#waiting.get(id)?.resolve(packet);
        this.#waiting.delete(id);
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#end("The target sent something that is not SFTP.");
    }
  }

  #end(detail: string): void {
    const wasOver = this.#isOver;
    this.#isOver = true;
    const error = new SftpError(detail);
    this.#begun.reject(error);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#socket.close();
    if (!wasOver) this.#onEnd(detail);
  }
}

class SftpStatusError extends SftpError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(REFUSALS[status] ?? (message === "" ? `The target refused (status ${status}).` : message));
    this.status = status;
  }
}

const REFUSALS: Readonly<Record<number, string>> = {
  [STATUS.noSuchFile]: "The file or folder does not exist.",
  [STATUS.permissionDenied]: "The account may not do this on the target.",
  [STATUS.failure]: "The target refused. The name may exist already, or the folder may not be empty.",
};

function nullAtEnd(error: unknown): null {
  if (error instanceof SftpStatusError && error.status === STATUS.end) return null;
  throw error;
}

export const joinPath = (folder: string, name: string): string => `${folder.replace(/\/+$/, "")}/${name}`;

export const parentOf = (folder: string): string =>
  folder
    .replace(/\/+$/, "")
    .replace(/[^/]*$/, "")
    .replace(/(.)\/+$/, "$1") || "/";
