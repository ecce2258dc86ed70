// Generates one Ed25519 key pair in OpenSSH format. Blocks while a passphrase is stretched.
import ssh2 from "ssh2";
import { readKey } from "../private-key/read-key.ts";
import { sshKeyOf } from "./ssh-key.ts";

/** bcrypt rounds, as ssh-keygen uses. */
const ROUNDS = 16;
const MAX_TRIES = 20;

/**
 * About one key in a hundred is written in a form that no program can read, not even the library itself (it drops
 * a leading zero): each one is read back, and its halves compared, before it is returned.
 */
export function generateKey(passphrase: string | null): string {
  const locked = passphrase === null ? {} : { passphrase, cipher: "aes256-ctr" as const, rounds: ROUNDS };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const pair = ssh2.utils.generateKeyPairSync("ed25519", { comment: "strongroom", ...locked });
    const read = readKey(pair.private, passphrase);
    const half = "key" in read ? sshKeyOf(read.key)?.getPublicSSH().toString("base64") : undefined;
    if (half !== undefined && pair.public.split(" ")[1] === half) return pair.private;
  }
  throw new Error("Generating an SSH key failed");
}
