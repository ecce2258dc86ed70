// Converts a private key to the form that the SSH library signs with.
import { randomBytes, type KeyObject } from "node:crypto";
import ssh2, { type ParsedKey } from "ssh2";

/** Null for a kind of key that SSH does not support. */
export function sshKeyOf(key: KeyObject): ParsedKey | null {
  const text = sshFormOf(key);
  if (text === null) return null;
  const parsed = ssh2.utils.parseKey(text);
  const parsedKey = Array.isArray(parsed) ? (parsed[0] as ParsedKey) : parsed;
  return parsedKey instanceof Error ? null : parsedKey;
}

/** The library reads RSA and EC keys only in their own PEM forms, and Ed25519 keys only in OpenSSH format. */
function sshFormOf(key: KeyObject): string | null {
  const { asymmetricKeyType: kind } = key;
  if (kind === "rsa") return key.export({ type: "pkcs1", format: "pem" }).toString();
  if (kind === "ec") return key.export({ type: "sec1", format: "pem" }).toString();
  return kind === "ed25519" ? opensshForm(key) : null;
}

/** `openssh-key-v1` without encryption (OpenSSH PROTOCOL.key). */
function opensshForm(key: KeyObject): string {
  const { x = "", d = "" } = key.export({ format: "jwk" });
  const publicKey = Buffer.from(x, "base64url");
  const kind = field(Buffer.from("ssh-ed25519"));
  const check = randomBytes(4);
  const pair = Buffer.concat([Buffer.from(d, "base64url"), publicKey]);
  const secret = Buffer.concat([check, check, kind, field(publicKey), field(pair), field(Buffer.alloc(0))]);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7]).subarray(0, (8 - (secret.length % 8)) % 8);
  const none = field(Buffer.from("none"));
  const file = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    none,
    none,
    field(Buffer.alloc(0)),
    Buffer.from([0, 0, 0, 1]),
    field(Buffer.concat([kind, field(publicKey)])),
    field(Buffer.concat([secret, padding])),
  ]);
  const lines = file.toString("base64").replace(/.{70}/g, "$&\n");
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
