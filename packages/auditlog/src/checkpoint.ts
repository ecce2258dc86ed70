// Checkpoints (C2SP tlog-checkpoint): the size and root hash of the log, signed, with the time of signing.
import { HASH_BYTES } from "./tree.ts";
import { SIGNATURE_TYPES, formatNote, isSignedBy, keyId, parseNote, signText, signaturesBy } from "./signed-note.ts";
import type { Note, NoteSignature, NoteSigner, NoteVerifier } from "./signed-note.ts";

export interface Checkpoint {
  /** The log's identity: a schema-less URL. It does not have to be reachable. */
  readonly origin: string;
  /** The number of entries. */
  readonly size: number;
  readonly root: Buffer;
}

export type VerifiedCheckpoint =
  | {
      readonly outcome: "verified";
      readonly checkpoint: Checkpoint;
      /** Null when the note has no signed time. */ readonly signedAt: Date | null;
    }
  | { readonly outcome: "malformed" | "not-signed" | "wrong-signature" };

/**
 * Signs a checkpoint twice with one key: plainly (C2SP signed-note, type 0x01), and with the time (C2SP
 * tlog-cosignature, type 0x04), because the checkpoint's own text has no field for it.
 */
export function signCheckpoint(checkpoint: Checkpoint, signer: NoteSigner, signedAt: Date): string {
  const text = checkpointText(checkpoint);
  return formatNote({ text, signatures: [signText(text, signer), signTextWithTime(text, signer, signedAt)] });
}

/** Reads a checkpoint without trusting it; null when it is malformed. */
export function parseCheckpoint(note: string): Checkpoint | null {
  const parsed = parseNote(note);
  return parsed && parseCheckpointText(parsed.text);
}

/**
 * Reads a checkpoint and verifies both signatures. An invalid signature by this key makes the whole note invalid;
 * signatures of other keys (witnesses) are ignored.
 */
export function verifyCheckpoint(note: string, verifier: NoteVerifier): VerifiedCheckpoint {
  const parsed = parseNote(note);
  const checkpoint = parsed && parseCheckpointText(parsed.text);
  if (!parsed || !checkpoint) return { outcome: "malformed" };

  const plain = signaturesBy(parsed, verifier, SIGNATURE_TYPES.ed25519);
  if (plain.length === 0) return { outcome: "not-signed" };
  const text = Buffer.from(parsed.text, "utf8");
  if (!plain.every(({ signature }) => isSignedBy(text, signature, verifier))) return { outcome: "wrong-signature" };

  const times = timesSignedBy(parsed, verifier);
  if (times.includes(null)) return { outcome: "wrong-signature" };
  return { outcome: "verified", checkpoint, signedAt: times[0] ?? null };
}

/** The three lines of C2SP tlog-checkpoint, "Note text". Throws when the checkpoint cannot be written in that form. */
function checkpointText({ origin, size, root }: Checkpoint): string {
  if (!isOrigin(origin)) throw new TypeError("a checkpoint's origin must be one line of text");
  if (!Number.isSafeInteger(size) || size < 0)
    throw new RangeError("a checkpoint's size must be a non-negative integer");
  if (root.length !== HASH_BYTES) throw new RangeError(`a root hash must have ${HASH_BYTES} bytes`);
  return `${origin}\n${size}\n${root.toString("base64")}\n`;
}

function parseCheckpointText(text: string): Checkpoint | null {
  const [origin, size, root, ...extensions] = text.slice(0, -1).split("\n");
  if (origin === undefined || size === undefined || root === undefined) return null;
  if (!isOrigin(origin) || extensions.includes("") || !/^(0|[1-9]\d{0,15})$/.test(size)) return null;
  const hash = Buffer.from(root, "base64");
  if (hash.length !== HASH_BYTES || hash.toString("base64") !== root) return null;
  if (!Number.isSafeInteger(Number(size))) return null;
  return { origin, size: Number(size), root: hash };
}

/** With the origin `cosignature/v1`, one kind of signature could pass for the other. */
function isOrigin(origin: string): boolean {
  return origin !== "" && !origin.includes("\n") && origin !== COSIGNATURE;
}

const COSIGNATURE = "cosignature/v1";

function timedText(text: string, seconds: bigint): Buffer {
  return Buffer.from(`${COSIGNATURE}\ntime ${seconds}\n${text}`, "utf8");
}

/** C2SP tlog-cosignature, "Format": 8 bytes of POSIX seconds, big-endian, and the Ed25519 signature. */
export function signTextWithTime(text: string, signer: NoteSigner, at: Date): NoteSignature {
  const seconds = BigInt(Math.floor(at.getTime() / 1000));
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(seconds);
  const signature = Buffer.concat([stamp, signer.sign(timedText(text, seconds))]);
  return { name: signer.name, keyId: keyId(signer, SIGNATURE_TYPES.timestamped), signature };
}

/** The times signed by this key; null in place of a time with an invalid signature. */
export function timesSignedBy(note: Note, verifier: NoteVerifier): (Date | null)[] {
  return signaturesBy(note, verifier, SIGNATURE_TYPES.timestamped).map(({ signature }) => {
    if (signature.length !== 8 + 64) return null;
    const seconds = signature.readBigUInt64BE(0);
    const isRight = isSignedBy(timedText(note.text, seconds), signature.subarray(8), verifier);
    return isRight ? new Date(Number(seconds) * 1000) : null;
  });
}
