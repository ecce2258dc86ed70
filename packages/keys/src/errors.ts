// This package's errors: a stable code for programs, one plain sentence for people, never a byte of a secret.

const envelopeSentences = {
  "envelope.malformed": "The stored secret is not an envelope, or part of it is missing.",
  "envelope.unknown-version": "The stored secret is in a format that this version does not support.",
  "envelope.other-kek": "The stored secret was sealed with another key-encryption key.",
  "envelope.refused": "The stored secret cannot be opened: it was changed, or it belongs to another record.",
  "envelope.not-active": "The record of the secret's active version was changed.",
} as const;

export type EnvelopeErrorCode = keyof typeof envelopeSentences;

/** An envelope that does not open. The error names the cause and reveals nothing about the content. */
export class EnvelopeError extends Error {
  override readonly name = "EnvelopeError";
  readonly code: EnvelopeErrorCode;

  constructor(code: EnvelopeErrorCode) {
    super(envelopeSentences[code]);
    this.code = code;
  }
}

const kekSentences = {
  "kek.malformed": "The stored key-encryption key is not in the expected format.",
  "kek.unknown-version": "The stored key-encryption key is in a format that this version does not support.",
  "kek.other-root-key": "The stored key-encryption key was wrapped by another root key.",
  "kek.refused": "The stored key-encryption key cannot be opened: its row was changed.",
  "kek.unknown": "There is no key-encryption key with this id.",
} as const;

export type KekErrorCode = keyof typeof kekSentences;

/** A key-encryption key that is missing or does not open; `kekId` is its public id. */
export class KekError extends Error {
  override readonly name = "KekError";
  readonly code: KekErrorCode;
  readonly kekId: string;

  constructor(code: KekErrorCode, kekId: string) {
    super(`${kekSentences[code]} (${kekId})`);
    this.code = code;
    this.kekId = kekId;
  }
}

/** Keys were requested while sealed: the server answers 503 until it is unsealed. */
export class SealedError extends Error {
  override readonly name = "SealedError";
  readonly code = "sealed";

  constructor() {
    super("Strongroom is sealed. Unseal it first.");
  }
}

export type SealErrorCode =
  | "key-file.missing"
  | "key-file.exists"
  | "key-file.readable-by-others"
  | "key-file.other-owner"
  | "key-file.not-a-file"
  | "key-file.truncated"
  | "key-file.malformed"
  | "key-file.unreadable"
  | "key-file.unwritable"
  | "key-file.other-root-key"
  | "passphrase.too-short"
  | "passphrase.wrong"
  | "passphrase.parameters"
  | "seal-record.malformed"
  | "seal-record.unknown-version"
  | "seal-record.corrupt"
  | "seal-record.other-provider"
  | "root-key.changed";

/** The root key could not be read, created or replaced. The message is one sentence that says what to do. */
export class SealError extends Error {
  override readonly name = "SealError";
  readonly code: SealErrorCode;

  constructor(code: SealErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The error of a KekStore when a rekey has since replaced the root key that a KEK was wrapped with. */
export function rootKeyChanged(): SealError {
  return new SealError(
    "root-key.changed",
    "The root key was changed while this process was running. Unseal it with the new key, or restart it.",
  );
}
