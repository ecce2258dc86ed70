// Generates one Ed25519 key pair in OpenSSH's form. Blocks while a passphrase is stretched.
import ssh2 from "ssh2";
import { readKey } from "../private-key/read-key.ts";
import { sshKeyOf } from "./ssh-key.ts";

/** bcrypt rounds, as ssh-keygen uses. */
const ROUNDS = 16;
const MAX_TRIES = 20;

/**
 * The library writes about one key in a hundred so that nothing can read it, itself included (it drops a leading zero): each
 * one is read back, and its halves compared, before anybody gets it.
 */
export function generateKey(passphrase: string | null): string {
  const locked = passphrase === null ? {} : { passphrase, cipher: "aes256-ctr" as const, rounds: ROUNDS };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const pair = ssh2.utils.generateKeyPairSync("ed25519", { comment: "strongroom", ...locked });
    const read = readKey(pair.private, passphrase);
    const half = "key" in read ? sshKeyOf(read.key)?.getPublicSSH().toString("base64") : undefined;
    if (half !== undefined && pair.public.split(" ")[1] === half) return pair.private;
  }
  throw new Error("No usable SSH key came out of the generator");
}
