// Combines the name of a candidate with its value: a class and a confidence, or nothing.
import type { Candidate } from "./candidate.ts";
import type { DetectorClass } from "./finding.ts";
import type { Format } from "./format.ts";
import { judgeKey } from "./key-name.ts";
import { isDigest } from "./hashes.ts";
import { judgeValue } from "./value.ts";

export interface Judgement {
  class: DetectorClass;
  confidence: number;
  reason: string;
}

/** Formats in which values are settings rather than program text. */
const isConfig = (format: Format): boolean => !["code", "text", "sql"].includes(format);

export function judge(candidate: Candidate, value: string, format: Format): Judgement | null {
  const key = judgeKey(candidate.keyName);
  if (key === null) return null;
  const { kind, randomness } = judgeValue(value);
  const weight = key.strength * candidate.syntax * (isConfig(format) ? 1 : 0.9);
  const name = candidate.keyName;
  if (kind === "hash" || (key.kind === "hash" && (isDigest(value) || randomness > 0.6))) {
    if (key.kind !== "password" && key.kind !== "hash") return null;
    return { class: "password_hash", confidence: weight * 0.9, reason: `"${name}" holds a hashed password.` };
  }
  if (key.kind === "hash") return null;
  if (key.kind === "password" || key.kind === "community") {
    if (kind === "secret") return { class: "password", confidence: weight, reason: `"${name}" holds a password.` };
    if (kind === "number" && value.length >= 4)
      return { class: "weak_password", confidence: weight * 0.7, reason: `"${name}" holds a number.` };
    if (kind === "weak" || (kind === "keyword" && key.kind === "community")) {
      if (!isConfig(format)) return null;
      return {
        class: "weak_password",
        confidence: weight * 0.9,
        reason: `"${name}" holds a password that attackers try first.`,
      };
    }
    if ((kind === "uuid" || kind === "url") && /:\/\/[^/]*:[^/]*@/.test(value) === false) {
      return kind === "uuid"
        ? { class: "password", confidence: weight * 0.7, reason: `"${name}" holds a password.` }
        : null;
    }
    return null;
  }
  if (kind === "weak" && /secret$/i.test(name) && isConfig(format)) {
    return {
      class: "weak_password",
      confidence: weight * 0.8,
      reason: `"${name}" holds a secret that attackers try first.`,
    };
  }
  if (kind !== "secret" && kind !== "uuid") return null;
  const isLikely = kind === "uuid" ? 0.7 : likelihoodOfKey(value, randomness);
  const confidence = weight * isLikely;
  return key.kind === "token"
    ? { class: "api_token", confidence, reason: `"${name}" holds a token.` }
    : { class: "encryption_key", confidence, reason: `"${name}" holds a key.` };
}

/** Tokens and keys are random and long; words are names of keys. */
function likelihoodOfKey(value: string, randomness: number): number {
  if (/\s/.test(value)) return 0.3;
  if (value.length < 8) return 0.4;
  return Math.min(1, 0.4 + randomness * 0.6 + (value.length >= 20 ? 0.15 : 0));
}
