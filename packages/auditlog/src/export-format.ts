// The export file: JSON Lines, each line canonical JSON (RFC 8785). This package's README.md describes it.
import { canonicalise } from "./canonical-json.ts";
import { HASH_BYTES, leafHash } from "./tree.ts";

const EXPORT_FORMAT = "strongroom-audit-export/1";

/** `complete`: every entry from the first on. `evidence`: some entries, each with its inclusion proof. */
type ExportKind = "complete" | "evidence";

/** The subject of the evidence. It is not signed: the entries name it too. */
export interface EvidenceAbout {
  readonly type: string;
  readonly id: string;
}

export interface HeaderLine {
  readonly type: "header";
  readonly kind: ExportKind;
  readonly origin: string;
  /** The key that signed; a hint for an auditor to compare with their own copy. */
  readonly verifierKey: string;
  /** The newest checkpoint: a signed note. */
  readonly checkpoint: string;
  /** Only in evidence with one subject. */
  readonly about?: EvidenceAbout | undefined;
}

export interface EntryLine {
  readonly type: "entry";
  readonly index: number;
  /** The leaf hash written in the line, and the one computed from the entry. */
  readonly written: Buffer;
  readonly computed: Buffer;
  /** Only in evidence. */
  readonly proof: readonly Buffer[] | null;
}

export interface CheckpointLine {
  readonly type: "checkpoint";
  readonly note: string;
  /** Only in evidence: proves that the header's checkpoint extends this one. */
  readonly consistency: readonly Buffer[] | null;
}

export type ExportLine = HeaderLine | EntryLine | CheckpointLine;

/** The first line of an export. Lines come without their newline. */
export function headerLine({ kind, origin, verifierKey, checkpoint, about }: Omit<HeaderLine, "type">): string {
  const subject = about === undefined ? {} : { about: { id: about.id, type: about.type } };
  return canonicalise({ ...subject, checkpoint, format: EXPORT_FORMAT, kind, origin, verifierKey });
}

/**
 * One entry: its stored bytes and its stored leaf hash unchanged, whether they match or not; with `proof` in evidence.
 * Recomputing either could hide a change.
 */
export function entryLine(entry: {
  readonly index: number;
  readonly canonical: Buffer;
  readonly leafHash: Buffer;
  readonly proof?: readonly Buffer[];
}): string {
  const { index, canonical, leafHash, proof } = entry;
  const leaf = leafHash.toString("base64");
  const line = `{"entry":${canonical.toString("utf8")},"index":${index},"leaf":"${leaf}"`;
  return proof ? `${line},"proof":${canonicalise(proof.map((hash) => hash.toString("base64")))}}` : `${line}}`;
}

/** A checkpoint: in a complete export directly after the last entry that it covers; in evidence with `consistency`. */
export function checkpointLine(note: string, consistency?: readonly Buffer[]): string {
  if (!consistency) return canonicalise({ checkpoint: note });
  return canonicalise({ checkpoint: note, consistency: consistency.map((hash) => hash.toString("base64")) });
}

export interface ReadLine {
  /** Null when the line cannot be parsed. */
  readonly line: ExportLine | null;
  /** The error in plain English; null for a valid line. */
  readonly complaint: string | null;
}

/** Reads a line without trusting it. A line with valid content in a different form is read, with a complaint. */
export function readLine(text: string): ReadLine {
  const value = parse(text);
  if (value === null) return { line: null, complaint: "is not a JSON object" };
  const line = understand(value);
  if (line === null) return { line: null, complaint: "is neither a header nor an entry nor a checkpoint" };
  return { line, complaint: isCanonical(value, text) ? null : "is not in canonical form" };
}

type Members = Record<string, unknown>;

function parse(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : null;
  } catch {
    return null; // The line is not JSON, which the caller reports.
  }
}

function understand(value: Members): ExportLine | null {
  switch (Object.keys(value).sort().join(" ")) {
    case "checkpoint format kind origin verifierKey":
    case "about checkpoint format kind origin verifierKey":
      return understandHeader(value);
    case "entry index leaf":
      return understandEntry(value, null);
    case "entry index leaf proof":
      return understandEntry(value, readHashes(value["proof"]));
    case "checkpoint":
      return understandCheckpoint(value, null);
    case "checkpoint consistency":
      return understandCheckpoint(value, readHashes(value["consistency"]));
    default:
      return null;
  }
}

function understandHeader({ format, kind, origin, verifierKey, checkpoint, about }: Members): HeaderLine | null {
  if (format !== EXPORT_FORMAT || (kind !== "complete" && kind !== "evidence")) return null;
  if (typeof origin !== "string" || typeof verifierKey !== "string" || typeof checkpoint !== "string") return null;
  const header = { type: "header", kind, origin, verifierKey, checkpoint } as const;
  if (about === undefined) return header;
  const subject = kind === "evidence" ? understandAbout(about) : null;
  return subject && { ...header, about: subject };
}

function understandAbout(about: unknown): EvidenceAbout | null {
  if (typeof about !== "object" || about === null) return null;
  const { type, id, ...more } = about as Members;
  if (typeof type !== "string" || typeof id !== "string" || Object.keys(more).length > 0) return null;
  return { type, id };
}

function understandEntry(value: Members, proof: Buffer[] | null): EntryLine | null {
  const { entry, index, leaf } = value;
  const written = readHash(leaf);
  if (written === null || typeof index !== "number" || !Number.isSafeInteger(index) || index < 0) return null;
  if ("proof" in value && proof === null) return null;
  const bytes = canonicalBytes(entry);
  return bytes && { type: "entry", index, written, computed: leafHash(bytes), proof };
}

function understandCheckpoint(value: Members, consistency: Buffer[] | null): CheckpointLine | null {
  if (typeof value["checkpoint"] !== "string" || ("consistency" in value && consistency === null)) return null;
  return { type: "checkpoint", note: value["checkpoint"], consistency };
}

function readHash(value: unknown): Buffer | null {
  if (typeof value !== "string") return null;
  const hash = Buffer.from(value, "base64");
  return hash.length === HASH_BYTES && hash.toString("base64") === value ? hash : null;
}

function readHashes(value: unknown): Buffer[] | null {
  if (!Array.isArray(value)) return null;
  const hashes = value.map(readHash);
  return hashes.includes(null) ? null : (hashes as Buffer[]);
}

function canonicalBytes(value: unknown): Buffer | null {
  if (typeof value !== "object" || value === null) return null;
  try {
    return Buffer.from(canonicalise(value), "utf8");
  } catch {
    return null; // A lone surrogate, or nesting that is too deep: a signed entry never contains either.
  }
}

function isCanonical(value: Members, text: string): boolean {
  try {
    return canonicalise(value) === text;
  } catch {
    return false; // As above.
  }
}
