// Secrets with several parts: their stored form, and how it is distinguished from a password.

/**
 * A secret with several parts is stored as PEM, or as a JSON object whose members are texts: `{"private_key":
 * "-----BEGIN …", "passphrase": "…", "certificate": "-----BEGIN …"}`, each of them optional.
 */
export interface JsonSecret {
  privateKey: string | null;
  passphrase: string | null;
  certificate: string | null;
}

/**
 * The members of a JSON secret, or null when `text` is not one (then all of it is the key, certificate or password).
 */
export function parseJsonSecret(text: string): JsonSecret | null {
  if (!text.trimStart().startsWith("{")) return null;
  const value = parseJson(text);
  if (value === null || typeof value !== "object") return null;
  const members = new Map<string, unknown>(Object.entries(value));
  if (!MEMBERS.some((name) => members.has(name))) return null;
  const textOf = (name: string) => {
    const member = members.get(name);
    return typeof member === "string" && member !== "" ? member : null;
  };
  return { privateKey: textOf("private_key"), passphrase: textOf("passphrase"), certificate: textOf("certificate") };
}

/** Every text in the stored value that must not appear in any output. */
export function secretTexts(value: string): string[] {
  const json = parseJsonSecret(value);
  return [value, json?.privateKey, json?.passphrase].filter((text) => typeof text === "string");
}

/** True for the private key formats of OpenSSH, OpenSSL and PuTTY. */
export function looksLikePrivateKey(text: string): boolean {
  return /^\s*(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----|PuTTY-User-Key-File-\d)/.test(text);
}

const MEMBERS = ["private_key", "passphrase", "certificate"];

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A password may start with a brace: if it is not JSON, it is a password.
    return null;
  }
}
