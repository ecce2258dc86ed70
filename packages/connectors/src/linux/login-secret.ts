// The secret of an SSH login: a password, or a decrypted private key.
import type { ParsedKey } from "ssh2";
import type { Failure } from "../connector.ts";
import { misconfigured } from "../finding.ts";
import { looksLikePrivateKey, parseJsonSecret } from "../private-key/json-secret.ts";
import { openKey } from "../private-key/open-key.ts";
import type { KeyProblem } from "../private-key/read-key.ts";
import { sshKeyOf } from "./ssh-key.ts";

export type LoginSecret = { kind: "password"; password: string } | { kind: "key"; key: ParsedKey };

/** `mustBeKey` for entries of type SSH Key, whose value cannot be a password. */
export async function loginSecret(
  value: string,
  mustBeKey: boolean,
  signal: AbortSignal,
): Promise<LoginSecret | { failure: Failure }> {
  const json = parseJsonSecret(value);
  const text = json?.privateKey ?? (looksLikePrivateKey(value) ? value : null);
  if (text === null) {
    return mustBeKey || json !== null ? refuse(NOT_A_KEY) : { kind: "password", password: value };
  }
  const opened = await openKey(text, json?.passphrase ?? null, signal);
  if ("problem" in opened) return refuse(PROBLEMS[opened.problem]);
  const key = sshKeyOf(opened.key);
  return key === null ? refuse("SSH does not support this kind of key.") : { kind: "key", key };
}

const NOT_A_KEY =
  'This is not a private key. Store the key in PEM or OpenSSH format, or {"private_key": "…", "passphrase": "…"}.';

const PROBLEMS: Record<KeyProblem, string> = {
  "too-costly": "The private key uses too many rounds of key derivation. Re-encrypt it with ssh-keygen -p.",
  "passphrase-missing": 'The private key is encrypted. Store it as {"private_key": "…", "passphrase": "…"}.',
  "passphrase-wrong": "Wrong passphrase for the private key.",
  unreadable: "The private key cannot be read: it is damaged or in an unknown format.",
};

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
