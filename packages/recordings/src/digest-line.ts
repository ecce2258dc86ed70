// Digests of recordings in text: one JSON object per line, alone or as the details of an exported audit entry.
import { DIGEST_BYTES } from "./recording-format.ts";
import type { RecordingDigest } from "./report.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The details of the audit entry that proves a recording up to `chunk`; also a line of a file of digests. */
export function digestDetails({ recording, chunk, digest }: RecordingDigest): {
  recording: string;
  chunk: number;
  digest: string;
} {
  return { recording, chunk, digest: digest.toString("base64") };
}

/**
 * The digest in a line of a file of digests, or of an audit export or evidence bundle. Null for other lines. Only
 * `audit verify` proves that the trail holds it.
 */
export function parseDigestLine(line: string): RecordingDigest | null {
  const value = parse(line);
  if (!isRecord(value)) return null;
  const { entry } = value;
  const details = "entry" in value ? isRecord(entry) && entry["details"] : value;
  if (!isRecord(details)) return null;
  const { recording, chunk, digest } = details;
  if (typeof recording !== "string" || !UUID.test(recording) || typeof digest !== "string") return null;
  if (typeof chunk !== "number" || !Number.isInteger(chunk) || chunk < 0 || chunk > 0xffff_ffff) return null;
  const bytes = Buffer.from(digest, "base64");
  if (bytes.length !== DIGEST_BYTES || bytes.toString("base64") !== digest) return null;
  return { recording, chunk, digest: bytes };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // Not a digest: the caller reports a file without any.
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
