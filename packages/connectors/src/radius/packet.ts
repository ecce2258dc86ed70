// RADIUS packets for a login by password (RFC 2865, and RFC 3579 §3.2 for Message-Authenticator).
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export const ACCESS_ACCEPT = 2;
export const ACCESS_REJECT = 3;
export const ACCESS_CHALLENGE = 11;
const ACCESS_REQUEST = 1;

const USER_NAME = 1;
const USER_PASSWORD = 2;
const SERVICE_TYPE = 6;
const NAS_IDENTIFIER = 32;
const MESSAGE_AUTHENTICATOR = 80;

/** Service-Type: only check whether the name and password are correct (§5.6). */
const AUTHENTICATE_ONLY = 8;

const HEADER = 20;
/** §3: a packet has at most 4096 bytes. */
const MAX_PACKET = 4096;
/** §5.2. */
export const MAX_PASSWORD_BYTES = 128;
/** §5: the largest value of an attribute. */
export const MAX_NAME_BYTES = 253;

export interface AccessRequest {
  username: string;
  password: string;
  sharedSecret: string;
  /** 0 to 255; matches answers to requests. */
  id: number;
  /** 16 random bytes. */
  authenticator: Buffer;
}

export function encodeRequest({ username, password, sharedSecret, id, authenticator }: AccessRequest): Buffer {
  const service = Buffer.alloc(4);
  service.writeUInt32BE(AUTHENTICATE_ONLY);
  const attributes = Buffer.concat([
    // This attribute comes first, as recommended since it was shown that answers can be forged with MD5
    // collisions (CVE-2024-3596).
    attribute(MESSAGE_AUTHENTICATOR, Buffer.alloc(16)),
    attribute(USER_NAME, Buffer.from(username)),
    attribute(USER_PASSWORD, hidePassword(Buffer.from(password), sharedSecret, authenticator)),
    attribute(SERVICE_TYPE, service),
    attribute(NAS_IDENTIFIER, Buffer.from("strongroom")),
  ]);
  const packet = Buffer.concat([header(ACCESS_REQUEST, id, attributes.length), authenticator, attributes]);
  hmac(packet, sharedSecret).copy(packet, HEADER + 2);
  return packet;
}

/** §5.2: blocks of 16 bytes, each masked with the hash of the shared secret and the previous block. */
export function hidePassword(password: Buffer, sharedSecret: string, authenticator: Buffer): Buffer {
  const padded = Buffer.alloc(Math.max(16, Math.ceil(password.length / 16) * 16));
  password.copy(padded);
  let before = authenticator;
  for (let at = 0; at < padded.length; at += 16) {
    const mask = createHash("md5").update(sharedSecret).update(before).digest();
    const block = padded.subarray(at, at + 16);
    for (const [index, byte] of mask.entries()) block[index] = (block[index] ?? 0) ^ byte;
    before = block;
  }
  return padded;
}

export interface AccessAnswer {
  code: number;
  /** Whether the answer has a valid Message-Authenticator, so that it cannot be forged in transit. */
  isProtected: boolean;
}

/**
 * Null unless the packet answers this request and its server knows the shared secret: other packets are ignored (§3).
 */
export function decodeAnswer(datagram: Buffer, request: Buffer, sharedSecret: string): AccessAnswer | null {
  if (datagram.length < HEADER || datagram.length > MAX_PACKET || datagram[1] !== request[1]) return null;
  const length = datagram.readUInt16BE(2);
  if (length < HEADER || length > datagram.length) return null;
  const packet = datagram.subarray(0, length);
  const asked = request.subarray(4, HEADER);
  const expected = createHash("md5")
    .update(packet.subarray(0, 4))
    .update(asked)
    .update(packet.subarray(HEADER))
    .update(sharedSecret)
    .digest();
  if (!timingSafeEqual(expected, packet.subarray(4, HEADER))) return null;
  const at = placeOf(packet, MESSAGE_AUTHENTICATOR);
  if (at === undefined) return null;
  if (at === null) return { code: packet[0] ?? 0, isProtected: false };
  const cleared = Buffer.concat([packet.subarray(0, 4), asked, packet.subarray(HEADER)]);
  cleared.fill(0, at, at + 16);
  const isRight = timingSafeEqual(hmac(cleared, sharedSecret), packet.subarray(at, at + 16));
  return isRight ? { code: packet[0] ?? 0, isProtected: true } : null;
}

/** The offset of an attribute's 16 bytes; null without it, undefined when the attributes are malformed. */
function placeOf(packet: Buffer, type: number): number | null | undefined {
  let at = HEADER;
  while (at < packet.length) {
    const size = packet[at + 1] ?? 0;
    if (size < 2 || at + size > packet.length) return undefined;
    if (packet[at] === type) return size === 18 ? at + 2 : undefined;
    at += size;
  }
  return null;
}

function hmac(packet: Buffer, sharedSecret: string): Buffer {
  return createHmac("md5", sharedSecret).update(packet).digest();
}

function attribute(type: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type, value.length + 2]), value]);
}

function header(code: number, id: number, attributesLength: number): Buffer {
  const bytes = Buffer.from([code, id, 0, 0]);
  bytes.writeUInt16BE(HEADER + attributesLength, 2);
  return bytes;
}
