// Private keys in PEM blocks and in files of PuTTY, and shared keys of OpenVPN: checks that the body is a key, whether a passphrase protects it, and its public key.
import { createHash, createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";

export interface PrivateKeyBlock {
  start: number;
  end: number;
  /** The block with real line ends. */
  pem: string;
  detector: "ssh-private-key" | "private-key" | "pgp-private-key" | "putty-private-key";
  isProtected: boolean;
  /** OpenSSH's `SHA256:…`, or null when the key is protected or of a kind that Node cannot read. */
  publicKey: string | null;
}

const BEGIN = "-----BEGIN ";
const LONGEST_BLOCK = 32_768;
const HEAD = /-----BEGIN ((?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?)-----/y;

/** Blocks whose body is no key (placeholders, truncated samples) are left out. */
export function privateKeysIn(text: string): PrivateKeyBlock[] {
  const found: PrivateKeyBlock[] = [];
  for (let at = text.indexOf(BEGIN); at !== -1; at = text.indexOf(BEGIN, at + BEGIN.length)) {
    HEAD.lastIndex = at;
    const head = HEAD.exec(text);
    if (head === null) continue;
    const foot = `-----END ${head[1]}-----`;
    const footAt = text.slice(at, at + LONGEST_BLOCK).indexOf(foot);
    if (footAt === -1) continue;
    const block = blockOf(text, at, at + footAt + foot.length, head[1]!);
    if (block !== null) found.push(block);
    at += footAt;
  }
  return [...found, ...puttyKeysIn(text), ...openVpnKeysIn(text)];
}

const OPENVPN = /-----BEGIN OpenVPN Static key V1-----\s+(?:[\da-f]{32}\s+){16}-----END OpenVPN Static key V1-----/g;

/** The key that both ends of a tunnel share (`tls-auth`, `tls-crypt`, `secret`). */
function openVpnKeysIn(text: string): PrivateKeyBlock[] {
  if (!text.includes("BEGIN OpenVPN Static key")) return [];
  return [...text.matchAll(OPENVPN)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    pem: match[0].replaceAll("\r\n", "\n"),
    detector: "private-key",
    isProtected: false,
    publicKey: null,
  }));
}

const PUTTY =
  /PuTTY-User-Key-File-\d: \S+\s+Encryption: (?<encryption>\S+)\s+(?:Comment: [^\n]*\n)?\s*Public-Lines: \d+\s+(?<public>[\w+/=\s]{40,8000}?)(?:[A-Z][\w-]{1,40}: [^\n]{0,200}\s+){0,8}?Private-Lines: \d+\s+(?<private>[\w+/=\s]{32,16000}?)Private-(?:MAC|Hash): [\da-f]{16,128}/g;

/** PuTTY's own format (its manual, appendix C). */
function puttyKeysIn(text: string): PrivateKeyBlock[] {
  if (!text.includes("PuTTY-User-Key-File-")) return [];
  return [...text.matchAll(PUTTY)].flatMap((match) => {
    const { encryption, public: publicLines = "", private: privateLines = "" } = match.groups ?? {};
    if (new Set(Buffer.from(privateLines, "base64")).size < 16) return [];
    const start = match.index;
    return {
      start,
      end: start + match[0].length,
      pem: match[0].replaceAll("\r\n", "\n"),
      detector: "putty-private-key" as const,
      isProtected: encryption !== "none",
      publicKey: fingerprintOf(Buffer.from(publicLines, "base64")),
    };
  });
}

