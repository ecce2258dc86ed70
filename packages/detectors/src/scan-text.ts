// Scans one file's content for secrets. Pure: no files, no network, no clock.
import type { Candidate, Line } from "./candidate.ts";
import { certificateProblemsIn } from "./certificates.ts";
import { Content } from "./content.ts";
import { contextOf } from "./context.ts";
import { fileKindOf } from "./file-kind.ts";
import { createFinding } from "./finding.ts";
import type { DetectorClass, Finding, FindingFacts } from "./finding.ts";
import { formatOf } from "./format.ts";
import { judge } from "./judge.ts";
import { judgeKey } from "./key-name.ts";
import type { Surroundings } from "./judge.ts";
import type { KnownMatch, KnownSecretIndex } from "./known-secrets.ts";
import { lineFormats } from "./line-format.ts";
import { previewOf } from "./preview.ts";
import { privateKeysIn } from "./private-keys.ts";
import { escapePattern, unescape, unescapeXml } from "./quoting.ts";
import { readAssignments } from "./read-assignments.ts";
import { readBlocks } from "./read-blocks.ts";
import { readCollections, readLists, readLiterals, readMaps } from "./read-collections.ts";
import { readCommands } from "./read-commands.ts";
import { readNotes } from "./read-notes.ts";
import { readPhrases } from "./read-phrases.ts";
import { readPositions } from "./read-positions.ts";
import { readSettings } from "./read-settings.ts";
import { hasUserLiteral } from "./settings.ts";
import { readCopies, readInserts, readSql } from "./read-sql.ts";
import { readTables } from "./read-tables.ts";
import { readHashes, readTokens } from "./read-tokens.ts";
import { readDataSourceNames, readUrls } from "./read-urls.ts";
import { readWellKnown } from "./read-well-known.ts";
import { severityOf, typeOf } from "./severity.ts";
import { fromXor } from "./xor.ts";
import { COMMANDS, CONFIG_PHRASES, KEYS, PHRASES, piecesOf, SQL, TOKENS } from "./triggers.ts";

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
  /** Decides which certificates have expired; without it, expiry is not checked. */
  now?: Date;
  /** Findings with less confidence are left out; default 0.5. */
  minConfidence?: number;
}

/** The secrets in `content`, in order of position and without overlaps. Binary content has none. */
export function scanText(content: string | Uint8Array, options: ScanOptions): Finding[] {
  const file = new Content(content);
  if (file.isBinary) return [];
  const scan = new Scan(file, options);
  scan.privateKeys();
  scan.certificates();
  scan.knownSecrets();
  scan.candidates();
  return scan.findings();
}

/** Whether `content` contains a secret of the index. Costs much less than a scan. */
export function hasKnownSecret(content: string | Uint8Array, index: KnownSecretIndex): boolean {
  const file = new Content(content);
  return !file.isBinary && file.spansInBytes((bytes) => index.matches(bytes)).length > 0;
}

/** Characters before the value of a commented-out setting. */
const LONGEST_START = 300;
/** Names of commented-out settings that are looked up in a file. Only hostile text has more. */
const MOST_NAMES = 64;

const AWS_KEY_ID = "aws-access-key";
/** Of the API, or of mail over SMTP. */
const AWS_SECRET_KEY = /^[A-Za-z\d+/]{40}(?:[A-Za-z\d+/]{4})?$/;

/** Findings are indexed by blocks of 1024 characters. */
const BLOCK = 10;

type Facts = Pick<FindingFacts, "class" | "confidence" | "detector" | "reason"> & Partial<FindingFacts>;
interface Found {
  start: number;
  end: number;
  facts: Facts;
  value: string;
}

class Scan {
  readonly #found: Found[] = [];
  readonly #byBlock = new Map<number, Found[]>();
  readonly #file: Content;
  readonly #options: ScanOptions;
  readonly #around: Surroundings;
  /** Whether the file has the setting of a name in use. */
  readonly #used = new Map<string, boolean>();

  constructor(file: Content, options: ScanOptions) {
    this.#file = file;
    this.#options = options;
    const path = options.path.replaceAll("\\", "/");
    this.#around = { format: formatOf(path, file.text), kind: fileKindOf(path) };
  }

  privateKeys(): void {
    for (const { start, end, pem, detector, isProtected, publicKey } of privateKeysIn(this.#file.text)) {
      const knownSecrets = this.#options.knownPublicKeys?.get(publicKey ?? "") ?? [];
      const reason = isProtected ? "A private key with a passphrase." : "A private key without a passphrase.";
      const confidence = isProtected ? 0.7 : 1;
      this.#take(
        start,
        end,
        { class: "private_key", confidence, reason, detector, publicKey, knownSecrets, encoding: "escaped" },
        pem,
      );
    }
  }

