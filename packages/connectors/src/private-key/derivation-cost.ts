// The computing cost of opening an encrypted key. The key's author chooses the number of rounds, which can mean years
// of work.
import { pemBlocks } from "./pem.ts";

/** ssh-keygen writes 16 or 24 rounds; 100 take about two seconds in JavaScript. */
const MAX_BCRYPT_ROUNDS = 100;

/** OpenSSL 3 writes 2,048 iterations; password managers up to 600,000. */
const MAX_ITERATIONS = 2_000_000;

/**
 * True when opening one of the keys in `text` would take more than a few seconds, or when an encrypted block contains
 * anything but base64, so that the cost is unknown.
 */
export function isTooCostly(text: string): boolean {
  return pemBlocks(text).some(({ label, body }) => {
    if (label !== "OPENSSH PRIVATE KEY" && label !== "ENCRYPTED PRIVATE KEY") return false;
    if (!/^[A-Za-z0-9+/=\s]*$/.test(body)) return true;
    const bytes = Buffer.from(body, "base64");
    if (label === "OPENSSH PRIVATE KEY") return bcryptRounds(bytes) > MAX_BCRYPT_ROUNDS;
    return largestInteger(algorithmOf(bytes)) > MAX_ITERATIONS;
  });
}

/** The rounds in an `openssh-key-v1` file (OpenSSH PROTOCOL.key): magic, cipher name, kdf name, kdf options. */
function bcryptRounds(bytes: Buffer): number {
  let offset = "openssh-key-v1\0".length;
  const fields: Buffer[] = [];
  for (let index = 0; index < 3; index++) {
    if (offset + 4 > bytes.length) return 0;
    const end = offset + 4 + bytes.readUInt32BE(offset);
    fields.push(bytes.subarray(offset + 4, end));
    offset = end;
  }
  const options = fields[2];
  return options !== undefined && options.length >= 8 ? options.readUInt32BE(options.length - 4) : 0;
}

/**
 * The AlgorithmIdentifier of an EncryptedPrivateKeyInfo (RFC 5958 §3): the first element inside the outer sequence.
 */
function algorithmOf(bytes: Buffer): Buffer {
  const [outer] = elements(bytes);
  const [algorithm] = elements(outer?.value ?? Buffer.alloc(0));
  return algorithm?.value ?? Buffer.alloc(0);
}

function largestInteger(bytes: Buffer): number {
  const values = elements(bytes).map(({ tag, value }) => {
    if (tag === 0x30) return largestInteger(value);
    return tag === 0x02 && value.length > 0 ? Number.parseInt(value.toString("hex"), 16) : 0;
  });
  return Math.max(0, ...values);
}

/** The consecutive DER elements (X.690 §8.1) in `bytes`; stops at the first malformed one. */
function elements(bytes: Buffer): { tag: number; value: Buffer }[] {
  const found: { tag: number; value: Buffer }[] = [];
  let offset = 0;
  while (offset + 2 <= bytes.length) {
    const tag = bytes[offset] ?? 0;
    let length = bytes[offset + 1] ?? 0;
    offset += 2;
    if (length > 0x80) {
      const size = length - 0x80;
      if (size > 4 || offset + size > bytes.length) return found;
      length = bytes.readUIntBE(offset, size);
      offset += size;
    }
    if (offset + length > bytes.length) return found;
    found.push({ tag, value: bytes.subarray(offset, offset + length) });
    offset += length;
  }
  return found;
}
