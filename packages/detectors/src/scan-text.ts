// Scans one file's content for secrets. Pure: no files, no network, no clock.
import type { Candidate } from "./candidate.ts";
import { Content } from "./content.ts";
import { createFinding } from "./finding.ts";
import type { DetectorClass, Finding, FindingFacts } from "./finding.ts";
import { formatOf } from "./format.ts";
import type { Format } from "./format.ts";
import { judge } from "./judge.ts";
import type { KnownMatch, KnownSecretIndex } from "./known-secrets.ts";
import { previewOf } from "./preview.ts";
import { privateKeysIn } from "./private-keys.ts";
import { KEY_PARTS, readAssignments } from "./read-assignments.ts";
import { severityOf, typeOf } from "./severity.ts";

export interface ScanOptions {
  /** Name or path of the file: it decides the syntax. */
  path: string;
  /** Only these classes; default all. */
  classes?: readonly DetectorClass[];
  /** Keyed hash of a value, such as packages/keys' `fingerprint`; without it, findings have no fingerprints. */
  fingerprint?: (value: string) => string;
  /** Secrets of the vault: their places are found whatever the syntax. Private keys are compared by `publicKey`. */
  knownSecrets?: KnownSecretIndex;
  /** Ids of known private keys by the fingerprint of their public key (`SHA256:…`). */
  knownPublicKeys?: ReadonlyMap<string, readonly string[]>;
  /** Findings with less confidence are left out; default 0.5. */
  minConfidence?: number;
}

/** The secrets in `content`, in order of position. Binary content has none. */
export function scanText(content: string | Uint8Array, options: ScanOptions): Finding[] {
  const file = new Content(content);
  if (file.isBinary) return [];
  const scan = new Scan(file, options);
  scan.privateKeys();
  scan.knownSecrets();
  scan.lines();
  scan.addKnown();
  return scan.findings.sort((a, b) => a.start - b.start);
}

/** Lines beyond this length are read in pieces around their triggers. */
const LONGEST_LINE = 4096;
const PIECE_BEFORE = 256;

class Scan {
  readonly findings: Finding[] = [];
  readonly #file: Content;
  readonly #options: ScanOptions;
  readonly #format: Format;
  /** Spans that a more exact rule has read. */
  readonly #taken: { start: number; end: number }[] = [];

  #known: KnownMatch[] = [];
  /** What the syntax around a known secret says about it, by the match. */
  readonly #contexts = new Map<KnownMatch, Candidate>();

  constructor(file: Content, options: ScanOptions) {
    this.#file = file;
    this.#options = options;
    this.#format = formatOf(options.path, file.text);
  }

  privateKeys(): void {
    for (const { start, end, pem, detector, isProtected, publicKey } of privateKeysIn(this.#file.text)) {
      this.#taken.push({ start, end });
      const confidence = isProtected ? 0.7 : 1;
      const knownSecrets = this.#options.knownPublicKeys?.get(publicKey ?? "") ?? [];
      const reason = isProtected ? "A private key with a passphrase." : "A private key without a passphrase.";
      this.#add(
        {
          class: "private_key",
          confidence,
          reason,
          detector,
          start,
          end,
          publicKey,
          knownSecrets,
          encoding: "escaped",
        },
        pem,
      );
    }
  }

  knownSecrets(): void {
    this.#known = this.#options.knownSecrets?.matches(this.#file.text) ?? [];
  }

  addKnown(): void {
    for (const match of this.#known) {
      const { start, end, form, ids } = match;
      const { keyName = null, userName = null, host = null } = this.#contexts.get(match) ?? {};
      const reason = "This is a secret of the vault.";
      const value = decodeForm(this.#file.textAt(start, end), form);
      this.#add(
        {
          class: "known_secret",
          confidence: 1,
          detector: "known-secret",
          reason,
          start,
          end,
          encoding: form,
          knownSecrets: ids,
          keyName,
          userName,
          host,
        },
        value,
      );
    }
  }

  lines(): void {
    const { text } = this.#file;
    const trigger = new RegExp(KEY_PARTS.source, "gi");
    let lineEnd = -1;
    let lineStart = 0;
    for (let hit = trigger.exec(text); hit !== null; hit = trigger.exec(text)) {
      if (hit.index >= lineEnd) {
        lineStart = text.lastIndexOf("\n", hit.index) + 1;
        const next = text.indexOf("\n", hit.index);
        lineEnd = next === -1 ? text.length : next;
      }
      const from = lineEnd - lineStart <= LONGEST_LINE ? lineStart : Math.max(lineStart, hit.index - PIECE_BEFORE);
      const to = Math.min(lineEnd, from + LONGEST_LINE);
      this.#read(text.slice(from, to), from);
      trigger.lastIndex = to;
    }
  }

  #read(line: string, base: number): void {
    for (const candidate of readAssignments(line, base, this.#format)) this.#consider(candidate);
  }

  #consider(candidate: Candidate): void {
    const { start, end } = candidate;
    if (this.#taken.some((span) => start < span.end && end > span.start)) return;
    const known = this.#known.find((match) => start < match.end && end > match.start);
    if (known !== undefined) {
      if (!this.#contexts.has(known)) this.#contexts.set(known, candidate);
      return;
    }
    const value = this.#file.decode(candidate.raw);
    const verdict = judge(candidate, value, this.#format);
    if (verdict === null) return;
    const { keyName, detector, userName = null, host = null } = candidate;
    this.#add({ ...verdict, detector, start, end, keyName, userName, host }, value);
  }

  #add(
    found: Partial<FindingFacts> & Pick<FindingFacts, "class" | "confidence" | "detector" | "reason" | "start" | "end">,
    value: string,
  ): void {
    const { minConfidence = 0.5, classes, fingerprint } = this.#options;
    if (found.confidence < minConfidence || (classes !== undefined && !classes.includes(found.class))) return;
    const { line, column } = this.#file.positionOf(found.start);
    const confidence = Math.round(found.confidence * 100) / 100;
    const facts: FindingFacts = {
      encoding: "plain",
      keyName: null,
      userName: null,
      host: null,
      port: null,
      url: null,
      publicKey: null,
      knownSecrets: [],
      type: typeOf(found.class, found.detector, found.userName ?? null),
      severity: severityOf(found.class, confidence),
      ...found,
      confidence,
      line,
      column,
      endLine: this.#file.positionOf(Math.max(found.start, found.end - 1)).line,
      start: this.#file.offsetOf(found.start),
      end: this.#file.offsetOf(found.end),
      preview: previewOf(value),
      fingerprint: fingerprint?.(value) ?? null,
    };
    this.findings.push(createFinding(facts, value));
  }
}

function decodeForm(text: string, form: KnownMatch["form"]): string {
  if (form === "base64") return Buffer.from(text, "base64").toString();
  return form === "url" ? decodeURIComponent(text) : text;
}
