// Reads one private key in any of the forms in which people keep them.
import { createPrivateKey, type KeyObject } from "node:crypto";
import ssh2, { type ParsedKey } from "ssh2";

/** What stops a private key from being opened. */
export type KeyProblem = "too-costly" | "passphrase-missing" | "passphrase-wrong" | "unreadable";

export type OpenedKey = { key: KeyObject } | { problem: KeyProblem };

/**
 * OpenSSH's and PuTTY's own forms are read by ssh2; PKCS#8 (RFC 5958), PKCS#1 and SEC 1 by node:crypto. Blocks while
 * it derives the key from a passphrase.
 */
export function readKey(text: string, passphrase: string | null): OpenedKey {
  const isPem = !/BEGIN OPENSSH PRIVATE KEY|PuTTY-User-Key-File/.test(text);
  return isPem ? fromPem(text, passphrase) : fromSshForm(text, passphrase);
}

function fromPem(text: string, passphrase: string | null): OpenedKey {
  try {
    return { key: createPrivateKey({ key: text, ...(passphrase === null ? {} : { passphrase }) }) };
  } catch {
    // Whatever node:crypto cannot read is bad input, and its codes differ from one OpenSSL to the next.
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

/** ssh2 reports by text alone. */
function problemOf(message: string, passphrase: string | null): KeyProblem {
  if (/no passphrase given/i.test(message)) return "passphrase-missing";
  return passphrase !== null && /passphrase|integrity/i.test(message) ? "passphrase-wrong" : "unreadable";
}
