// Combines the name of a candidate with its value: a class and a confidence, or nothing.
import type { Candidate } from "./candidate.ts";
import type { FileKind } from "./file-kind.ts";
import type { DetectorClass } from "./finding.ts";
import type { Format } from "./format.ts";
import { generatedKindOf } from "./generated.ts";
import { isDigest } from "./hashes.ts";
import { judgeKey } from "./key-name.ts";
import type { KeyVerdict } from "./key-name.ts";
import { isPasswordLike } from "./password-like.ts";
import { isNoise, judgeValue } from "./value.ts";
import type { ValueVerdict } from "./value.ts";

export interface Judgement {
  class: DetectorClass;
  confidence: number;
  reason: string;
}

export interface Surroundings {
  format: Format;
  kind: FileKind;
}

interface Place extends Surroundings {
  /** Values are settings rather than program text. */
  isConfig: boolean;
  /** Words and numbers are secrets here: in settings, and where a program connects. Elsewhere they are labels, names and samples. */
  allowsWords: boolean;
  isQuoted: boolean;
}

function placeOf(candidate: Candidate, value: string, { format: ofFile, kind }: Surroundings): Place {
  const { detector, keyName, asserted, format = ofFile } = candidate;
  const isSetting =
    (candidate.isSetting === true && (detector === "option" || !STANDS_FOR.test(value))) || isVariable(keyName, format);
  const isSettings = kind.isSettings || (isSetting && asserted === undefined);
  const isConfig = isSettings || (format !== "code" && format !== "text" && format !== "sql");
  const connects =
    format === "text"
      ? detector === "command"
      : CONNECTS.has(detector) && value.length >= (detector === "command" ? 5 : 4);
  const allowsWords =
    !kind.isSample &&
    !(ofFile === "text" && detector !== "file-format" && STANDS_FOR.test(value)) &&
    ((isConfig && (format !== "code" || asserted === undefined)) ||
      detector === "file-format" ||
      (format === "sql" && asserted !== undefined) ||
      (connects && !STANDS_FOR.test(value)));
  return { format, kind: { ...kind, isSettings }, isConfig, allowsWords, isQuoted: candidate.isQuoted };
}

export function judge(candidate: Candidate, value: string, surroundings: Surroundings): Judgement | null {
  const verdict = judgedAt(candidate, value);
  const around = placeOf(candidate, value, surroundings);
  if (candidate.asserted !== undefined) return judgeAsserted(candidate, candidate.asserted, value, verdict, around);
  const key = judgeKey(candidate.keyName ?? "");
  if (key === null) return null;
  if (candidate.isComment === true && !isCommentedOut(candidate, value, verdict, around.format)) return null;
  if (around.kind.isGenerated) return null;
  if ((around.kind.isSample || around.kind.isTranslation) && isWordy(value, verdict)) return null;
  const weight = key.strength * candidate.syntax * (around.isConfig ? 1 : 0.9);
  const name = candidate.keyName ?? "";
  // `pool_passwd = pool_passwd` names a file.
  if (verdict.kind === "identifier" && value.toLowerCase() === (candidate.keyName ?? "").toLowerCase()) return null;
  if (verdict.kind === "weak" && key.words.length > 1 && value === candidate.keyName) return null;
  const subject = `"${name.length > 60 ? `${name.slice(0, 60)}…` : name}"`;
  if (verdict.kind === "hash" || key.kind === "hash") {
    if ((key.kind !== "password" && key.kind !== "hash") || key.words.at(-1) === "pin") return null;
    if (verdict.kind !== "hash" && !isDigest(value) && !/^[\da-f]{64,256}$/i.test(value)) return null;
    return { class: "password_hash", confidence: weight * 0.9, reason: `${subject} holds a hashed password.` };
  }
  return key.kind === "password" || key.kind === "community"
    ? judgePassword(key, value, verdict, weight, subject, around)
    : judgeToken(name, key, value, verdict, weight, subject, around);
}

/** Notes show the environment of a service: `MYSQL_PASSWORD: 0417`. */
const isVariable = (name: string | null, format: Format): boolean =>
  format === "text" && /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/.test(name ?? "");

