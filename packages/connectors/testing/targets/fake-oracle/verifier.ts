// The login of Oracle 12c (verifier 0x4815): the server's stored form of a password, and how it checks one without
// receiving it.
import { createCipheriv, createDecipheriv, createHash, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";

const VERIFIER_12C = 0x4815;
/** Oracle's default values. */
const [GENERATION_ROUNDS, SESSION_ROUNDS] = [4096, 3];
const KEY_BYTES = 32;
const BLOCK_BYTES = 16;

/** Not the password, but its PBKDF2 key, hashed again with the salt. */
export interface Verifier {
  salt: Buffer;
  hash: Buffer;
}

/** The server's half of a login in progress. */
export interface Challenge {
  verifier: Verifier;
  half: Buffer;
  mixingSalt: Buffer;
}

export function verifierOf(password: string, salt: Buffer = randomBytes(16)): Verifier {
  const source = Buffer.concat([salt, Buffer.from("AUTH_PBKDF2_SPEEDY_KEY")]);
  return { salt, hash: hashOf(pbkdf2Sync(password, source, GENERATION_ROUNDS, 64, "sha512"), salt) };
}

const hashOf = (key: Buffer, salt: Buffer): Buffer => createHash("sha512").update(key).update(salt).digest();

export const isPasswordOf = (verifier: Verifier, password: string) =>
  verifierOf(password, verifier.salt).hash.equals(verifier.hash);

export function challenge(verifier: Verifier): Challenge {
  return { verifier, half: randomBytes(KEY_BYTES), mixingSalt: randomBytes(16) };
}

/** Name, value and flags of each pair in the server's answer to the first half of a login. */
export function challengePairs({ verifier, half, mixingSalt }: Challenge): [string, string, number?][] {
  return [
    ["AUTH_SESSKEY", hex(encrypt(verifier.hash.subarray(0, KEY_BYTES), half))],
    ["AUTH_VFR_DATA", hex(verifier.salt), VERIFIER_12C],
    ["AUTH_PBKDF2_CSK_SALT", hex(mixingSalt)],
    ["AUTH_PBKDF2_VGEN_COUNT", String(GENERATION_ROUNDS)],
    ["AUTH_PBKDF2_SDER_COUNT", String(SESSION_ROUNDS)],
  ];
}

/** The session key, or null when the client does not know the password. */
export function sessionKey(
  { verifier, half, mixingSalt }: Challenge,
  sent: ReadonlyMap<string, string>,
): Buffer | null {
  const clientHalf = decrypt(verifier.hash.subarray(0, KEY_BYTES), sent.get("AUTH_SESSKEY"));
  if (clientHalf?.length !== KEY_BYTES) return null;
  const both = hex(Buffer.concat([clientHalf, half]));
  const key = pbkdf2Sync(both, mixingSalt, SESSION_ROUNDS, KEY_BYTES, "sha512");
  const speedyKey = decrypt(key, sent.get("AUTH_PBKDF2_SPEEDY_KEY"))?.subarray(BLOCK_BYTES);
  if (speedyKey === undefined || !timingSafeEqual(hashOf(speedyKey, verifier.salt), verifier.hash)) return null;
  const password = passwordIn(key, sent.get("AUTH_PASSWORD"));
  return password !== null && isPasswordOf(verifier, password) ? key : null;
}

/** A password as sent: after 16 random bytes, padded (RFC 5652 §6.3), encrypted with the session key. */
export function passwordIn(key: Buffer, sent: string | undefined): string | null {
  const plain = decrypt(key, sent);
  const padding = plain?.at(-1) ?? 0;
  if (plain === null || padding === 0 || padding > BLOCK_BYTES) return null;
  return plain.subarray(BLOCK_BYTES, -padding).toString();
}

/** Proves that the server knows the verifier too. */
export const serverResponse = (key: Buffer) =>
  hex(encrypt(key, Buffer.concat([randomBytes(BLOCK_BYTES), Buffer.from("SERVER_TO_CLIENT"), Buffer.alloc(16, 16)])));

const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

function encrypt(key: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-cbc", key, Buffer.alloc(BLOCK_BYTES)).setAutoPadding(false);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

/** Null for incomplete blocks. */
function decrypt(key: Buffer, sent: string | undefined): Buffer | null {
  const bytes = Buffer.from(sent ?? "", "hex");
  if (bytes.length === 0 || bytes.length % BLOCK_BYTES !== 0) return null;
  const decipher = createDecipheriv("aes-256-cbc", key, Buffer.alloc(BLOCK_BYTES)).setAutoPadding(false);
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
}