function blockOf(text: string, start: number, end: number, label: string): PrivateKeyBlock | null {
  const inner = text.slice(start + BEGIN.length + label.length + 5, end - label.length - 14);
  const lines = inner
    .split(/\\r\\n|\\n|\\r|[\r\n]+/)
    // Indented blocks, and string literals that are joined with `+`.
    .map((line) =>
      line.replace(/^\s*(?:[#>|*]+\s*|(?:\+|\/\/|["']\s*[.+])\s*)*["']?|(?:["']\s*[+.,;\\)]*|\\)?\s*$/g, ""),
    )
    .filter((line) => line !== "");
  const headers = lines.filter((line) => /^[A-Za-z-]+: /.test(line));
  const body = lines.filter((line) => !/^[A-Za-z-]+: /.test(line) && !/^=[\w+/]{4}$/.test(line)).join("");
  if (!/^[A-Za-z\d+/]+={0,2}$/.test(body) || body.length < 40) return null;
  const bytes = Buffer.from(body, "base64");
  const isPgp = label.startsWith("PGP");
  if (!isKeyBody(bytes, label)) return null;
  const isOpenSsh = label.startsWith("OPENSSH");
  const isProtected =
    label.startsWith("ENCRYPTED") ||
    headers.some((line) => /^(?:Proc-Type|DEK-Info):/i.test(line)) ||
    (isOpenSsh && !isUnencryptedOpenSsh(bytes));
  const pem = [
    `-----BEGIN ${label}-----`,
    ...headers,
    ...(headers.length > 0 ? [""] : []),
    ...(body.match(/.{1,64}/g) ?? []),
    `-----END ${label}-----`,
    "",
  ].join("\n");
  const publicKey = isProtected || isPgp ? null : isOpenSsh ? openSshPublicKey(bytes) : publicKeyOf(pem);
  const detector = isPgp
    ? "pgp-private-key"
    : isOpenSsh || label.startsWith("SSH2")
      ? "ssh-private-key"
      : "private-key";
  return { start, end, pem, detector, isProtected, publicKey };
}

/** The first bytes of DER, OpenSSH and OpenPGP, and a body that does not repeat itself. */
function isKeyBody(bytes: Buffer, label: string): boolean {
  if (new Set(bytes).size < 16) return false;
  if (label.startsWith("OPENSSH")) return bytes.subarray(0, 14).toString("latin1") === "openssh-key-v1";
  if (label.startsWith("PGP")) return (bytes[0]! & 0x80) !== 0;
  if (label.startsWith("SSH2")) return bytes.readUInt32BE(0) === 0x3f6ff9eb;
  // Traditional encrypted keys are ciphertext of any bytes.
  if (/^(?:RSA|DSA|EC) /.test(label)) return bytes.length >= 48;
  return bytes[0] === 0x30;
}

function isUnencryptedOpenSsh(bytes: Buffer): boolean {
  return bytes.subarray(15, 23).equals(Buffer.from("\0\0\0\x04none", "latin1"));
}

/** The fingerprint of the first public key in `openssh-key-v1`: cipher, kdf, kdf options, number of keys, key. */
function openSshPublicKey(bytes: Buffer): string | null {
  let at = 15;
  for (let field = 0; field < 3; field += 1) {
    if (at + 4 > bytes.length) return null;
    at += 4 + bytes.readUInt32BE(at);
  }
  at += 4;
  if (at + 4 > bytes.length) return null;
  const length = bytes.readUInt32BE(at);
  if (length === 0 || at + 4 + length > bytes.length) return null;
  return fingerprintOf(bytes.subarray(at + 4, at + 4 + length));
}

function publicKeyOf(pem: string): string | null {
  try {
    return sshFingerprint(createPublicKey(pem));
  } catch {
    return null; // A kind of key that OpenSSL does not know, or a damaged one.
  }
}

/** OpenSSH's fingerprint of a public key, or null for kinds that SSH does not use. */
export function sshFingerprint(key: KeyObject): string | null {
  const jwk = key.asymmetricKeyType === "dsa" ? {} : key.export({ format: "jwk" });
  const bytes = (text: unknown) => Buffer.from(String(text), "base64url");
  switch (key.asymmetricKeyType) {
    case "rsa":
      return fingerprintOf(sshWire("ssh-rsa", integer(bytes(jwk.e)), integer(bytes(jwk.n))));
    case "ed25519":
      return fingerprintOf(sshWire("ssh-ed25519", bytes(jwk.x)));
    case "ec": {
      const curve = { "P-256": "nistp256", "P-384": "nistp384", "P-521": "nistp521" }[String(jwk.crv)];
      if (curve === undefined) return null;
      return fingerprintOf(
        sshWire(
          `ecdsa-sha2-${curve}`,
          Buffer.from(curve),
          Buffer.concat([Buffer.from([4]), bytes(jwk.x), bytes(jwk.y)]),
        ),
      );
    }
    default:
      return null;
  }
}

const fingerprintOf = (wire: Buffer): string =>
  `SHA256:${createHash("sha256").update(wire).digest("base64").replace(/=+$/, "")}`;

/** RFC 4251 §5: strings with their lengths. */
function sshWire(kind: string, ...fields: Buffer[]): Buffer {
  return Buffer.concat(
    [Buffer.from(kind), ...fields].flatMap((field) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(field.length);
      return [length, field];
    }),
  );
}

/** An mpint: a leading zero keeps it positive. */
const integer = (bytes: Buffer): Buffer => ((bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
