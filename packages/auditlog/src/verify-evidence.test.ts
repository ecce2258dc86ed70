import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changed, check, checkpointAt, findings, lineOf, log } from "../testing/hundred-entries.ts";
import { aLog, evidenceExport, entryLine } from "../testing/sample-log.ts";
import { checkpointLine } from "./index.ts";
import type { FindingKind } from "./index.ts";

/** Evidence for four entries. */
const evidence = await evidenceExport(log, [0, 41, 42, 99]);

describe("verifying evidence", () => {
  it("proves each entry on its own", async () => {
    const report = await check(evidence);
    assert.deepEqual(findings(report), []);
    assert.deepEqual([report.isIntact, report.entries, report.proven, report.size], [true, 4, 4, 100]);
  });

  /** Another first character, whichever the hash has. */
  const otherLeaf = (_: string, first: string) => `"leaf":"${first === "A" ? "B" : "A"}`;

  const tampering: Record<string, [(lines: string[]) => string[], string[]]> = {
    "an entry is changed": [
      (lines) => lines.with(lineOf(lines, 41), lines[lineOf(lines, 41)]!.replace("Ada", "Eve")),
      ["changed 41: entry 41 was changed"],
    ],
    "an entry is changed, and its hash recomputed": [
      (lines) => lines.with(lineOf(lines, 41), entryLine(41, changed, proofOf(lines, 41))),
      [
        "proof 41: entry 41 is not in the log that the checkpoint of 2026-11-21T09:03:00Z signed, or its proof was changed",
      ],
    ],
    "the hash beside an entry is changed": [
      (lines) => lines.with(lineOf(lines, 41), lines[lineOf(lines, 41)]!.replace(/"leaf":"(.)/, otherLeaf)),
      ["changed 41: the hash stored with entry 41 was changed; the entry itself was not"],
    ],
    "a proof is cut": [
      (lines) => lines.with(lineOf(lines, 41), entryLine(41, log.entries[41]!.canonical, proofOf(lines, 41).slice(1))),
      [
        "proof 41: entry 41 is not in the log that the checkpoint of 2026-11-21T09:03:00Z signed, or its proof was changed",
      ],
    ],
    "an entry claims the place of another": [
      (lines) => lines.with(lineOf(lines, 42), entryLine(42, log.entries[41]!.canonical, proofOf(lines, 41))),
      [
        "proof 42: entry 42 is not in the log that the checkpoint of 2026-11-21T09:03:00Z signed, or its proof was changed",
      ],
    ],
    "an entry claims a place after the end": [
      (lines) => [...lines, entryLine(100, changed, [])],
      ["added 100: entry 100 was added: the checkpoint of 2026-11-21T09:03:00Z signed only 100"],
    ],
    "a proof is left out": [
      (lines) => lines.with(lineOf(lines, 41), entryLine(41, log.entries[41]!.canonical)),
      ["proof 41: entry 41 has no proof"],
    ],
    "an entry is repeated": [
      (lines) => [...lines, lines[lineOf(lines, 41)]!],
      ["repeated 41: entry 41 appears again, or out of order"],
    ],
    "the proof from an earlier checkpoint is cut": [
      (lines) => [...lines.slice(0, -1), checkpointLine(checkpointAt(64), [])],
      ["proof -: the checkpoint of 2026-11-21T09:03:00Z is not proved to extend the one in line 8"],
    ],
    "a checkpoint is changed": [
      (lines) => [...lines.slice(0, -1), lines.at(-1)!.replace("audit\\n64\\n", "audit\\n65\\n")],
      [`signature -: signature does not match key ${log.key}: the checkpoint in line 8 was changed`],
    ],
    "there is no entry": [(lines) => lines.slice(0, 1), ["missing -: the evidence contains no entries"]],
    "the header is repeated": [(lines) => [...lines, lines[0]!], ["malformed -: line 9 is a second header"]],
  };
  for (const [attack, [spoil, expected]] of Object.entries(tampering)) {
    it(`reports a finding when ${attack}`, async () => {
      const report = await check(spoil(evidence));
      assert.deepEqual(findings(report), expected);
      assert.equal(report.isIntact, false);
    });
  }

  it("compares with checkpoints that the auditor kept", async () => {
    assert.equal((await check(evidence, [checkpointAt(40), checkpointAt(100)])).isIntact, true);
    const kinds = async (lines: readonly string[], note: string): Promise<FindingKind[]> =>
      (await check(lines, [note])).findings.map(({ kind }) => kind);
    assert.deepEqual(await kinds(evidence.slice(0, 5), checkpointAt(40)), ["proof"]);
    const other = aLog([40, 120], log.signer);
    assert.deepEqual(await kinds(evidence, other.checkpoints[0]!.note), ["rewritten"]);
    assert.deepEqual(await kinds(evidence, other.checkpoints[1]!.note), ["truncated"]);
  });
});

function proofOf(lines: readonly string[], index: number): Buffer[] {
  const { proof } = JSON.parse(lines[lineOf(lines, index)]!) as { proof: string[] };
  return proof.map((hash) => Buffer.from(hash, "base64"));
}
