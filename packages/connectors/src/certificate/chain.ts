// Stored X.509 certificates: parses the PEM text and checks that each was issued by the next (RFC 5280 §6.1).
import { X509Certificate, type KeyObject } from "node:crypto";
import { parseJsonSecret } from "../private-key/json-secret.ts";
import { openKey } from "../private-key/open-key.ts";
import { pemBlocks } from "../private-key/pem.ts";
import type { KeyProblem } from "../private-key/read-key.ts";

export interface StoredCertificate {
  /** The leaf first; never empty. */
  chain: [X509Certificate, ...X509Certificate[]];
  /** Null when only the certificate is stored. */
  privateKey: KeyObject | null;
}

/** More certificates than any real chain contains. */
const MAX_CHAIN = 20;

/**
 * Reads PEM text with the leaf, its issuers and optionally a private key at any position, or the JSON form of
 * `json-secret.ts` when the key has a passphrase. Returns a string with the error instead of a result.
 */
export async function parseStored(value: string, signal: AbortSignal): Promise<StoredCertificate | string> {
  const json = parseJsonSecret(value);
  const text = json === null ? value : `${json.certificate ?? ""}\n${json.privateKey ?? ""}`;
  const blocks = pemBlocks(text);
  const certificates = blocks.filter(({ label }) => label === "CERTIFICATE" || label === "TRUSTED CERTIFICATE");
  if (certificates.length === 0) return "There is no certificate in PEM format.";
  if (certificates.length > MAX_CHAIN) return `There are more than ${MAX_CHAIN} certificates.`;
  const [leaf, ...issuers] = certificates.map(({ pem }) => parsedCertificate(pem));
  if (leaf === undefined || leaf === null || issuers.includes(null))
    return "A certificate cannot be read: it is damaged.";

  const keys = blocks.filter(({ label }) => label.endsWith("PRIVATE KEY"));
  const [key] = keys;
  if (keys.length > 1) return "There is more than one private key.";
  const chain: StoredCertificate["chain"] = [leaf, ...issuers.filter((each) => each !== null)];
  if (key === undefined) return { chain, privateKey: null };
  const opened = await openKey(key.pem, json?.passphrase ?? null, signal);
  return "problem" in opened ? KEY_PROBLEMS[opened.problem] : { chain, privateKey: opened.key };
}

/** The index of the first certificate that the next one did not issue, or null when order and signatures are correct. */
export function brokenLink(chain: readonly X509Certificate[]): number | null {
  const index = chain.findIndex((certificate, place) => {
    const issuer = chain[place + 1];
    return (
      issuer !== undefined && !(issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))
    );
  });
  return index === -1 ? null : index;
}

function parsedCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    // node:crypto offers no check other than parsing.
    return null;
  }
}

const KEY_PROBLEMS: Record<KeyProblem, string> = {
  "too-costly": "The private key uses too many rounds of key derivation.",
  "passphrase-missing":
    'The private key is encrypted. Store {"certificate": "…", "private_key": "…", "passphrase": "…"}.',
  "passphrase-wrong": "Wrong passphrase for the private key.",
  unreadable: "The private key cannot be read: it is damaged or in an unknown format.",
};
