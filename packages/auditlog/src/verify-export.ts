// The offline verifier: an export and a public key in, a report in plain English out. No server, no database.
import { isOfLog, readOrReport, readSignedCheckpoint } from "./export-check.ts";
import type { ExportCheck, NumberedLine } from "./export-check.ts";
import type { HeaderLine } from "./export-format.ts";
import { Findings } from "./findings.ts";
import type { VerifyReport } from "./findings.ts";
import type { SignedCheckpoint } from "./log-trace.ts";
import { parseVerifierKey } from "./signed-note.ts";
import { verifyComplete } from "./verify-complete.ts";
import { verifyEvidence } from "./verify-evidence.ts";

/**
 * Checks an export line by line in constant memory. `verifierKey` is the log's public key as given to the auditor
 * (`name+hash+base64`); `kept` are checkpoints of this log that the auditor kept: the log must extend them. An export
 * cut back to an earlier genuine checkpoint is a genuine, shorter export: only `kept` reveals it. Throws a TypeError
 * when `verifierKey` is not a key; every problem with the export is a finding.
 */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  verifierKey: string,
  kept: readonly string[] = [],
): Promise<VerifyReport> {
  const verifier = parseVerifierKey(verifierKey);
  if (verifier === null) throw new TypeError("not a verifier key: expected name+hash+base64");
  const findings = new Findings();
  const rest = numbered(lines);
  const first = await rest.next();
  const header = first.done ? null : readHeader(first.value.text, findings);
  if (header === null) return emptyReport(null, findings);

  const checkpoint = readSignedCheckpoint(
    header.checkpoint,
    verifierKey,
    verifier,
    "the header's checkpoint",
    findings,
  );
  reportOrigins(header, checkpoint, verifierKey, findings);
  if (checkpoint === null) return emptyReport(header.origin, findings);

  const known = kept.flatMap((note) => {
    const read = readSignedCheckpoint(note, verifierKey, verifier, "a checkpoint that you kept", findings);
    return read && isOfLog(read, checkpoint.origin, findings) ? [read] : [];
  });
  const check: ExportCheck = {
    header,
    checkpoint,
    verifierKey,
    verifier,
    kept: known.sort((a, b) => a.size - b.size),
    findings,
  };
  return header.kind === "complete" ? verifyComplete(rest, check) : verifyEvidence(rest, check);
}

async function* numbered(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<NumberedLine> {
  let lineNumber = 0;
  for await (const text of lines) yield { text, lineNumber: ++lineNumber };
}

function readHeader(text: string, findings: Findings): HeaderLine | null {
  const line = readOrReport({ text, lineNumber: 1 }, findings);
  if (line?.type === "header") return line;
  findings.add("malformed", null, "the first line is not the header of an audit export");
  return null;
}

function reportOrigins(header: HeaderLine, signed: SignedCheckpoint | null, key: string, findings: Findings): void {
  if (header.verifierKey !== key) {
    findings.add("signature", null, `the header names the key ${header.verifierKey}, not ${key}`);
  }
  if (signed && signed.origin !== header.origin) {
    findings.add(
      "checkpoint",
      null,
      `the header names the log ${header.origin}, but its checkpoint belongs to ${signed.origin}`,
    );
  }
}

function emptyReport(origin: string | null, findings: Findings): VerifyReport {
  if (findings.isEmpty) findings.add("malformed", null, "there is nothing to verify");
  return {
    isIntact: false,
    origin,
    entries: 0,
    proven: 0,
    checkpoints: 0,
    size: null,
    signedAt: null,
    findings: findings.kept,
    omitted: findings.omitted,
  };
}
