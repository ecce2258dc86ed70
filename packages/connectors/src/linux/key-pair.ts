// A new SSH key pair in the form in which the current one is stored.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Secret } from "@strongroom/keys";
import { looksLikePrivateKey, parseJsonSecret } from "../private-key/json-secret.ts";
import { generateKey } from "./generate-key.ts";

/** Ed25519 in OpenSSH format, with the same passphrase if there is one. Null when `current` is a password. */
export async function newKeyPair(current: Secret): Promise<Secret | null> {
  const value = current.reveal();
  const json = parseJsonSecret(value);
  if (json === null) return looksLikePrivateKey(value) ? Secret.fromText(generateKey(null)) : null;
  const { privateKey, passphrase } = json;
  if (privateKey === null) return null;
  const key = passphrase === null ? generateKey(null) : await inThread(passphrase);
  return Secret.fromText(JSON.stringify({ private_key: key, ...(passphrase === null ? {} : { passphrase }) }));
}

async function inThread(passphrase: string): Promise<string> {
  const worker = new Worker(new URL("./generate-key.worker.ts", import.meta.url), { workerData: { passphrase } });
  const [key] = (await once(worker, "message")) as [string];
  return key;
}
