// Strongroom's detectors: text in, findings out. No files, no network, no dependencies.
export { DETECTOR_CLASSES, ENCODINGS, FINDING_TYPES, SEVERITIES } from "./finding.ts";
export type { DetectorClass, Encoding, Finding, FindingFacts, FindingType, Severity } from "./finding.ts";
export { KnownSecretIndex, knownForms } from "./known-secrets.ts";
export type { KnownForm } from "./known-secrets.ts";
export { privateKeysIn } from "./private-keys.ts";
export type { PrivateKeyBlock } from "./private-keys.ts";
export { hasKnownSecret, scanText } from "./scan-text.ts";
export type { ScanOptions } from "./scan-text.ts";
export { toXor } from "./xor.ts";
