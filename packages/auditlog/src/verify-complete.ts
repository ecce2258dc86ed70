// Verifies a complete export: every entry from the first on, against the checkpoints in the file and the kept ones.
import type { ExportLine, HeaderLine } from "./export-format.ts";
import { checkpointOf, entries } from "./findings.ts";
import type { Findings, VerifyReport } from "./findings.ts";
import { inOrder, reportMisplaced } from "./line-order.ts";
import type { Placed } from "./line-order.ts";
import { LogTrace } from "./log-trace.ts";
import type { SignedCheckpoint } from "./log-trace.ts";
import { isOfLog, readOrReport, readSignedCheckpoint } from "./export-check.ts";
import type { ExportCheck, NumberedLine } from "./export-check.ts";

export async function verifyComplete(lines: AsyncIterable<NumberedLine>, check: ExportCheck): Promise<VerifyReport> {
  const { findings, checkpoint, header } = check;
  const trace = new LogTrace(findings);
  // Among checkpoints of the same size, the header's own comes last, so that it is reported as the newest.
  const ahead = [...check.kept, checkpoint].sort((a, b) => a.size - b.size);
  const meetUpTo = async (size: number) => {
    for (let next = ahead[0]; next !== undefined && next.size <= size; next = ahead[0]) {
      ahead.shift();
      if (next.size === size) await trace.meet(next);
    }
  };

  let count = 0;
  /** A checkpoint over more entries than precede it: some are missing, or the log ends too early. */
  let beyond: SignedCheckpoint | null = null;
  await meetUpTo(0);
  for await (const placed of inOrder(readPlaced(lines, check), findings)) {
    if (placed.type === "checkpoint") {
      if (placed.size === trace.size) await trace.meet(placed);
      else if (placed.size > trace.size) beyond = placed;
      else reportMisplaced(placed, findings);
      continue;
    }
    count++;
    trace.add(placed);
    await meetUpTo(trace.size);
  }
  trace.end();
  nameEnd(trace.size, checkpoint, findings);
  for (const signed of [...ahead, beyond])
    if (signed && signed.size > trace.size) reportShort(trace.size, signed, findings);

  return trace.report({
    isIntact: findings.isEmpty && trace.proven === count && trace.size === checkpoint.size,
    origin: header.origin,
    entries: count,
  });
}

/** The usable lines, with the signatures of checkpoints verified. */
async function* readPlaced(lines: AsyncIterable<NumberedLine>, check: ExportCheck): AsyncGenerator<Placed> {
  const { findings, verifier, verifierKey } = check;
  for await (const numbered of lines) {
    const { lineNumber } = numbered;
    const line = readOrReport(numbered, findings);
    if (line === null) continue;
    if (isOutOfPlace(line)) {
      findings.add("malformed", null, `line ${lineNumber} does not belong in a complete export`);
    } else if (line.type === "entry") {
      yield { ...line, lineNumber };
    } else {
      const which = `the checkpoint in line ${lineNumber}`;
      const signed = readSignedCheckpoint(line.note, verifierKey, verifier, which, findings);
      if (signed && isOfLog(signed, check.checkpoint.origin, findings))
        yield { ...signed, type: "checkpoint", lineNumber };
    }
  }
}

function reportShort(size: number, checkpoint: SignedCheckpoint, findings: Findings): void {
  const message = `the log ends at ${size} but ${checkpointOf(checkpoint)} signed ${checkpoint.size} entries`;
  if (!findings.kept.some((finding) => finding.message === message)) findings.add("truncated", size, message);
}

function nameEnd(size: number, checkpoint: SignedCheckpoint, findings: Findings): void {
  if (size <= checkpoint.size) return;
  const extra = entries(checkpoint.size, size - 1, "was");
  findings.add("added", checkpoint.size, `${extra} added: ${checkpointOf(checkpoint)} signed only ${checkpoint.size}`);
}

/** A second header, or a line that belongs in evidence. */
function isOutOfPlace(line: ExportLine): line is HeaderLine {
  if (line.type === "header") return true;
  return line.type === "entry" ? line.proof !== null : line.consistency !== null;
}
