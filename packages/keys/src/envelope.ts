// The envelope that stores one version of a secret.
import { EnvelopeError } from "./errors.ts";
import { kekKeyObject, type Kek } from "./kek.ts";
import { lengthPrefixed } from "./length-prefixed.ts";
import { Secret } from "./secret.ts";
import { openOnce, OVERHEAD_BYTES, sealOnce } from "./single-use-key.ts";

const LABEL = "strongroom/envelope/v1";
const MAGIC = Buffer.from("SRE");
const VERSION = 1;
const KEK_ID_BYTES = 16;
const HEADER_BYTES = MAGIC.length + 1 + KEK_ID_BYTES;
/** Plaintexts are padded to a multiple of this, so that the database does not reveal a password's length. */
const PADDING_BLOCK = 64;
const MIN_BYTES = HEADER_BYTES + OVERHEAD_BYTES + PADDING_BLOCK;

/** The context that an envelope is bound to: the envelope opens for no other context. */
export type EnvelopeContext = {
  /** The kind of secret, e.g. "credential". Not empty. */
  readonly purpose: string;
  /** Id of the row that owns the secret. Not empty. */
  readonly recordId: string;
  /** The version of that row's secret: an integer from 0 to 2^53 - 1. */
  readonly version: number;
};

/**
 * Seals `secret` under a key derived for this envelope alone (HKDF-SHA-256 over the KEK and a fresh salt, RFC
 * 5869; AES-256-GCM). README.md describes the layout. Throws SealedError for a disposed KEK, TypeError for a
 * context that cannot name a record.
 */
export function sealSecret(kek: Kek, context: EnvelopeContext, secret: Secret): Buffer {
  const header = headerFor(kek);
  const plaintext = secret.revealBytes();
  const padded = pad(plaintext);
  const sealed = sealOnce(kekKeyObject(kek), LABEL, associatedData(header, context), padded);
  plaintext.fill(0);
  padded.fill(0);
  return Buffer.concat([header, sealed]);
}

/**
 * Opens an envelope. Throws EnvelopeError when it is malformed, of an unknown version, sealed under a different KEK, or
 * does not authenticate for exactly this context. None of these errors reveals anything about the plaintext.
 */
export function openSecret(kek: Kek, context: EnvelopeContext, envelope: Uint8Array): Secret {
  const header = checkedHeader(envelope);
  if (!headerFor(kek).equals(header)) throw new EnvelopeError("envelope.other-kek");
  const sealed = envelope.subarray(HEADER_BYTES);
  const padded = openOnce(kekKeyObject(kek), LABEL, associatedData(header, context), sealed);
  if (padded === null) throw new EnvelopeError("envelope.refused");
  const secret = Secret.fromBytes(padded.subarray(0, unpaddedLength(padded)));
  padded.fill(0);
  return secret;
}

/** The id of the KEK that an envelope claims; only opening it proves the claim. Throws EnvelopeError. */
export function envelopeKekId(envelope: Uint8Array): string {
  const hex = checkedHeader(envelope).toString("hex", MAGIC.length + 1);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function headerFor(kek: Kek): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.set(MAGIC);
  header[MAGIC.length] = VERSION;
  header.write(kek.id.replaceAll("-", ""), MAGIC.length + 1, "hex");
  return header;
}

function checkedHeader(envelope: Uint8Array): Buffer {
  if (envelope.length <= MAGIC.length || !MAGIC.equals(envelope.subarray(0, MAGIC.length))) {
    throw new EnvelopeError("envelope.malformed");
  }
  if (envelope[MAGIC.length] !== VERSION) throw new EnvelopeError("envelope.unknown-version");
  if (envelope.length < MIN_BYTES || (envelope.length - MIN_BYTES) % PADDING_BLOCK !== 0) {
    throw new EnvelopeError("envelope.malformed");
  }
  return Buffer.from(envelope.subarray(0, HEADER_BYTES));
}

/** INVARIANT: an envelope opens only for the purpose, record, version and KEK that it was sealed for. */
function associatedData(header: Buffer, { purpose, recordId, version }: EnvelopeContext): Buffer {
  if (purpose === "" || recordId === "") throw new TypeError("An envelope's context must name a purpose and a record.");
  if (!Number.isSafeInteger(version) || version < 0)
    throw new TypeError("An envelope's version must be a non-negative integer.");
  const versionBytes = Buffer.allocUnsafe(8);
  versionBytes.writeBigUInt64BE(BigInt(version));
  return lengthPrefixed(header, purpose, recordId, versionBytes);
}

/** ISO/IEC 7816-4 padding: 0x80, then zeros to the next full block. */
function pad(plaintext: Buffer): Buffer {
  const padded = Buffer.alloc((Math.floor(plaintext.length / PADDING_BLOCK) + 1) * PADDING_BLOCK);
  padded.set(plaintext);
  padded[plaintext.length] = 0x80;
  return padded;
}

/** Runs on authenticated bytes only, so that it cannot serve as a padding oracle. */
function unpaddedLength(padded: Buffer): number {
  const length = padded.lastIndexOf(0x80);
  if (length === -1) throw new EnvelopeError("envelope.malformed");
  return length;
}