/** A program really uses `dev-secret-change-me` if it has nothing else. */
function judgedAt({ isFallback }: Candidate, value: string): ValueVerdict {
  const verdict = judgeValue(value);
  return isFallback === true && verdict.kind !== "secret" && /change[-_ ]?me/i.test(value)
    ? { kind: "weak", randomness: 0 }
    : verdict;
}

/**
 * Words in comments are samples, unless they are the old value of a setting in use, or the comment is a line of a program with a
 * literal that has digits.
 */
const isCommentedOut = (
  { isQuoted, isOld = false }: Candidate,
  value: string,
  { kind }: ValueVerdict,
  format: Format,
): boolean =>
  kind === "secret" &&
  !/^([a-z]{4,20})\1{2,}$/.test(value) &&
  (isOld ||
    !/^[A-Za-z_-]+\d{0,3}$/.test(value) ||
    (format === "code" && isQuoted && /\d{2}$/.test(value) && value.length >= 8));

/** Reasons of candidates whose syntax alone is enough. */
const REASONS: Record<string, string> = {
  url: "A URL with a password.",
  "data-source": "A data source name with a password.",
  command: "A command line with a password.",
  sql: "An SQL statement with a password.",
  "file-format": "Files of this name hold passwords at this place.",
  "kubernetes-secret": "A Kubernetes Secret in a file.",
  phrase: "A phrase that gives a password.",
  header: "A header with a token.",
  "secret-section": "An entry of a place for secrets.",
  "basic-authentication": "A user name and a password in base64.",
  "password-hash": "A hashed password.",
  "generated-value": "A setting with a value that looks like a generated key.",
  "login-pair": "A user name and a password.",
  "beside-user": "A setting beside a user name.",
  call: "A login by position.",
};

/** Community strings that are words of other settings. */
const COMMUNITY = /^(?:public|private)$/i;
/** Placeholders for a password in program text. */
const STANDS_FOR = /^(?:pass(?:word|wd)?|pwd|secret|token|key|user|foo|bar|baz|test)$/i;
/** Calls and addresses that connect to a server: words are passwords there also in programs. */
const CONNECTS = new Set(["phrase", "call", "url", "data-source", "command"]);

function judgeAsserted(
  { detector, syntax, isComment, isQuoted, isSetting }: Candidate,
  asserted: DetectorClass,
  value: string,
  { kind, randomness }: ValueVerdict,
  { format, kind: file, isConfig, allowsWords }: Place,
): Judgement | null {
  if (detector === "file-format" && asserted === "password_hash" && (kind === "weak" || kind === "identifier"))
    return /pass|user/i.test(value)
      ? null
      : { class: "weak_password", confidence: syntax * 0.85, reason: "A password in place of its hash." };
  const reason = REASONS[detector] ?? `The shape of a token (${detector}).`;
  if (asserted === "password_hash")
    return { class: asserted, confidence: syntax * (isConfig && !file.isSample ? 1 : 0.7), reason };
  if (REASONS[detector] === undefined)
    return kind === "placeholder" ? null : { class: asserted, confidence: syntax, reason };
  if (["empty", "placeholder", "reference", "encrypted", "url"].includes(kind)) return null;
  if (kind === "keyword" && detector !== "file-format" && !(detector === "phrase" && COMMUNITY.test(value)))
    return null;
  if (/^(?:removed|redacted|masked|hidden|unchanged)$/i.test(value)) return null;
  if (kind === "hash") return { class: "password_hash", confidence: syntax * 0.9, reason: "A hashed password." };
  if (
    detector === "command" &&
    (kind === "path" ||
      (kind === "prose" && !(isQuoted && isConfig && isPassphrase(value, true))) ||
      value.length < 3 ||
      (/^\d{1,5}(?::\d{1,5})?$/.test(value) && isSetting !== true) ||
      /^-|^[\d.]+:[\d.]+|\/(?:tcp|udp)$/.test(value))
  )
    return null;
  if (kind === "path" && detector === "kubernetes-secret") return null;
  if (/^pk_(?:live|test)_/.test(value)) return null;
  if ((detector === "url" || detector === "data-source") && isComment === true && kind === "weak") return null;
  if (detector === "file-format" && isComment === true && (kind !== "secret" || value.length < 5)) return null;
  // A phrase in a comment shows how to write it.
  if (detector === "phrase" && isComment === true && (kind === "weak" || /^[A-Za-z_-]*\d{0,3}$/.test(value)))
    return null;
  if (kind === "weak" || kind === "identifier" || kind === "number" || kind === "keyword") {
    return asserted === "api_token" || !allowsWords
      ? null
      : { class: "weak_password", confidence: syntax * 0.85, reason: `${reason} Attackers try this one first.` };
  }
  const isPlace = detector === "file-format" || detector === "kubernetes-secret";
  if (
    !isPlace &&
    !allowsWords &&
    /^[A-Za-z_-]*$/.test(value) &&
    (format !== "code" || file.isSample || value.length < 8)
  )
    return null;
  if (asserted === "api_token" && detector === "kubernetes-secret" && /^[a-z]{1,12}$/.test(value)) return null;
  if (asserted === "api_token" && !isPlace && kind !== "uuid" && generatedKindOf(value) === null)
    if (randomness < 0.45 || !/\d/.test(value)) return null;
  return { class: asserted, confidence: syntax, reason };
}

