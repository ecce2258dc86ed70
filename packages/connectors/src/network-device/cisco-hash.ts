// Cisco's type 8 and 9 password hashes: the device accepts them instead of the password, which is then never sent.
import { pbkdf2, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";

const ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SALT_LENGTH = 14;

const derive = promisify(pbkdf2);
const scryptAsync = promisify<string, string, number, { N: number; r: number; p: number }, Buffer>(scrypt);

/** `$8$`: PBKDF2 with SHA-256, 20,000 rounds. */
export async function ciscoType8(password: string, salt = randomSalt()): Promise<string> {
  return `$8$${salt}$${encoded(await derive(password, salt, 20_000, 32, "sha256"))}`;
}

/** `$9$`: scrypt, N = 16384, r = 1, p = 1. */
export async function ciscoType9(password: string, salt = randomSalt()): Promise<string> {
  return `$9$${salt}$${encoded(await scryptAsync(password, salt, 32, { N: 16_384, r: 1, p: 1 }))}`;
}

function randomSalt(): string {
  return [...randomBytes(SALT_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** Base64 with a different alphabet order, without padding. */
function encoded(bytes: Buffer): string {
  const usual = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const letters = bytes.toString("base64").replace(/=+$/, "");
  return [...letters].map((letter) => ALPHABET[usual.indexOf(letter)]).join("");
}
