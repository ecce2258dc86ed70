// Signed notes (C2SP signed-note): a text with Ed25519 signatures by named keys.
import { createPrivateKey, createPublicKey, hash, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";

/** C2SP signed-note, "Signature types": a plain Ed25519 signature, and a timestamped one (C2SP tlog-cosignature). */
export const SIGNATURE_TYPES = { ed25519: 0x01, timestamped: 0x04 } as const;
export type SignatureType = (typeof SIGNATURE_TYPES)[keyof typeof SIGNATURE_TYPES];

export interface NoteVerifier {
  readonly name: string;
  /** Raw, 32 bytes (RFC 8032). */
  readonly publicKey: Buffer;
}

export interface NoteSigner extends NoteVerifier {
  readonly sign: (message: Buffer) => Buffer;
}

export interface NoteSignature {
  readonly name: string;
  /** 4 bytes. */
  readonly keyId: Buffer;
  readonly signature: Buffer;
}

export interface Note {
  /** The text with its final newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const KEY_BYTES = 32;
const MAX_NOTE_BYTES = 64 * 1024;
const MAX_SIGNATURES = 100;
const SIGNATURE_LINE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u;

/** A signer from the 32-byte seed of an Ed25519 key (RFC 8032 §5.1.5). Throws when the name or seed is invalid. */
export function noteSigner(name: string, seed: Buffer): NoteSigner {
  requireKeyName(name);
  if (seed.length !== KEY_BYTES) throw new RangeError(`an Ed25519 seed must have ${KEY_BYTES} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-KEY_BYTES);
  return { name, publicKey, sign: (message) => sign(null, message, key) };
}

/** `<name>+<key id in hex>+<base64 of type and public key>`: the verifier key for an auditor (C2SP signed-note). */
export function encodeVerifierKey({ name, publicKey }: NoteVerifier): string {
  const type = SIGNATURE_TYPES.ed25519;
  const id = keyId({ name, publicKey }, type).toString("hex");
  return `${name}+${id}+${Buffer.concat([Buffer.from([type]), publicKey]).toString("base64")}`;
}

/** Reads a verifier key; null when it is not an Ed25519 key, or its key id does not match. */
export function parseVerifierKey(text: string): NoteVerifier | null {
  const [, name, id, base64] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(text) ?? [];
  if (name === undefined || base64 === undefined) return null;
  const key = decodeBase64(base64);
  if (key === null || key.length !== KEY_BYTES + 1 || key[0] !== SIGNATURE_TYPES.ed25519) return null;
  const verifier = { name, publicKey: key.subarray(1) };
  return keyId(verifier, SIGNATURE_TYPES.ed25519).toString("hex") === id ? verifier : null;
}

/** The first 4 bytes of SHA-256(name || 0x0A || type || public key) (C2SP signed-note, "Signatures"). */
export function keyId({ name, publicKey }: NoteVerifier, type: SignatureType): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`, "utf8"), Buffer.from([type]), publicKey]);
  return hash("sha256", named, "buffer").subarray(0, 4);
}

/** A note as text. Throws when a note cannot carry the text. */
export function formatNote({ text, signatures }: Note): string {
  if (!isNoteText(text))
    throw new TypeError("a note's text must end in a newline and contain no other control characters");
  const lines = signatures.map(
    ({ name, keyId: id, signature }) => `— ${name} ${Buffer.concat([id, signature]).toString("base64")}\n`,
  );
  return `${text}\n${lines.join("")}`;
}

/** The plain signature of a note's text, type 0x01. */
export function signText(text: string, signer: NoteSigner): NoteSignature {
  const signature = signer.sign(Buffer.from(text, "utf8"));
  return { name: signer.name, keyId: keyId(signer, SIGNATURE_TYPES.ed25519), signature };
}

/** Parses a note without trusting it; null when it is malformed. */
export function parseNote(note: string): Note | null {
  if (note.length > MAX_NOTE_BYTES || !isNoteText(note)) return null;
  const split = note.lastIndexOf("\n\n");
  if (split < 0) return null;
  const lines = note.slice(split + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) return null;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const [, name, base64] = SIGNATURE_LINE.exec(line) ?? [];
    const bytes = base64 === undefined ? null : decodeBase64(base64);
    if (name === undefined || bytes === null || bytes.length < 5) return null;
    signatures.push({ name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) });
  }
  return { text: note.slice(0, split + 1), signatures };
}

/** The signatures of a note that claim to be by this key and of this type. */
export function signaturesBy(note: Note, verifier: NoteVerifier, type: SignatureType): NoteSignature[] {
  const id = keyId(verifier, type);
  return note.signatures.filter(({ name, keyId: given }) => name === verifier.name && given.equals(id));
}

/** Checks an Ed25519 signature (RFC 8032). False for an invalid one and for one of the wrong length. */
export function isSignedBy(message: Buffer, signature: Buffer, { publicKey }: NoteVerifier): boolean {
  return signature.length === 64 && verify(null, message, publicKeyObject(publicKey), signature);
}

const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_ED25519 = Buffer.from("302a300506032b6570032100", "hex");

function publicKeyObject(publicKey: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_ED25519, publicKey]), format: "der", type: "spki" });
}

function requireKeyName(name: string): void {
  if (!/^[^\s+]+$/u.test(name) || !name.isWellFormed())
    throw new TypeError("a key name must not contain spaces or a plus sign");
}

/** Well-formed, ends in a newline, no control characters but newlines. */
function isNoteText(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- the standard forbids exactly these
  return text.endsWith("\n") && text.isWellFormed() && !/[\u0000-\u0009\u000b-\u001f]/.test(text);
}

/** Standard base64 with padding, and nothing that a lenient decoder would skip. */
function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : null;
}