function judgePassword(
  key: KeyVerdict,
  value: string,
  { kind, randomness }: ValueVerdict,
  weight: number,
  subject: string,
  { format, kind: file, isConfig, allowsWords, isQuoted }: Place,
): Judgement | null {
  const weak = (confidence: number, what: string): Judgement | null =>
    allowsWords
      ? { class: "weak_password", confidence: weight * confidence, reason: `${subject} holds ${what}.` }
      : null;
  switch (kind) {
    case "secret": {
      if (key.words.at(-1) === "pin" && !isPasswordLike(value)) return null;
      // In program text, a single word is as often a label or a name.
      const isWord = /^[\p{L}_ -]+$/u.test(value);
      if (!isConfig && isWord && isNatural(value) && !(/^[a-z]{8,40}$/.test(value) && key.strength >= 0.9)) return null;
      if (isLabel(value, key) || (!isConfig && key.name.includes(value.toLowerCase()))) return null;
      if (isWord && file.isTranslation) return null;
      const short =
        value.length === 3 && key.strength >= 0.9
          ? 0.6
          : value.length < 4 || (key.strength < 0.7 && !/\d/.test(value) && randomness < 0.6)
            ? 0.5
            : 1;
      const certain = isConfig || generatedKindOf(value) !== null ? 1 : 0.75 + randomness * 0.25;
      return { class: "password", confidence: weight * short * certain, reason: `${subject} holds a password.` };
    }
    case "uuid":
      return { class: "password", confidence: weight * 0.8, reason: `${subject} holds a password.` };
    case "number":
      return value.length >= (format === "xml" ? 3 : 4) && /^\d+$/.test(value)
        ? weak(key.words.at(-1) === "pin" ? 1 : 0.75, "a number")
        : null;
    case "weak":
      if (isLabel(value, key)) return null;
      return weak(0.9, "a password that attackers try first");
    case "identifier":
      // Names of variables.
      if (/^[A-Z][A-Z\d_]+$/.test(value)) return null;
      // `a_very_secret_passphrase` of shipped examples, `app_password_from_provider`.
      if (/_(?:from|for|of)_/i.test(value)) return null;
      if (/^(?:[a-z]+_){2,}(?:passphrase|secret|password|token|key)$/.test(value)) return null;
      return /^(?:assignments|yaml|shell|xml)$/.test(format) && key.strength >= 0.9 && !file.isSample
        ? weak(0.62, "words")
        : null;
    case "keyword":
      return key.kind === "community" && !/^(?:true|false|yes|no|none|null|string)$/i.test(value)
        ? weak(0.9, "a community string that attackers try first")
        : null;
    case "prose":
      // An app password of Google.
      if (/^[a-z]{4}(?: [a-z]{4}){3}$/.test(value))
        return { class: "password", confidence: 0.9, reason: `${subject} holds a password.` };
      // A passphrase of several words.
      if (
        isConfig &&
        !file.isTranslation &&
        !file.isSample &&
        key.strength >= 0.9 &&
        isPassphrase(value, isQuoted && /^(?:assignments|shell|yaml)$/.test(format))
      )
        return { class: "password", confidence: weight * 0.8, reason: `${subject} holds a passphrase.` };
      return isConfig &&
        (format !== "xml" ||
          /\d/.test(value) ||
          (key.name === "passphrase" && /^\p{Ll}+(?: \p{L}+){2,6}$/u.test(value))) &&
        !file.isTranslation &&
        (key.words.includes("passphrase") || key.words.includes("psk") || key.words.includes("shared"))
        ? { class: "password", confidence: weight * 0.7, reason: `${subject} holds a passphrase.` }
        : null;
    case "hash":
    case "empty":
    case "placeholder":
    case "reference":
    case "encrypted":
    case "path":
    case "url":
      return null;
    default:
      return kind satisfies never;
  }
}

