// `audit verify`: checks an export with nothing but the log's public key. Needs no database and no server.
import { cosignedAt, parseVerifierKey, parseWitnessKey, splitNotes, verifyExport } from "@strongroom/auditlog";
import type { VerifyReport } from "@strongroom/auditlog";
import { readFileSync } from "node:fs";
import { command } from "../command.ts";
import { CommandError, UsageError } from "../command-error.ts";
import { count, note, say, sayJson } from "../output.ts";
import { readLines, unreadable } from "../read-lines.ts";

/** Ends with 0 when nothing was found, 1 when something was, 2 when there was nothing to check. */
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
      throw new UsageError("--key is missing: the key that you were given, or a file that holds it.");
    const verifierKey = readVerifierKey(key);
    // A published file holds many, one after the other.
    const notes = kept.flatMap((path) => splitNotes(readText(path)));
    if (witness !== undefined) requireCosigned(notes, witness);
    const report = await verifyExport(readLines(file), verifierKey, notes);
    if (json) sayJson(report);
    else tell(report, kept.length > 0);
    return report.isIntact ? 0 : 1;
  },
});

/** What was kept counts only if the witness vouched for it: who could write to the file cannot have made that up. */
function requireCosigned(notes: readonly string[], given: string): void {
  const witness = parseWitnessKey(given) ?? parseWitnessKey(readText(given).trim());
  if (witness === null) throw new CommandError(`${given} holds no key of a witness.`, { status: 2 });
  if (notes.length === 0) throw new UsageError("--witness needs the cosigned checkpoint: pass its file with --kept.");
  const without = notes.filter((note) => cosignedAt(note, witness) === null).length;
  if (without === 0) return;
  throw new CommandError(`Of the checkpoints kept, ${without} of ${notes.length} are not cosigned by this witness.`);
}

/** The text itself when it is a key, else the first line of the file that it names. */
function readVerifierKey(given: string): string {
  if (parseVerifierKey(given) !== null) return given;
  const [line = ""] = readText(given).split("\n");
  if (parseVerifierKey(line.trim()) !== null) return line.trim();
  throw new CommandError(`${given} holds no verifier key (name+hash+base64).`, { status: 2 });
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
  if (isIntact) say(`Intact: ${number}, exactly as signed.`);
  else say(`NOT INTACT: ${count(findings.length + omitted, "finding")} in ${number}.`);
  for (const { message } of findings) say(`- ${message}`);
  if (omitted > 0) say(`- and ${omitted} more`);
  if (about !== undefined) {
    say(`About, as the file says: ${about.type} ${about.id}. Only the whole trail shows that nothing was left out.`);
  }
  if (origin !== null) say(`Log: ${origin}`);
  if (size !== null && signedAt !== null) {
    say(
      `Newest checkpoint: ${count(size, "entry", "entries")}, signed ${signedAt.toISOString()}; ${checkpoints} agreed.`,
    );
  }
  if (isIntact && !hasKept) {
    note(
      "An export that was cut back to an earlier checkpoint looks like this too: pass one that you kept with --kept.",
    );
  }
}
