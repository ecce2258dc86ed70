// Certificates: everything that can be proved from the stored text alone. No connection is made.
import { isIP } from "node:net";
import type { X509Certificate } from "node:crypto";
import type { Secret } from "@strongroom/keys";
import { attempt } from "../attempt.ts";
import type { Connector, Facts, Finding, Target, VerifyContext } from "../connector.ts";
import { misconfigured, rejected, verified } from "../finding.ts";
import type * as Chains from "./chain.ts";

const DAY_MS = 86_400_000;

/** A certificate that ends within so many days is reported as ending soon. */
const SOON_DAYS = 30;

/**
 * Facts, whenever the text can be read: `subject`, `issuer`, `serialNumber`, `fingerprint` (SHA-256, colon-separated),
 * `names`, `notBefore` and `notAfter` (ISO 8601), `daysLeft`, `expiresSoon`, `chainLength`, `hasPrivateKey`, `isSelfIssued`.
 * Who issued the last certificate is not looked up: trust is the reader's question.
 */
export const certificate: Connector = {
  id: "certificate",
  name: "X.509 certificate",
  types: ["certificate"],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const value = secret.reveal();
    // Reading private keys takes the SSH driver, which stays out of memory until somebody verifies.
    const chains = await import("./chain.ts");
    return attempt(context, ({ signal }) => examine(value, target.host, context.now(), signal, chains));
  },
};

async function examine(
  value: string,
  host: string | null,
  now: Date,
  signal: AbortSignal,
  { brokenLink, parseStored }: typeof Chains,
): Promise<Finding> {
  const stored = await parseStored(value, signal);
  if (typeof stored === "string") return misconfigured("bad-input", stored);
  const { chain, privateKey } = stored;
  const [leaf] = chain;
  const facts = factsOf(leaf, chain.length, privateKey !== null, now);
  const broken = brokenLink(chain);
  if (broken !== null) {
    return misconfigured(
      "broken-chain",
      `Certificate ${broken + 1} of ${chain.length} was not issued by the one after it. The order is: the certificate itself, its issuer, the issuer's issuer.`,
      facts,
    );
  }
  if (privateKey !== null && !leaf.checkPrivateKey(privateKey)) {
    return misconfigured("key-mismatch", "The private key does not belong to the certificate.", facts);
  }
  if (host && !isFor(leaf, host)) {
    return misconfigured("name-mismatch", `The certificate is not for ${host}.`, facts);
  }
  for (const [place, each] of chain.entries()) {
    const which = place === 0 ? "The certificate" : `The issuer's certificate (${place + 1} of ${chain.length})`;
    if (now > each.validToDate)
      return rejected("certificate-expired", `${which} expired on ${day(each.validToDate)}.`, facts);
    if (now < each.validFromDate)
      return rejected("certificate-not-yet-valid", `${which} is valid only from ${day(each.validFromDate)}.`, facts);
  }
  return verified(summary(leaf, privateKey !== null, now), facts);
}

function summary(leaf: X509Certificate, hasPrivateKey: boolean, now: Date): string {
  const days = daysLeft(leaf, now);
  const soon = days <= SOON_DAYS ? " It should be renewed." : "";
  const key = hasPrivateKey ? " The private key belongs to it." : " No private key is stored with it.";
  return `The certificate is valid until ${day(leaf.validToDate)} (${days} days left).${soon}${key}`;
}

function factsOf(leaf: X509Certificate, chainLength: number, hasPrivateKey: boolean, now: Date): Facts {
  return {
    subject: leaf.subject,
    issuer: leaf.issuer,
    serialNumber: leaf.serialNumber,
    fingerprint: leaf.fingerprint256,
    names: leaf.subjectAltName?.split(", ") ?? [],
    notBefore: leaf.validFromDate.toISOString(),
    notAfter: leaf.validToDate.toISOString(),
    daysLeft: daysLeft(leaf, now),
    expiresSoon: daysLeft(leaf, now) <= SOON_DAYS,
    chainLength,
    hasPrivateKey,
    isSelfIssued: leaf.checkIssued(leaf),
  };
}

/** Whole days, rounded down; negative once it has expired. */
function daysLeft(leaf: X509Certificate, now: Date): number {
  return Math.floor((leaf.validToDate.getTime() - now.getTime()) / DAY_MS);
}

function isFor(leaf: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host)) !== undefined;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