function judgeToken(
  keyName: string,
  key: KeyVerdict,
  value: string,
  { kind, randomness }: ValueVerdict,
  weight: number,
  subject: string,
  { isConfig, allowsWords, isQuoted }: Place,
): Judgement | null {
  if (
    // The id of the key that Git signs with.
    (keyName === "signingkey" && /^[\dA-F]{8,40}$/.test(value)) ||
    // The name of a variable.
    /^[A-Z]+(?:_[A-Z]+)*_(?:TOKEN|SECRET|KEY)$/.test(value) ||
    // The name of an object of Kubernetes.
    /^[a-z]+(?:-[a-z]+)*-(?:tls|certs?|secrets?|creds?|credentials|auth)$/.test(value) ||
    // The address of the owner of a key.
    /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(value)
  )
    return null;
  const isSecret =
    key.words.at(-1)?.endsWith("secret") === true || (key.words.includes("secret") && key.words.at(-1) === "key");
  // Phones log in with their number.
  const isNumber = kind === "number" && /^\d{4,}$/.test(value);
  if (kind === "weak" || kind === "identifier" || isNumber) {
    if (!isSecret || !allowsWords || /^(?:[a-z]+_){2,}[a-z]+$/.test(value)) return null;
    // Kubernetes' `secretKey: password` names an entry.
    if (key.words.at(-1) === "key" && judgeKey(value) !== null && !/change/i.test(value)) return null;
    return {
      class: "weak_password",
      confidence: weight * (kind === "identifier" ? 0.6 : 0.85),
      reason: `${subject} holds a secret that attackers try first.`,
    };
  }
  if (kind === "prose" && isSecret && isConfig && allowsWords && key.strength >= 0.9 && isPassphrase(value, isQuoted))
    return { class: "api_token", confidence: weight * 0.7, reason: `${subject} holds a passphrase.` };
  if (kind !== "secret" && kind !== "uuid") return null;
  const likelihood =
    kind === "uuid"
      ? key.strength >= 0.9
        ? 0.8
        : 0.4
      : likelihoodOf(value, randomness, isSecret && (isConfig || isTyped(value)));
  const isConstant = /^(?:[\da-f]{32}){1,2}$/i.test(value) && /^[A-Z][A-Z\d_]*_KEY$/.test(keyName);
  // A name such as "key" alone says little.
  if (key.strength < 0.65 && !isConstant && (!isConfig || likelihood < 0.95 || value.length < 20)) return null;
  if (key.strength < 0.65 && !isConstant && isDigest(value) && /^[\da-f]+$/i.test(value))
    if (key.words.length < 2 || !isConfig) return null;
  const isMade = isTyped(value) || (isQuoted && key.strength >= 0.9 && /\d{2}/.test(value) && isPasswordLike(value));
  if (!isConfig && (randomness < 0.5 || value.length < 10) && !(isSecret && isMade && value.length >= 12)) return null;
  if (/^pk_(?:live|test)_/.test(value) || key.words.join(" ").endsWith("pusher app key")) return null;
  if (/^[\w:-]*(?:SHA-?\d{1,3}|CRYPT|HMAC|AES-?\d{3})[\w-]*$/.test(value) && value.length < 40) return null;
  const confidence = isConstant || (isConfig && isRandomText(value)) ? Math.max(0.55, weight) : weight * likelihood;
  return key.kind === "token"
    ? { class: "api_token", confidence, reason: `${subject} holds a token.` }
    : { class: "encryption_key", confidence, reason: `${subject} holds a key.` };
}

