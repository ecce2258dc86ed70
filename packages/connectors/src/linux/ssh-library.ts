// The abilities of the installed SSH library: its patch (`patches/`) and its native part.
import { createRequire } from "node:module";
import type { KexAlgorithm } from "ssh2";

const require = createRequire(import.meta.url);
const { mlkemSupported } = require("ssh2/lib/protocol/constants.js") as { mlkemSupported?: boolean };
const { bindingAvailable } = require("ssh2/lib/protocol/crypto.js") as { bindingAvailable: boolean };

/** Without its patch, the library logs in without certificates and has no post-quantum key exchange. */
export const isSshPatched = mlkemSupported !== undefined;

/** Without its native part, everything works but needs about twice the processor time. */
export const isSshNative = bindingAvailable;

/** Post-quantum first, as current OpenSSH does; then what OpenSSH 7.4 and later support. */
export const KEY_EXCHANGES = [
  ...(mlkemSupported === true ? ["mlkem768x25519-sha256"] : []),
  "curve25519-sha256",
  "curve25519-sha256@libssh.org",
  "ecdh-sha2-nistp256",
  "ecdh-sha2-nistp384",
] as KexAlgorithm[];
