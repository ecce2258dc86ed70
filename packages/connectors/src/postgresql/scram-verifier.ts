// PostgreSQL's stored form of a password (RFC 5802 §3, RFC 7677), computed here so that the password itself is never
// sent.
import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(pbkdf2);

/** PostgreSQL's default (scram_iterations). */
const ITERATIONS = 4096;
const SALT_BYTES = 16;

/** `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`, as in pg_authid.rolpassword. */
export async function scramVerifier(
  password: string,
  { iterations = ITERATIONS, salt = randomBytes(SALT_BYTES) }: { iterations?: number; salt?: Buffer } = {},
): Promise<string> {
  const saltedPassword = await derive(password, salt, iterations, 32, "sha256");
  const storedKey = createHash("sha256").update(hmac(saltedPassword, "Client Key")).digest("base64");
  const serverKey = hmac(saltedPassword, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}

/**
 * True for a password that all clients encode in the same bytes. SCRAM prepares passwords first (RFC 4013), and
 * clients implement that to different degrees: only a password that no preparation changes gives the same verifier
 * everywhere.
 */
export function isSameEverywhere(password: string): boolean {
  return password.normalize("NFKC") === password && !PREPARED.test(password.replaceAll(" ", ""));
}

/** Covers the spaces of RFC 3454 table C.1.2 and the characters that table B.1 maps to nothing. */
const PREPARED = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\u{1806}]/u;

const hmac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
