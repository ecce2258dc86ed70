// A finding: where a secret is, how certain that is, and everything about it that may be shown. Its value is private.

export const DETECTOR_CLASSES = [
  "password",
  "weak_password",
  "api_token",
  "encryption_key",
  "private_key",
  "password_hash",
  "certificate",
  "known_secret",
] as const;
export type DetectorClass = (typeof DETECTOR_CLASSES)[number];

/** The product's types of findings. `shared_account` needs several hosts, so the engine never reports it. */
export const FINDING_TYPES = [
  "hardcoded_password",
  "ssh_key",
  "certificate",
  "service_account",
  "shared_account",
  "credential_exposure",
] as const;
export type FindingType = (typeof FINDING_TYPES)[number];

export const SEVERITIES = ["low", "medium", "high", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** How the value is written in the file. A replacement must be written the same way. */
export const ENCODINGS = ["plain", "escaped", "base64", "url", "xor"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** All facts about a finding except its value. */
export interface FindingFacts {
  class: DetectorClass;
  type: FindingType;
  severity: Severity;
  /** From 0 to 1; findings below the caller's threshold (default 0.5) are left out. */
  confidence: number;
  /** The rule that found it, such as `assignment`, `url` or `github-token`. */
  detector: string;
  /** One sentence for users. It never contains the value. */
  reason: string;
  /** First line and column, both from 1, and the last line. */
  line: number;
  column: number;
  endLine: number;
  /** The exact span of the value: bytes if the content was bytes, UTF-16 code units if it was a string. `end` is exclusive. */
  start: number;
  end: number;
  encoding: Encoding;
  /** The name of the setting, option or column that holds the value. */
  keyName: string | null;
  /** The account that the secret opens, as far as the context names it. */
  userName: string | null;
  host: string | null;
  port: number | null;
  /** A URL or DSN without its credentials. */
  url: string | null;
  /** The value, masked: its first characters at most, and never its length. */
  preview: string;
  /** The injected keyed hash of the value, or null without one. Equal values have equal fingerprints. */
  fingerprint: string | null;
  /** Of private keys without a passphrase and of certificates: OpenSSH's `SHA256:…` of the public key. */
  publicKey: string | null;
  /** The ids of the known secrets that are equal to the value. */
  knownSecrets: readonly string[];
}

export interface Finding extends Readonly<FindingFacts> {
  /** The plaintext, decoded: without quotes, escapes, base64 or URL encoding. Only for storing it in a safe. */
  reveal(): string;
}

/**
 * A finding that keeps its value in a closure, where serialisers, structured clone and `inspect` do not see it.
 *
 * INVARIANT: `reveal` is the only way to read the value.
 */
export function createFinding(facts: FindingFacts, value: string): Finding {
  return Object.defineProperty({ ...facts }, "reveal", { value: () => value, enumerable: false }) as Finding;
}
