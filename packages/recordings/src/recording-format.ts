// The bytes of a recording file: a header, then chunks. docs/recordings.md describes the same.
//
// Numbers are big-endian. The file begins with a header of 48 bytes:
//
//    0   3  "SRR"
//    3   1  format version, 1
//    4  16  recording id (UUID)
//   20  16  id of the key-encryption key (UUID)
//   36   8  start, milliseconds since 1970 (UTC)
//   44   1  content: 1 = asciicast v3
//   45   3  zero
//
// Each chunk:
//
//    0   4  length of the rest of the chunk
//    4   1  kind: 1 = events, 2 = closing record
//    5   1  events: 1 when compressed with a dictionary, else 0; closing record: its reason, from 1
//    6   2  zero
//    8   4  chunk number, from 0 without gaps
//   12   6  time of the first event, milliseconds since the start
//   18   6  time of the last event
//   24   8  events: bytes of terminal output in this chunk; closing record: in all chunks
//   32   4  events: length of the text before compression; closing record: bytes that were accepted but not stored
//   36  32  digest of the chunk before; for chunk 0 SHA-256("strongroom/recording-header/v1" ‖ file header)
//   68   n  sealed: salt 32 ‖ ciphertext ‖ tag 16; associated data: recording id (16 bytes) ‖ bytes 0 to 67
// 68+n   8  check: the first 8 bytes of the chunk's digest
//
// A chunk's digest is SHA-256("strongroom/recording-chunk/v1" ‖ bytes 0 to 67+n). The check finds damage in a chunk whose
// neighbours are missing; the digest of the chunk before finds changes; the seal finds forgeries.
import { createHash } from "node:crypto";

/** Why a recording ended. Stored by position: append only. */
/** A recording stores the position in this list, so add new reasons at the end. */
export const CLOSING_REASONS = [
  /** The user or the target ended the session. */
  "ended",
  /** An administrator terminated it. */
  "terminated",
  /** The permission for the session expired or was revoked. */
  "access-ended",
  /** The recording could not be stored for 10 s. */
  "storage-failed",
  /** The gateway was stopped or lost its database. */
  "gateway-stopped",
] as const;
export type ClosingReason = (typeof CLOSING_REASONS)[number];

export const FILE_HEADER_BYTES = 48;
export const CHUNK_HEAD_BYTES = 68;
export const CHECK_BYTES = 8;
export const DIGEST_BYTES = 32;
/** Salt and tag. */
export const SEAL_BYTES = 48;
/** The text of a chunk before compression. 256 kB of output can become six times as long in JSON. */
export const MAX_TEXT_BYTES = 2 * 1024 * 1024;
/** Text that does not compress becomes slightly longer. */
const MAX_SEALED_BYTES = MAX_TEXT_BYTES + 64 * 1024;
export const MAX_CHUNK_BYTES = CHUNK_HEAD_BYTES + MAX_SEALED_BYTES + CHECK_BYTES;
/** A chunk without text: the size of every closing record. */
export const MIN_CHUNK_BYTES = CHUNK_HEAD_BYTES + SEAL_BYTES + CHECK_BYTES;

const MAGIC = Buffer.from("SRR");
const VERSION = 1;
const CONTENT_ASCIICAST = 1;
const KIND_EVENTS = 1;
const KIND_CLOSING = 2;
const LENGTH_BYTES = 4;

export interface FileHeader {
  /** Lower-case UUIDs. */
  readonly recordingId: string;
  readonly kekId: string;
  readonly startedAt: Date;
}

interface Common {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly previous: Buffer;
}

interface EventsHead extends Common {
  readonly kind: "events";
  readonly usesDictionary: boolean;
  readonly outputBytes: number;
  readonly textBytes: number;
}

interface ClosingHead extends Common {
  readonly kind: "closing";
  readonly reason: ClosingReason;
  readonly outputBytes: number;
  readonly unstoredBytes: number;
}

export type ChunkHead = EventsHead | ClosingHead;

export function encodeFileHeader({ recordingId, kekId, startedAt }: FileHeader): Buffer {
  const bytes = Buffer.alloc(FILE_HEADER_BYTES);
  bytes.set(MAGIC);
  bytes[3] = VERSION;
  bytes.set(uuidBytes(recordingId), 4);
  bytes.set(uuidBytes(kekId), 20);
  bytes.writeBigUInt64BE(BigInt(startedAt.getTime()), 36);
  bytes[44] = CONTENT_ASCIICAST;
  return bytes;
}

export type ReadFileHeader =
  | { readonly outcome: "read"; readonly header: FileHeader }
  /** Not a recording, or a recording of a different version. */
  | { readonly outcome: "other-format" | "other-version" }
  | { readonly outcome: "malformed" };

/** Reads the first 48 bytes of a file, without trusting them. */
export function readFileHeader(bytes: Buffer): ReadFileHeader {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return { outcome: "other-format" };
  if (bytes[3] !== VERSION) return { outcome: "other-version" };
  if (bytes.length < FILE_HEADER_BYTES) return { outcome: "malformed" };
  const start = Number(bytes.readBigUInt64BE(36));
  // The largest time that a Date can have.
  if (bytes[44] !== CONTENT_ASCIICAST || !isZero(bytes.subarray(45, 48)) || start > 8.64e15) {
    return { outcome: "malformed" };
  }
  const header = { recordingId: uuidText(bytes, 4), kekId: uuidText(bytes, 20), startedAt: new Date(start) };
  return { outcome: "read", header };
}