  certificates(): void {
    for (const { start, end, pem, reason, confidence, publicKey } of certificateProblemsIn(
      this.#file.text,
      this.#options.now,
    )) {
      this.#take(start, end, { class: "certificate", confidence, reason, detector: "certificate", publicKey }, pem);
    }
  }

  knownSecrets(): void {
    const index = this.#options.knownSecrets;
    if (index === undefined) return;
    for (const { start, end, form, ids } of this.#file.spansInBytes((bytes) => index.matches(bytes))) {
      const value = decodeForm(this.#file.textAt(start, end), form);
      const reason = "This is a secret of the vault.";
      this.#take(
        start,
        end,
        { class: "known_secret", confidence: 1, detector: "known-secret", reason, encoding: form, knownSecrets: ids },
        value,
      );
    }
  }

  /** Exact rules come first: the first rule that reads a span owns it. */
  candidates(): void {
    const { text } = this.#file;
    const { format, kind } = this.#around;
    const pieces = piecesOf(text, this.#file.bytes);
    const formatOfLine = kind.isSample ? () => format : lineFormats(text, format);
    // The histories of libedit write `\\040` for a space. The replacement has the same length.
    const isHistory = text.includes("\\040");
    const read = (wanted: number, reader: (line: Line) => Candidate[]) => {
      for (const { from, to, kinds: found } of pieces) {
        if ((found & wanted) === 0) continue;
        const end = text[to - 1] === "\r" && to > from ? to - 1 : to;
        const line = isHistory ? text.slice(from, end).replaceAll("\\040", "    ") : text.slice(from, end);
        for (const candidate of reader({ text: line, base: from, format: formatOfLine(from, line), file: text }))
          this.#consider(candidate);
      }
    };
    read(TOKENS, readTokens);
    const path = this.#options.path.replaceAll("\\", "/");
    const exact = [
      ...readUrls(text),
      ...readDataSourceNames(text),
      ...readWellKnown(path, text),
      ...readTables(path, text),
      ...(format === "sql" ? [...readCopies(text), ...readInserts(text)] : []),
      ...(format === "text" && !kind.isSample ? readNotes(text) : []),
      ...readBlocks(text, format),
    ];
    for (const candidate of exact) this.#consider(candidate);
    if (!kind.isGenerated) {
      read(SQL, readSql);
      read(format === "code" ? PHRASES : PHRASES | CONFIG_PHRASES, readPhrases);
      read(COMMANDS, readCommands);
      read(KEYS, readAssignments);
    }
    for (const candidate of readHashes(text)) this.#consider(candidate);
    if (kind.isGenerated || kind.isSample) return;
    read(KEYS, readLiterals);
    for (const candidate of readCollections(path, text, format)) this.#consider(candidate);
    if (text.length < 256_000)
      for (const candidate of [...readLists(text, format), ...readMaps(text)]) this.#consider(candidate);
    for (const candidate of readPositions(text, this.#around)) this.#consider(candidate);
    for (const candidate of readSettings(text, this.#around)) this.#consider(candidate);
  }

  #consider(candidate: Candidate): void {
    const { start, end, keyName, detector, userName = null, host = null, port = null, url = null } = candidate;
    const owner = this.#ownerOf(start, end);
    if (owner !== undefined) {
      owner.facts.keyName ??= keyName;
      owner.facts.userName ??= userName;
      owner.facts.host ??= host;
      return;
    }
    const written = this.#file.decode(candidate.raw);
    const { value, encoding } = this.#decoded(candidate, written);
    const verdict = judge(this.#placed(candidate), value, this.#around);
    if (verdict === null || verdict.confidence < (this.#options.minConfidence ?? 0.5)) return;
    this.#take(start, end, { ...verdict, detector, keyName, userName, host, port, url, encoding }, value);
  }

  /** What the text around the candidate says about it. */
  #placed(candidate: Candidate): Candidate {
    const { text } = this.#file;
    const { start, end } = candidate;
    if (this.#around.format === "xml") {
      const before = text.slice(Math.max(0, start - 4000), start);
      return before.lastIndexOf("<!--") > before.lastIndexOf("-->") ? { ...candidate, isComment: true } : candidate;
    }
    if (candidate.isComment === true && this.#isOldValue(candidate)) return { ...candidate, isOld: true };
    if (this.#around.format !== "code" || !candidate.isQuoted || candidate.keyName === null) return candidate;
    if (judgeKey(candidate.keyName)?.kind !== "password") return candidate;
    return hasUserLiteral(text, start, end) ? { ...candidate, isSetting: true } : candidate;
  }

  /** A commented-out setting is an old value if the file also has the setting in use. */
  #isOldValue({ keyName, raw, start }: Candidate): boolean {
    const { format } = this.#around;
    if (keyName === null || !/^(?:assignments|shell|yaml|code)$/.test(format)) return false;
    const { text } = this.#file;
    const before = text.slice(Math.max(0, start - LONGEST_START), start);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const isCode = /^[ \t]*(?:#|;|\/\/)[ \t]*[\w$.-]*$/.test(line.slice(0, Math.max(0, line.lastIndexOf(keyName))));
    if (!isCode) return false;
    let used = this.#used.get(keyName);
    if (used === undefined && this.#used.size < MOST_NAMES) {
      const pattern = new RegExp(
        `^[ \\t]*(?:export[ \\t]+|\\$|public \\$)?${escapePattern(keyName)}["']?\\]?[ \\t]*[=: ]`,
        "m",
      );
      this.#used.set(keyName, (used = pattern.test(text)));
    }
    return used === true && raw.length >= 5;
  }

  #decoded(
    { decoded, encoding, isQuoted, detector }: Candidate,
    written: string,
  ): { value: string; encoding: FindingFacts["encoding"] } {
    if (decoded !== undefined) return { value: decoded, encoding: encoding ?? "plain" };
    if (encoding === "url") return { value: fromUrl(written), encoding };
    const hidden = fromXor(written);
    if (hidden !== null) return { value: hidden, encoding: "xor" };
    const plain =
      this.#around.format === "xml" || detector === "xml"
        ? unescapeXml(written)
        : isQuoted
          ? unescape(written)
          : written;
    return { value: plain, encoding: plain === written ? "plain" : "escaped" };
  }

  /** Looks only at findings of the same kilobytes: a file may have many. */
  #ownerOf(start: number, end: number): Found | undefined {
    for (let block = start >> BLOCK; block <= end >> BLOCK; block += 1) {
      const owner = this.#byBlock.get(block)?.find((each) => start < each.end && end > each.start);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  #take(start: number, end: number, facts: Facts, value: string): void {
    const found = { start, end, facts, value };
    this.#found.push(found);
    for (let block = start >> BLOCK; block <= end >> BLOCK; block += 1) {
      const others = this.#byBlock.get(block);
      if (others === undefined) this.#byBlock.set(block, [found]);
      else others.push(found);
    }
  }

  findings(): Finding[] {
    const { minConfidence = 0.5, classes } = this.#options;
    // The identifier of an access key is not secret. Without its key, it shows that the key is elsewhere.
    const hasAwsKey = this.#found.some(({ value }) => AWS_SECRET_KEY.test(value));
    return this.#found
      .filter(
        ({ facts }) =>
          facts.confidence >= minConfidence &&
          (classes === undefined || classes.includes(facts.class)) &&
          !(hasAwsKey && facts.detector === AWS_KEY_ID),
      )
      .sort((a, b) => a.start - b.start)
      .map((found) => this.#finding(found));
  }

  #finding({ start, end, facts, value }: Found): Finding {
    const { line, column } = this.#file.positionOf(start);
    const confidence = Math.round(facts.confidence * 100) / 100;
    const isBlock = facts.class === "private_key" || facts.class === "certificate";
    const context = isBlock ? null : contextOf(this.#file.text, start, end, this.#around.format, facts.keyName ?? null);
    const userName = shown(facts.userName, this.#file) ?? shown(context?.userName, this.#file);
    return createFinding(
      {
        class: facts.class,
        type: typeOf(facts.class, facts.detector, userName),
        severity: severityOf(facts.class, confidence),
        confidence,
        detector: facts.detector,
        reason: facts.reason,
        line,
        column,
        endLine: this.#file.positionOf(Math.max(start, end - 1)).line,
        start: this.#file.offsetOf(start),
        end: this.#file.offsetOf(end),
        encoding: facts.encoding ?? "plain",
        keyName: shown(facts.keyName, this.#file),
        userName,
        host: shown(facts.host, this.#file) ?? shown(context?.host, this.#file),
        port: facts.port ?? context?.port ?? null,
        url: shown(facts.url, this.#file),
        preview: isBlock ? value.slice(0, value.indexOf("\n")) : previewOf(value),
        fingerprint: this.#options.fingerprint?.(value) ?? null,
        publicKey: facts.publicKey ?? null,
        knownSecrets: facts.knownSecrets ?? [],
      },
      value,
    );
  }
}

const shown = (text: string | null | undefined, file: Content): string | null =>
  text === null || text === undefined ? null : file.decode(text);

function fromUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign that encodes nothing.
  }
}

function decodeForm(text: string, form: KnownMatch["form"]): string {
  if (form === "base64") return Buffer.from(text, "base64").toString();
  return form === "url" ? fromUrl(text) : text;
}