/** Tokens and keys are random and long; words are names of keys. */
function likelihoodOf(value: string, randomness: number, isSecret: boolean): number {
  if (/^(?:ssh-|ecdsa-|AAAA[BCE]3|0x[\dA-F]{8,16}$)/i.test(value)) return 0;
  if (isNoise(value)) return 1;
  if (/\s/.test(value)) return isSecret && randomness > 0.6 ? 0.6 : 0.3;
  const hasDigit = /\d/.test(value);
  if (value.length < 6) return 0.3;
  if (isSecret && isTyped(value)) return 0.8;
  if (!hasDigit && /^[a-z]+(?:[-_.][a-z]+)*$|^[A-Z]+(?:_[A-Z]+)*$|^[A-Za-z][a-z]*(?:[A-Z][a-z]+)*$/.test(value))
    return isSecret && value.length >= 8
      ? 0.6
      : value.length >= 20 && !/[-_.]/.test(value) && randomness > 0.3
        ? 0.6
        : 0.35;
  if (value.length < 10) return isSecret ? 0.8 : 0.55;
  if (isRandomText(value)) return 1;
  const likelihood = Math.min(1, 0.5 + randomness * 0.5 + (value.length >= 20 ? 0.15 : 0));
  return isSecret && hasDigit ? Math.max(0.8, likelihood) : likelihood;
}

/** Letters typed at random: no vowel in five or more neighbours. */
const isTyped = (value: string): boolean => /^[a-z]{14,64}$/.test(value) && /[^aeiouy]{5}/.test(value);

/** Hexadecimal text is as often a checksum. */
const isRandomText = (value: string): boolean => value.length >= 20 && !["hex", null].includes(generatedKindOf(value));

/** Words in lower, upper or camel case, unlike generated letters. */
function isNatural(value: string): boolean {
  if (!/^[A-Za-z]+$/.test(value)) return true;
  if (/^[a-z]{5,}$/.test(value)) return /[aeiouy]/.test(value);
  return /^(?:[A-Z]?[a-z]+|[A-Z]+)$/.test(value) || /^[A-Z]?[a-z]+(?:[A-Z][a-z]{2,})*$/.test(value);
}

/** `password: Password` is a text for users, `password: Kennwort` a translation. */
const isLabel = (value: string, key: KeyVerdict): boolean =>
  /^\p{Lu}\p{Ll}+$/u.test(value) &&
  (key.words.includes(value.toLowerCase()) ||
    /^(?:Kennwort|Passwort|Wachtwoord|Contraseña|Senha|Hasło|Heslo|Пароль)$/.test(value));

/** Words with a digit or a symbol among them, and none of a sentence. In quotes, three words are enough. */
const isPassphrase = (value: string, isQuoted: boolean): boolean =>
  value.length <= 64 &&
  !/^[#;]/.test(value) &&
  (/[\d_@#%^*+=~$&]/.test(value) ||
    (isQuoted && /^\S+(?: \S+){2,6}$/.test(value) && !/pass|kenn|contra|secret|token/i.test(value))) &&
  !(isQuoted && /\d/.test(value) ? /[.?()<>]/ : /[.:;!?()<>]/).test(value) &&
  !/\b(?:a|an|and|are|at|be|by|characters?|enter|for|from|if|in|is|it|least|must|not?|of|on|or|password|please|see|set|the|this|to|use|when|with|your?)\b/i.test(
    value,
  );

/** Values that samples use instead of secrets. */
const isWordy = (value: string, { kind, randomness }: ValueVerdict): boolean =>
  kind !== "hash" && (randomness < 0.62 || value.length < 10 || /^[a-z]+\d{0,4}$|^\d+$/i.test(value));
