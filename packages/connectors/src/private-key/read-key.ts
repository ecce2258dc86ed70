// Reads one private key in any of the common formats.
import { createPrivateKey, type KeyObject } from "node:crypto";
import ssh2, { type ParsedKey } from "ssh2";

/** The problem that prevents a private key from being opened. */
export type KeyProblem = "too-costly" | "passphrase-missing" | "passphrase-wrong" | "unreadable";

export type OpenedKey = { key: KeyObject } | { problem: KeyProblem };

/**
 * ssh2 reads OpenSSH's and PuTTY's own formats; node:crypto reads PKCS#8 (RFC 5958), PKCS#1 and SEC 1. Blocks while it
 * derives the key from a passphrase.
 */
export function readKey(text: string, passphrase: string | null): OpenedKey {
  const isPem = !/BEGIN OPENSSH PRIVATE KEY|PuTTY-User-Key-File/.test(text);
  return isPem ? fromPem(text, passphrase) : fromSshForm(text, passphrase);
}

function fromPem(text: string, passphrase: string | null): OpenedKey {
  try {
    return { key: createPrivateKey({ key: text, ...(passphrase === null ? {} : { passphrase }) }) };
  } catch {
    // Anything that node:crypto cannot read is bad input, and its error codes differ between OpenSSL versions.
    if (!text.includes("ENCRYPTED")) return { problem: "unreadable" };
    return { problem: passphrase === null ? "passphrase-missing" : "passphrase-wrong" };
  }
}

function fromSshForm(text: string, passphrase: string | null): OpenedKey {
  const parsed = ssh2.utils.parseKey(`${text.trim()}\n`, passphrase ?? undefined);
  const key = Array.isArray(parsed) ? (parsed[0] as ParsedKey) : parsed;
  if (key instanceof Error) return { problem: problemOf(key.message, passphrase) };
  return key.isPrivateKey() ? fromPem(key.getPrivatePEM(), null) : { problem: "unreadable" };
}

/** ssh2 reports problems only as text. */
function problemOf(message: string, passphrase: string | null): KeyProblem {
  if (/no passphrase given/i.test(message)) return "passphrase-missing";
  return passphrase !== null && /passphrase|integrity/i.test(message) ? "passphrase-wrong" : "unreadable";
}
