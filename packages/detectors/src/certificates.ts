// Certificates with a problem: expired or soon to expire, weak key, weak signature, or self-signed by a server.
import { X509Certificate } from "node:crypto";
import { sshFingerprint } from "./private-keys.ts";

export interface CertificateProblem {
  start: number;
  end: number;
  pem: string;
  reason: string;
  confidence: number;
  publicKey: string | null;
}

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";
const LONGEST_BLOCK = 32_768;
/** A bundle of authorities has hundreds. */
const MOST = 500;

/** Certificates are usually renewed 30 days before they expire; with fewer days left, the renewal has probably failed. */
const SOON_MS = 21 * 24 * 3600 * 1000;

/** `now` decides what has expired; without it, expiry is not checked. Authorities may be self-signed. */
export function certificateProblemsIn(text: string, now: Date | undefined): CertificateProblem[] {
  const found: CertificateProblem[] = [];
  let count = 0;
  for (let at = text.indexOf(BEGIN); at !== -1 && count < MOST; at = text.indexOf(BEGIN, at + BEGIN.length)) {
    const length = text.slice(at, at + LONGEST_BLOCK).indexOf(END);
    if (length === -1) continue;
    count += 1;
    const end = at + length + END.length;
    const body = text.slice(at + BEGIN.length, at + length).replace(/\\[rn]|[^A-Za-z\d+/=]/g, "");
    const pem = `${BEGIN}\n${(body.match(/.{1,64}/g) ?? []).join("\n")}\n${END}\n`;
    const problem = problemOf(pem, now);
    if (problem !== null) found.push({ start: at, end, pem, ...problem });
  }
  return found;
}

function problemOf(pem: string, now: Date | undefined): Omit<CertificateProblem, "start" | "end" | "pem"> | null {
  const certificate = parse(pem);
  if (certificate === null) return null;
  const problems: string[] = [];
  const key = certificate.publicKey;
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
  const end = certificate.validToDate;
  const date = () => end.toISOString().slice(0, 10);
  if (now !== undefined && end < now) problems.push(`It expired on ${date()}.`);
  else if (now !== undefined && isLongLived(certificate) && end.getTime() - now.getTime() < SOON_MS)
    problems.push(`It expires on ${date()}.`);
  if (["rsa", "rsa-pss", "dsa"].includes(key.asymmetricKeyType ?? "") && (modulusLength ?? 4096) < 2048)
    problems.push(`Its key has only ${modulusLength} bits.`);
  if (/^(?:prime192|secp1[0-9]|secp192|secp160|sect1)/.test(namedCurve ?? "")) problems.push("Its curve is too short.");
  const isSelfSigned = certificate.issuer === certificate.subject;
  const algorithm = certificate.signatureAlgorithm ?? "";
  if (!isSelfSigned && /md5|sha1(?!\d)/i.test(algorithm)) problems.push(`It is signed with ${algorithm}.`);
  if (isSelfSigned && !certificate.ca) problems.push("It is self-signed.");
  if (
    problems.length === 0 ||
    (isSelfSigned && certificate.ca && problems.every((each) => each.startsWith("It expire")))
  )
    return null;
  return { reason: problems.join(" "), confidence: 0.9, publicKey: sshFingerprint(key) };
}

/** Certificates that are valid for a few days are renewed every few days. */
const isLongLived = ({ validFromDate, validToDate }: X509Certificate): boolean =>
  validToDate.getTime() - validFromDate.getTime() > 2 * SOON_MS;

function parse(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null; // Not a certificate.
  }
}
