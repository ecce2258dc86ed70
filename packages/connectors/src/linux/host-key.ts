// SSH host keys: their fingerprints, and the algorithm order that makes a server present the pinned one.
import { createHash } from "node:crypto";
import type { ServerHostKeyAlgorithm } from "ssh2";
import type { HostKey } from "../connector.ts";

/** The key in a public-key blob (RFC 4253 §6.6); the first field is the key type. Null for an unknown type. */
export function hostKeyOf(blob: Buffer): HostKey | null {
  if (blob.length < 4) return null;
  const length = blob.readUInt32BE(0);
  const type = blob.toString("latin1", 4, 4 + length);
  if (!ALGORITHMS.some((known) => known.type === type)) return null;
  const digest = createHash("sha256").update(blob).digest("base64").replace(/=+$/, "");
  return { type, fingerprint: `SHA256:${digest}` };
}

export function isSameKey(a: HostKey, b: HostKey): boolean {
  return a.type === b.type && a.fingerprint === b.fingerprint;
}

/**
 * The algorithms to offer, the pinned key's first: a server with several keys then presents the pinned one, and a
 * server without it presents a different one, which raises the alarm. Null when nothing is pinned: the library's order
 * is used.
 */
export function algorithmsFor(pinned: HostKey | null): ServerHostKeyAlgorithm[] | null {
  if (pinned === null) return null;
  const first = ALGORITHMS.filter(({ type }) => type === pinned.type);
  const others = ALGORITHMS.filter(({ type }) => type !== pinned.type);
  return [...first, ...others].map(({ algorithm }) => algorithm);
}

const ALGORITHMS: { algorithm: ServerHostKeyAlgorithm; type: string }[] = [
  { algorithm: "ssh-ed25519", type: "ssh-ed25519" },
  { algorithm: "ecdsa-sha2-nistp256", type: "ecdsa-sha2-nistp256" },
  { algorithm: "ecdsa-sha2-nistp384", type: "ecdsa-sha2-nistp384" },
  { algorithm: "ecdsa-sha2-nistp521", type: "ecdsa-sha2-nistp521" },
  { algorithm: "rsa-sha2-512", type: "ssh-rsa" },
  { algorithm: "rsa-sha2-256", type: "ssh-rsa" },
  { algorithm: "ssh-rsa", type: "ssh-rsa" },
];
