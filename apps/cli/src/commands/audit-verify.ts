// `audit verify`: checks an export with only the log's public key. Needs no database and no server.
import { cosignedAt, parseVerifierKey, parseWitnessKey, splitNotes, verifyExport } from "@strongroom/auditlog";
import type { VerifyReport } from "@strongroom/auditlog";
import { readFileSync } from "node:fs";
import { command } from "../command.ts";
import { CommandError, UsageError } from "../command-error.ts";
import { count, note, print, printJson } from "../output.ts";
import { readLines, unreadable } from "../read-lines.ts";

/** Exits with 0 without findings, 1 with findings, 2 when there was nothing to check. */
export const auditVerify = command({
  options: {
    key: { type: "string" },
    kept: { type: "string", multiple: true },
    witness: { type: "string" },
    json: { type: "boolean" },
  },
  operands: [1, 1],
  async run({ key, kept = [], witness, json }, file = "-") {
    if (key === undefined)
      throw new UsageError("--key is required: pass the log's public key, or a file that contains it.");
    const verifierKey = readVerifierKey(key);
    // A published file contains several notes, one after the other.
    const notes = kept.flatMap((path) => splitNotes(readText(path)));
    if (witness !== undefined) requireCosigned(notes, witness);
    const report = await verifyExport(readLines(file), verifierKey, notes);
    if (json) printJson(report);
    else tell(report, kept.length > 0);
    return report.isIntact ? 0 : 1;
  },
});

/** Accepts a kept checkpoint only with the witness's cosignature, which cannot be forged by writing to the file. */
function requireCosigned(notes: readonly string[], given: string): void {
  const witness = parseWitnessKey(given) ?? parseWitnessKey(readText(given).trim());
  if (witness === null) throw new CommandError(`${given} contains no witness key.`, { status: 2 });
  if (notes.length === 0) throw new UsageError("--witness requires a cosigned checkpoint: pass its file with --kept.");
  const without = notes.filter((note) => cosignedAt(note, witness) === null).length;
  if (without === 0) return;
  throw new CommandError(`${without} of ${notes.length} kept checkpoints are not cosigned by this witness.`);
}

/** The text itself if it is a key, else the first line of the file that it names. */
function readVerifierKey(given: string): string {
  if (parseVerifierKey(given) !== null) return given;
  const [line = ""] = readText(given).split("\n");
  if (parseVerifierKey(line.trim()) !== null) return line.trim();
  throw new CommandError(`${given} contains no verifier key (name+hash+base64).`, { status: 2 });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unreadable(path, error);
  }
}

function tell(report: VerifyReport, hasKept: boolean): void {
  const { isIntact, origin, about, entries, checkpoints, size, signedAt, findings, omitted } = report;
  const number = count(entries, "entry", "entries");
  if (isIntact) print(`Intact: ${number}, exactly as signed.`);
  else print(`NOT INTACT: ${count(findings.length + omitted, "finding")} in ${number}.`);
  for (const { message } of findings) print(`- ${message}`);
  if (omitted > 0) print(`- and ${omitted} more`);
  if (about !== undefined) {
    print(
      `Subject, according to the file: ${about.type} ${about.id}. Only the complete trail shows that nothing was omitted.`,
    );
  }
  if (origin !== null) print(`Log: ${origin}`);
  if (size !== null && signedAt !== null) {
    print(
      `Newest checkpoint: ${count(size, "entry", "entries")}, signed ${signedAt.toISOString()}; ${checkpoints} matched.`,
    );
  }
  if (isIntact && !hasKept) {
    note(
      "An export cut back to an earlier checkpoint looks the same: pass a kept checkpoint with --kept to rule that out.",
    );
  }
}
