// Certificates: checks the stored text and, with a port, that the endpoint presents the same certificate.
import { isIP } from "node:net";
import type { X509Certificate } from "node:crypto";
import type { Secret } from "@strongroom/keys";
import { attempt } from "../attempt.ts";
import type { Attempt } from "../attempt.ts";
import type { Connector, Facts, Failure, Finding, Target, VerifyContext } from "../connector.ts";
import { nameOf, dial } from "../dial.ts";
import { misconfigured, rejected, verified } from "../finding.ts";
import { CERTIFICATE_PARAMETERS, tlsSettings } from "../tls-settings.ts";
import type * as Chains from "./chain.ts";
import type { Endpoint } from "../dial.ts";
import { startTls } from "../start-tls.ts";
import { tlsRefusal } from "../tls-failure.ts";
import type { TlsSettings } from "../tls-settings.ts";
import type { StoredCertificate } from "./chain.ts";

const DAY_MS = 86_400_000;

/** A certificate that expires within this many days is reported as expiring soon. */
const SOON_DAYS = 30;

/**
 * Facts, whenever the text can be parsed: `subject`, `issuer`, `serialNumber`, `fingerprint` (SHA-256,
 * colon-separated), `names`, `notBefore` and `notAfter` (ISO 8601), `daysLeft`, `expiresSoon`, `chainLength`,
 * `hasPrivateKey`, `isSelfIssued`. The issuer of the last certificate is not looked up: the reader decides about
 * trust.
 *
 * The certificate must be for `servername`, or else for the host. With a host and a port a TLS handshake follows, and
 * the endpoint must present the stored certificate (RFC 8446 §4.4.2). The private key is never sent.
 */
export const certificate: Connector = {
  id: "certificate",
  name: "X.509 certificate",
  icon: "certificate",
  types: ["certificate"],
  parameters: CERTIFICATE_PARAMETERS,
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const value = secret.reveal();
    // Reading private keys needs the SSH driver, which is loaded on first use.
    const chains = await import("./chain.ts");
    return attempt(context, (current) => examine(value, target, current, chains));
  },
};

async function examine(
  value: string,
  target: Target,
  current: Attempt,
  { brokenLink, parseStored }: typeof Chains,
): Promise<Finding> {
  const settings = tlsSettings(target, null);
  if ("failure" in settings) return settings.failure;
  const stored = await parseStored(value, current.signal);
  if (typeof stored === "string") return misconfigured("bad-input", stored);
  const now = current.context.now();
  const flaw = flawOf(stored, { broken: brokenLink(stored.chain), name: settings.name ?? target.host, now });
  if (flaw !== null) return flaw;
  const [leaf] = stored.chain;
  const facts = factsOf(stored, now);
  const validity = summary(leaf, stored.privateKey !== null, now);
  if (!target.host || target.port === null) return verified(validity, facts);
  const endpoint = { host: target.host, port: target.port };
  const shown = await shownAt(endpoint, settings, current);
  // The facts from the text are valid wherever the certificate is used, even if the endpoint cannot be checked.
  if ("failure" in shown) return shown.failure.outcome === "unsupported" ? shown.failure : { ...shown.failure, facts };
  if (shown.certificate.fingerprint256 !== leaf.fingerprint256) {
    const until = day(shown.certificate.validToDate);
    const message = `${nameOf(endpoint)} presents a different certificate, valid until ${until}. The stored one is not in use there.`;
    return misconfigured("certificate-differs", message, facts);
  }
  return verified(`${validity} ${nameOf(endpoint)} presents it.`, facts);
}

/** The fault in the stored text, or null. `broken` is the first certificate that the next one did not issue. */
function flawOf(
  stored: StoredCertificate,
  { broken, name, now }: { broken: number | null; name: string | null; now: Date },
): Failure | null {
  const { chain, privateKey } = stored;
  const [leaf] = chain;
  const facts = factsOf(stored, now);
  if (broken !== null) {
    return misconfigured(
      "broken-chain",
      `Certificate ${broken + 1} of ${chain.length} was not issued by the next one. Order: the certificate, its issuer, the issuer's issuer.`,
      facts,
    );
  }
  if (privateKey !== null && !leaf.checkPrivateKey(privateKey)) {
    return misconfigured("key-mismatch", "The private key does not belong to the certificate.", facts);
  }
  if (name && !isFor(leaf, name)) return misconfigured("name-mismatch", `The certificate is not for ${name}.`, facts);
  for (const [index, each] of chain.entries()) {
    const which = index === 0 ? "The certificate" : `The issuer's certificate (${index + 1} of ${chain.length})`;
    if (now > each.validToDate)
      return rejected("certificate-expired", `${which} expired on ${day(each.validToDate)}.`, facts);
    if (now < each.validFromDate)
      return rejected("certificate-not-yet-valid", `${which} is not valid before ${day(each.validFromDate)}.`, facts);
  }
  return null;
}

function summary(leaf: X509Certificate, hasPrivateKey: boolean, now: Date): string {
  const days = daysLeft(leaf, now);
  const soon = days <= SOON_DAYS ? " Renew it soon." : "";
  const key = hasPrivateKey ? " The private key matches it." : " No private key is stored with it.";
  return `The certificate is valid until ${day(leaf.validToDate)} (${days} days left).${soon}${key}`;
}

function factsOf({ chain, privateKey }: StoredCertificate, now: Date): Facts {
  const [leaf] = chain;
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
    chainLength: chain.length,
    hasPrivateKey: privateKey !== null,
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

/** Accepts any certificate and issuer, because the caller compares the certificate with the expected one. Sends nothing else. */
async function shownAt(
  endpoint: Endpoint,
  settings: TlsSettings,
  current: Attempt,
): Promise<{ certificate: X509Certificate } | { failure: Failure }> {
  const dialled = await dial(endpoint, current);
  if ("failure" in dialled) return dialled;
  current.waitFor(`${nameOf(endpoint)} to present its certificate`);
  const secured = await startTls(dialled.stream, { ...settings, mode: "require" }, endpoint);
  if ("failure" in secured) return secured;
  const certificate = secured.stream.getPeerX509Certificate();
  secured.stream.destroy();
  return certificate === undefined ? { failure: tlsRefusal("handshake", endpoint) } : { certificate };
}
