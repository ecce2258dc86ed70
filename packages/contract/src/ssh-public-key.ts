// Parses SSH public keys as users paste them from a `.pub` file, and explains which keys are refused.

/** The lengths in bits of ECDSA keys come with their types. */
const EC_BITS = { "ecdsa-sha2-nistp256": 256, "ecdsa-sha2-nistp384": 384, "ecdsa-sha2-nistp521": 521 } as const;

export const SSH_KEY_TYPES = [
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "ssh-rsa",
] as const;
export type SshKeyType = (typeof SSH_KEY_TYPES)[number];

export interface SshPublicKey {
  type: SshKeyType;
  /** The key in the wire format (RFC 4253 §6.6), as base64. */
  base64: string;
  bits: number;
  /** Empty without one. */
  comment: string;
}

/** The longest text that is examined: an RSA key of 16,384 bits has about 2,800 characters. */
export const LONGEST_SSH_KEY_TEXT = 16_384;
export const LEAST_RSA_BITS = 3072;
const MOST_RSA_BITS = 16_384;
const LONGEST_COMMENT = 100;

type Parsed = { key: SshPublicKey } | { problem: string };

const PRIVATE =
  "This is a private key. It was not stored. Paste the public key, which is in the file ending in .pub, and replace this key if anyone else could see it.";
const DAMAGED = "This key is damaged or incomplete. Copy the whole line again.";
const UNKNOWN = "This is not an SSH public key. Paste the line of a .pub file, such as ssh-ed25519 AAAA… name@host.";

/** Returns the key, or a sentence for the user that explains why the text is refused. */
export function parseSshPublicKey(text: string): Parsed {
  const trimmed = text.trim();
  if (isPrivateKey(trimmed)) return { problem: PRIVATE };
  if (trimmed.length > LONGEST_SSH_KEY_TEXT) return { problem: UNKNOWN };
  if (trimmed.includes("BEGIN SSH2 PUBLIC KEY")) {
    return { problem: "This is the format of RFC 4716. Convert it: ssh-keygen -i -f FILE" };
  }
  if (/[\r\n]/.test(trimmed)) return { problem: "Paste one key on one line." };
  const [type = "", base64 = "", ...words] = trimmed.split(/[ \t]+/);
  const refusal = refusalOfType(type, base64);
  if (refusal !== null) return { problem: refusal };
  const blob = decode(base64);
  if (blob === null) return { problem: DAMAGED };
  const bits = bitsOf(type as SshKeyType, blob);
  if (typeof bits === "string") return { problem: bits };
  const comment = words
    .join(" ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .slice(0, LONGEST_COMMENT);
  return { key: { type: type as SshKeyType, base64, bits, comment } };
}

/** Whether a text contains a private key of any common format. Such a text must not leave the browser. */
export const isPrivateKey = (text: string): boolean =>
  /PRIVATE KEY|PuTTY-User-Key-File|SSH PRIVATE KEY FILE/i.test(text) || text.includes("b3BlbnNzaC1rZXktdjE");

function refusalOfType(type: string, next: string): string | null {
  if (isKeyType(type)) return null;
  if (/-cert-v\d\d@openssh\.com$/.test(type)) return "Certificates are not supported. Paste the public key itself.";
  if (type === "ssh-dss") return "DSA keys are too weak. Create a new key: ssh-keygen -t ed25519";
  if (/^(webauthn-)?sk-/.test(type)) {
    return "Keys on security keys (sk-…) are not supported. Create a key with ssh-keygen -t ed25519.";
  }
  const hasOptions = isKeyType(next) || /^(cert-authority|restrict|no-|[a-z-]+=)/.test(type);
  return hasOptions ? "Options before the key are not supported. Paste the key without them." : UNKNOWN;
}

const isKeyType = (text: string): text is SshKeyType => (SSH_KEY_TYPES as readonly string[]).includes(text);

/** Null for text that is not canonical base64, so that each key has one spelling. */
function decode(base64: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return null;
  const binary = atob(base64);
  return btoa(binary) === base64 ? Uint8Array.from(binary, (letter) => letter.charCodeAt(0)) : null;
}

/** The length of the key, or why it is refused. */
function bitsOf(type: SshKeyType, blob: Uint8Array): number | string {
  const fields = fieldsOf(blob);
  if (fields === null || textOf(fields[0]) !== type) return DAMAGED;
  if (type === "ssh-rsa") return rsaBits(fields);
  if (type === "ssh-ed25519") return fields.length === 2 && fields[1]?.length === 32 ? 256 : DAMAGED;
  const bits = EC_BITS[type];
  const [, curve, point] = fields;
  const isWhole = fields.length === 3 && textOf(curve) === type.slice("ecdsa-sha2-".length);
  return isWhole && point?.[0] === 4 && point.length === 1 + 2 * Math.ceil(bits / 8) ? bits : DAMAGED;
}

function rsaBits(fields: readonly Uint8Array[]): number | string {
  const [, exponent, modulus] = fields;
  if (fields.length !== 3 || exponent === undefined || modulus === undefined) return DAMAGED;
  const isEven = ((exponent.at(-1) ?? 0) & 1) === 0 || ((modulus.at(-1) ?? 0) & 1) === 0;
  const bits = lengthOf(modulus);
  if (isEven || bits === null || lengthOf(exponent) === null || bits > MOST_RSA_BITS) return DAMAGED;
  if (bits < LEAST_RSA_BITS) {
    return `RSA keys need at least ${LEAST_RSA_BITS} bits; this one has ${bits}. Create a new key: ssh-keygen -t ed25519`;
  }
  if ((lengthOf(exponent) ?? 0) < 17 || (lengthOf(exponent) ?? 0) > 64) {
    return "This RSA key has an unsafe exponent. Create a new key: ssh-keygen -t ed25519";
  }
  return bits;
}

/** The bits of a positive number in its shortest form (RFC 4251 §5, mpint); null for any other. */
function lengthOf(number: Uint8Array): number | null {
  const [first = 0, second = 0] = number;
  if (number.length === 0 || first >= 0x80 || (first === 0 && second < 0x80)) return null;
  const digits = first === 0 ? number.subarray(1) : number;
  return digits.length * 8 - Math.clz32(digits[0] ?? 0) + 24;
}

/** The length-prefixed fields of a blob; null when they do not fill it exactly. */
function fieldsOf(blob: Uint8Array): Uint8Array[] | null {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const fields: Uint8Array[] = [];
  for (let at = 0; at < blob.length;) {
    if (at + 4 > blob.length) return null;
    const end = at + 4 + view.getUint32(at);
    if (end > blob.length) return null;
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

const textOf = (bytes: Uint8Array | undefined): string => String.fromCharCode(...(bytes ?? []));
