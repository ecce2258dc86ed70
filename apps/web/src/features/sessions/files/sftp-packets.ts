// Packets of SFTP version 3 (draft-ietf-secsh-filexfer-02): builds requests and reads replies.

export const REQUEST = {
  init: 1,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  linkStat: 7,
  openDir: 11,
  readDir: 12,
  remove: 13,
  makeDir: 14,
  removeDir: 15,
  realPath: 16,
  stat: 17,
  rename: 18,
};
export const REPLY = { version: 2, status: 101, handle: 102, data: 103, name: 104, attributes: 105 };
export const STATUS = { ok: 0, end: 1, noSuchFile: 2, permissionDenied: 3, failure: 4 };
export const OPEN = { read: 0x1, write: 0x2, create: 0x8, truncate: 0x10 };

/** The largest packet that is accepted from a target. */
const LARGEST = 1024 * 1024;
const FILE_TYPE = 0o170000;
const FOLDER = 0o040000;
const LINK = 0o120000;

export interface FileEntry {
  name: string;
  kind: "folder" | "file" | "link";
  /** Bytes; null when the target does not say. */
  size: number | null;
  modifiedAt: Date | null;
}

export interface Packet {
  type: number;
  reader: PacketReader;
}

type Part = number | bigint | string | Uint8Array;

/** A byte for the type, then: numbers as uint32, bigints as uint64, texts and bytes with their length. */
export function packetOf(type: number, ...parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const encoded = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const length = encoded.reduce<number>((sum, part) => sum + sizeOf(part), 1);
  const bytes = new Uint8Array(4 + length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  bytes[4] = type;
  let at = 5;
  for (const part of encoded) {
    if (typeof part === "number") view.setUint32(at, part);
    else if (typeof part === "bigint") view.setBigUint64(at, part);
    else {
      view.setUint32(at, part.length);
      bytes.set(part, at + 4);
    }
    at += sizeOf(part);
  }
  return bytes;
}

const sizeOf = (part: number | bigint | Uint8Array): number =>
  typeof part === "number" ? 4 : typeof part === "bigint" ? 8 : 4 + part.length;

export class PacketReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Throws a RangeError past the end, as do the other methods. */
  number(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4);
  }

  bytes(): Uint8Array {
    const length = this.number();
    if (this.#at + length > this.#bytes.length) throw new RangeError("the packet is too short");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(): string {
    return new TextDecoder().decode(this.bytes());
  }

  attributes(): Omit<FileEntry, "name"> {
    const flags = this.number();
    const size = (flags & 1) === 0 ? null : this.number() * 2 ** 32 + this.number();
    if ((flags & 2) !== 0) this.#at += 8;
    const mode = (flags & 4) === 0 ? 0 : this.number();
    if ((flags & 8) !== 0) this.number();
    const modified = (flags & 8) === 0 ? null : new Date(this.number() * 1000);
    if ((flags & 0x80000000) !== 0)
      for (let left = this.number(); left > 0; left -= 1) void [this.bytes(), this.bytes()];
    const type = mode & FILE_TYPE;
    return { kind: type === FOLDER ? "folder" : type === LINK ? "link" : "file", size, modifiedAt: modified };
  }

  names(): FileEntry[] {
    return Array.from({ length: Math.min(this.number(), LARGEST) }, () => {
      const name = this.text();
      this.bytes();
      return { name, ...this.attributes() };
    });
  }
}

/** Splits a stream into packets. Throws for a packet of an impossible length. */
export function createPacketSplitter(): (bytes: Uint8Array) => Packet[] {
  let waiting = new Uint8Array(0);
  return (bytes) => {
    const all = new Uint8Array(waiting.length + bytes.length);
    all.set(waiting);
    all.set(bytes, waiting.length);
    const packets: Packet[] = [];
    let at = 0;
    while (all.length - at >= 4) {
      const length = new DataView(all.buffer, at).getUint32(0);
      if (length < 1 || length > LARGEST) throw new RangeError("a packet has an impossible length");
      if (all.length - at - 4 < length) break;
      packets.push({ type: all[at + 4]!, reader: new PacketReader(all.subarray(at + 5, at + 4 + length)) });
      at += 4 + length;
    }
    waiting = all.slice(at);
    return packets;
  };
}
