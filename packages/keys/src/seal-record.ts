// The seal record in the database: enough to ask for the root key and to recognise it, not enough to compute it.
import { SealError } from "./errors.ts";
import { isRootKeyId } from "./root-key.ts";

/** Cost of argon2id (RFC 9106 §3.1). `memory` in KiB. */
export type PassphraseParameters = { readonly memory: number; readonly passes: number; readonly parallelism: number };

export type KeyFileSealRecord = { readonly version: 1; readonly provider: "key-file"; readonly rootKeyId: string };

export type PassphraseSealRecord = {
  readonly version: 1;
  readonly provider: "passphrase";
  readonly rootKeyId: string;
  readonly parameters: PassphraseParameters;
  /** 16 bytes, base64url. */
  readonly salt: string;
  /**
   * 32 bytes, base64url, keyed by the stretched passphrase over all fields above: does not match if the
   * passphrase is wrong.
   */
  readonly check: string;
  /** 32 bytes, base64url, SHA-256 over all fields above: does not match if the record was damaged. */
  readonly checksum: string;
};

/** Plain JSON. Holds no secret, but allows offline guesses at a passphrase, as slowly as argon2id allows. */
export type SealRecord = KeyFileSealRecord | PassphraseSealRecord;

/**
 * Reads a record stored as JSON. Throws SealError "seal-record.malformed" or "seal-record.unknown-version", or
 * "passphrase.parameters" when its costs are out of this version's bounds.
 */
export function parseSealRecord(value: unknown): SealRecord {
  if (!isObject(value)) throw malformed();
  if (value.version !== 1) {
    throw new SealError(
      "seal-record.unknown-version",
      "The seal record was written by a newer version. Start that version.",
    );
  }
  const { rootKeyId } = value;
  if (!isRootKeyId(rootKeyId)) throw malformed();
  if (value.provider === "key-file") return { version: 1, provider: "key-file", rootKeyId };
  if (value.provider !== "passphrase") throw malformed();

  const { parameters, salt, check, checksum } = value;
  if (!isObject(parameters) || !isBase64url(salt, 16)) throw malformed();
  if (!isBase64url(check, 32) || !isBase64url(checksum, 32)) throw malformed();
  const checked = checkedParameters(parameters);
  return { version: 1, provider: "passphrase", rootKeyId, parameters: checked, salt, check, checksum };
}

/**
 * Copies the costs if they lie between OWASP's minimum for argon2id and a reasonable maximum for a server
 * start; else throws SealError "passphrase.parameters".
 */
export function checkedParameters(parameters: {
  readonly [Cost in keyof PassphraseParameters]?: unknown;
}): PassphraseParameters {
  const { memory, passes, parallelism } = parameters;
  if (isBetween(memory, 19_456, 2_097_152) && isBetween(passes, 2, 64) && isBetween(parallelism, 1, 16)) {
    return { memory, passes, parallelism };
  }
  throw new SealError(
    "passphrase.parameters",
    "argon2id requires 19456 to 2097152 KiB of memory, 2 to 64 passes and 1 to 16 lanes.",
  );
}

function malformed(): SealError {
  return new SealError(
    "seal-record.malformed",
    "The seal record in the database is damaged. Restore it from a backup.",
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isBetween(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}

/** Canonical base64url of exactly `length` bytes. */
function isBase64url(value: unknown, length: number): value is string {
  if (typeof value !== "string") return false;
  const bytes = Buffer.from(value, "base64url");
  return bytes.length === length && bytes.toString("base64url") === value;
}
