// Strongroom's keys: root key, key-encryption keys, envelopes and the seal.
export { authenticate, isAuthentic } from "./authentication.ts";
export { backupMac } from "./backup-mac.ts";
export { sealSecret, openSecret, envelopeKekId, type EnvelopeContext } from "./envelope.ts";
export {
  EnvelopeError,
  KekError,
  SealedError,
  SealError,
  rootKeyChanged,
  type EnvelopeErrorCode,
  type KekErrorCode,
  type SealErrorCode,
} from "./errors.ts";
export { fingerprint } from "./fingerprint.ts";
export { Kek, unwrapKek, wrapKek, type WrappedKek } from "./kek.ts";
export type { KekStore } from "./kek-store.ts";
export { createKeyFile, readKeyFile } from "./key-file.ts";
export { keyFileProvider } from "./key-file-provider.ts";
export { KeyRing } from "./key-ring.ts";
export { defaultPassphraseParameters, passphraseProvider } from "./passphrase-provider.ts";
export { recordingSeal, type RecordingSeal } from "./recording-seal.ts";
export { rekeyRoot } from "./rekey.ts";
export { RootKey } from "./root-key.ts";
export type { Sealed, SealProvider, StagedSeal } from "./seal-provider.ts";
export {
  parseSealRecord,
  type KeyFileSealRecord,
  type PassphraseParameters,
  type PassphraseSealRecord,
  type SealRecord,
} from "./seal-record.ts";
export { Secret } from "./secret.ts";
