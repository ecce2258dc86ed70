// OpenSSH user certificates with Ed25519 keys (PROTOCOL.certkeys of OpenSSH): signs them, and logs in with them.
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type { ParsedKey } from "ssh2";
import { sshKeyOf } from "./ssh-key.ts";

const CERTIFICATE_TYPE = "ssh-ed25519-cert-v01@openssh.com";
const KEY_TYPE = "ssh-ed25519";
const USER_CERTIFICATE = 1;
/** In the order of their names, as sshd requires. */
const EXTENSIONS = ["permit-pty"];

export interface UserCertificate {
  /** Appears in the target's log. */
  keyId: string;
  /** The user names on targets that the certificate is valid for. */
  principals: readonly string[];
  validFrom: Date;
  validUntil: Date;
  /** Addresses or networks in CIDR notation from which the target accepts it; empty: all. */
  sourceAddresses: readonly string[];
  /** The target may use the user's agent, or open ports for the user. */
  permits?: readonly ("agent-forwarding" | "port-forwarding")[];
}

export interface CertificateKey {
  key: ParsedKey;
  serial: bigint;
}

/** A fresh key pair with a certificate of this CA. `caKey` is an Ed25519 private key. */
export function issueUserCertificate(caKey: KeyObject, certificate: UserCertificate): CertificateKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  const serial = randomBytes(8).readBigUInt64BE() >> 1n;
  const blob = signCertificate(caKey, privateKey, serial, certificate);
  const plain = sshKeyOf(privateKey)!;
  // The library signs with the private key, and sends this as the public one.
  const key = Object.create(plain, {
    type: { value: CERTIFICATE_TYPE },
    getPublicSSH: { value: () => blob },
  }) as ParsedKey;
  return { key, serial };
}

function signCertificate(caKey: KeyObject, privateKey: KeyObject, serial: bigint, given: UserCertificate): Buffer {
  const permits = [...EXTENSIONS, ...(given.permits ?? []).map((each) => `permit-${each}`)].toSorted();
  const sources = given.sourceAddresses.length === 0 ? [] : [option("source-address", given.sourceAddresses.join(","))];
  const body = Buffer.concat([
    text(CERTIFICATE_TYPE),
    field(randomBytes(32)),
    field(rawPublicKey(privateKey)),
    number64(serial),
    number32(USER_CERTIFICATE),
    text(given.keyId),
    field(Buffer.concat(given.principals.map(text))),
    number64(BigInt(Math.floor(given.validFrom.getTime() / 1000))),
    number64(BigInt(Math.floor(given.validUntil.getTime() / 1000))),
    field(Buffer.concat(sources)),
    field(Buffer.concat(permits.map((name) => Buffer.concat([text(name), field(Buffer.alloc(0))])))),
    field(Buffer.alloc(0)),
    field(publicKeyBlob(caKey)),
  ]);
  const signature = Buffer.concat([text(KEY_TYPE), field(sign(null, body, caKey))]);
  return Buffer.concat([body, field(signature)]);
}

/** As in an authorized_keys file, without a comment: `ssh-ed25519 AAAA…`. */
export const publicLineOf = (key: KeyObject): string => `${KEY_TYPE} ${publicKeyBlob(key).toString("base64")}`;

/** As ssh-keygen prints it: `SHA256:…`. */
export const fingerprintOf = (key: KeyObject): string =>
  `SHA256:${createHash("sha256").update(publicKeyBlob(key)).digest("base64").replace(/=+$/, "")}`;

const publicKeyBlob = (key: KeyObject): Buffer => Buffer.concat([text(KEY_TYPE), field(rawPublicKey(key))]);

function rawPublicKey(key: KeyObject): Buffer {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return Buffer.from(x, "base64url");
}

const option = (name: string, value: string): Buffer => Buffer.concat([text(name), field(text(value))]);
const text = (value: string): Buffer => field(Buffer.from(value, "utf8"));
const field = (bytes: Buffer): Buffer => Buffer.concat([number32(bytes.length), bytes]);

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function number64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