/** What chunk 0 names as the digest before it. */
export function headerDigest(header: Uint8Array): Buffer {
  return createHash("sha256").update("strongroom/recording-header/v1").update(header).digest();
}

/** Bytes 0 to 67 of a chunk whose sealed part has `sealedBytes`. */
export function encodeChunkHead(head: ChunkHead, sealedBytes: number): Buffer {
  const bytes = Buffer.alloc(CHUNK_HEAD_BYTES);
  const isEvents = head.kind === "events";
  bytes.writeUInt32BE(CHUNK_HEAD_BYTES - LENGTH_BYTES + sealedBytes + CHECK_BYTES, 0);
  bytes[4] = isEvents ? KIND_EVENTS : KIND_CLOSING;
  bytes[5] = isEvents ? Number(head.usesDictionary) : CLOSING_REASONS.indexOf(head.reason) + 1;
  bytes.writeUInt32BE(head.number, 8);
  bytes.writeUIntBE(head.from, 12, 6);
  bytes.writeUIntBE(head.to, 18, 6);
  bytes.writeBigUInt64BE(BigInt(head.outputBytes), 24);
  bytes.writeUInt32BE(isEvents ? head.textBytes : head.unstoredBytes, 32);
  bytes.set(head.previous, 36);
  return bytes;
}

/**
 * The associated data of a chunk's seal. INVARIANT: a chunk opens only in its own recording, at its own position in the
 * chain.
 */
export function sealContext(recordingId: string, head: Uint8Array): Buffer {
  return Buffer.concat([uuidBytes(recordingId), head.subarray(0, CHUNK_HEAD_BYTES)]);
}

/** The digest of a chunk, given its head and its sealed part. */
export function chunkDigest(head: Uint8Array, sealed: Uint8Array): Buffer {
  return createHash("sha256").update("strongroom/recording-chunk/v1").update(head).update(sealed).digest();
}

/** A chunk as read: its fields, its sealed part, and whether its check matches. */
export interface ReadChunk {
  readonly head: ChunkHead;
  readonly headBytes: Buffer;
  readonly sealed: Buffer;
  /** Computed from the chunk's bytes. */
  readonly digest: Buffer;
  readonly isWhole: boolean;
  /** The chunk's length, including its length field. */
  readonly size: number;
}

/** The size that the first four bytes of a chunk announce, these bytes included; null when no chunk has it. */
export function announcedSize(bytes: Buffer): number | null {
  const size = bytes.readUInt32BE(0) + LENGTH_BYTES;
  return size >= MIN_CHUNK_BYTES && size <= MAX_CHUNK_BYTES ? size : null;
}

/** Reads the chunk that `bytes` begins with; null when they are not a chunk's bytes, or too few. */
export function readChunk(bytes: Buffer): ReadChunk | null {
  if (bytes.length < MIN_CHUNK_BYTES) return null;
  const size = announcedSize(bytes);
  if (size === null || bytes.length < size) return null;
  const headBytes = bytes.subarray(0, CHUNK_HEAD_BYTES);
  const head = readHead(headBytes, size);
  if (head === null) return null;
  const sealed = bytes.subarray(CHUNK_HEAD_BYTES, size - CHECK_BYTES);
  const digest = chunkDigest(headBytes, sealed);
  const isWhole = digest.subarray(0, CHECK_BYTES).equals(bytes.subarray(size - CHECK_BYTES, size));
  return { head, headBytes, sealed, digest, isWhole, size };
}

function readHead(bytes: Buffer, size: number): ChunkHead | null {
  const [from, to] = [bytes.readUIntBE(12, 6), bytes.readUIntBE(18, 6)];
  const outputBytes = Number(bytes.readBigUInt64BE(24));
  const last = bytes.readUInt32BE(32);
  if (!isZero(bytes.subarray(6, 8)) || from > to || !Number.isSafeInteger(outputBytes)) return null;
  const common = { number: bytes.readUInt32BE(8), from, to, previous: bytes.subarray(36, 68), outputBytes };
  if (bytes[4] === KIND_EVENTS) {
    if ((bytes[5] ?? 2) > 1 || last > MAX_TEXT_BYTES) return null;
    return { kind: "events", ...common, usesDictionary: bytes[5] === 1, textBytes: last };
  }
  const reason = CLOSING_REASONS[(bytes[5] ?? 0) - 1];
  if (bytes[4] !== KIND_CLOSING || reason === undefined || size !== MIN_CHUNK_BYTES) return null;
  return { kind: "closing", ...common, reason, unstoredBytes: last };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function uuidBytes(uuid: string): Buffer {
  if (!UUID.test(uuid)) throw new TypeError("A recording and its key have lower-case UUIDs as ids.");
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

function uuidText(bytes: Buffer, at: number): string {
  const hex = bytes.toString("hex", at, at + 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
