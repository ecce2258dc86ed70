// A new SSH key pair in the form in which the present one is stored.
import { promisify } from "node:util";
import { Secret } from "@strongroom/keys";
import ssh2 from "ssh2";
import { looksLikePrivateKey, parseJsonSecret } from "../private-key/json-secret.ts";

type Generate = (type: "ed25519", options: object) => Promise<{ private: string; public: string }>;
const generate = promisify(ssh2.utils.generateKeyPair) as unknown as Generate;

/** bcrypt rounds, as ssh-keygen uses. */
const ROUNDS = 16;

/** Ed25519 as OpenSSH writes it, with the same passphrase when there is one. Null when `current` is a password. */
export async function newKeyPair(current: Secret): Promise<Secret | null> {
  const value = current.reveal();
  const json = parseJsonSecret(value);
  if (json === null ? !looksLikePrivateKey(value) : json.privateKey === null) return null;
  const passphrase = json?.passphrase ?? null;
  const locked = passphrase === null ? {} : { passphrase, cipher: "aes256-ctr", rounds: ROUNDS };
  const pair = await generate("ed25519", { comment: "strongroom", ...locked });
  if (json === null) return Secret.fromText(pair.private);
  const stored = { private_key: pair.private, ...(passphrase === null ? {} : { passphrase }) };
  return Secret.fromText(JSON.stringify(stored));
}
