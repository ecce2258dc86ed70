import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import * as fc from "fast-check";
import { changed, check, checkpointAt, findings, lineOf, log } from "../testing/hundred-entries.ts";
import { ORIGIN, aLog, aSigner, anEntry, completeExport, entryLine } from "../testing/sample-log.ts";
import { checkpointLine, encodeEntry, noteSigner, signCheckpoint, verifyExport } from "./index.ts";
import type { VerifyReport } from "./index.ts";

const complete = completeExport(log);

describe("verifying a complete export", () => {
  it("proves every entry of an untouched log", async () => {
    const report = await check(complete);
    assert.deepEqual(report, {
      isIntact: true,
      origin: ORIGIN,
      entries: 100,
      proven: 100,
      checkpoints: 5,
      size: 100,
      signedAt: new Date("2026-11-21T09:03:00Z"),
      findings: [],
      omitted: 0,
    });
  });

  it("proves an empty log", async () => {
    const report = await verifyExport(completeExport(aLog([0])), log.key);
    assert.equal(report.isIntact, true);
    assert.equal(report.entries, 0);
  });

  it("requires a valid key", async () => {
    await assert.rejects(verifyExport(complete, "not a key"), TypeError);
  });

  /** The change made to the file, and the complete list of findings. */
  const tampering: Record<string, [(lines: string[]) => string[], string[]]> = {
    "an entry's content is changed": [
      (lines) => lines.with(lineOf(lines, 41), complete[lineOf(lines, 41)]!.replace("Ada", "Eve")),
      ["changed 41: entry 41 was changed"],
    ],
    "an entry's content is changed, and its hash recomputed": [
      (lines) => lines.with(lineOf(lines, 41), entryLine(41, changed)),
      [
        "rewritten 40: entries 40 to 63 are not what the checkpoint of 2026-11-21T09:02:00Z signed: " +
          "at least one was changed, added, removed or moved",
      ],
    ],
    "the only entry of a checkpoint is changed, and its hash recomputed": [
      (lines) => lines.with(lineOf(lines, 0), entryLine(0, changed)),
      ["rewritten 0: entry 0 is not what the checkpoint of 2026-11-21T09:00:00Z signed"],
    ],
    "only the hash beside an entry is changed": [
      (lines) =>
        lines.with(
          lineOf(lines, 41),
          entryLine(41, log.entries[41]!.canonical).replace(
            /"leaf":"(.)/,
            (_, first) => `"leaf":"${first === "A" ? "B" : "A"}`,
          ),
        ),
      ["changed 41: the hash stored with entry 41 was changed; the entry itself was not"],
    ],
    "an entry is removed": [(lines) => lines.toSpliced(lineOf(lines, 41), 1), ["missing 41: entry 41 is missing"]],
    "the first entry is removed": [(lines) => lines.toSpliced(1, 1), ["missing 0: entry 0 is missing"]],
    "several entries are removed": [
      (lines) => lines.toSpliced(lineOf(lines, 41), 2).toSpliced(lineOf(lines, 70) - 2, 3),
      ["missing 41: entries 41 and 42 are missing", "missing 70: entries 70 to 72 are missing"],
    ],
    "an entry is removed and the others renumbered": [
      (lines) => renumber(lines.toSpliced(lineOf(lines, 41), 1)),
      [
        "checkpoint -: the checkpoint over 64 entries is out of place, in line 67",
        "rewritten 40: entries 40 to 63 are not what the checkpoint of 2026-11-21T09:02:00Z signed: " +
          "at least one was changed, added, removed or moved",
        "truncated 99: the log ends at 99 but the checkpoint of 2026-11-21T09:03:00Z signed 100 entries",
      ],
    ],
    "two entries trade lines": [
      (lines) => swapLines(lines, lineOf(lines, 41), lineOf(lines, 42)),
      ["swapped 41: entries 41 and 42 were swapped"],
    ],
    "two distant entries trade lines": [
      (lines) => swapLines(lines, lineOf(lines, 5), lineOf(lines, 77)),
      ["swapped 5: entries 5 and 77 were swapped"],
    ],
    "two entries trade contents": [
      (lines) => swapContents(lines, 41, 42, true),
      ["swapped 41: entries 41 and 42 were swapped"],
    ],
    "two entries trade contents, and their hashes too": [
      (lines) => swapContents(lines, 45, 60, false),
      ["swapped 45: entries 45 and 60 were swapped"],
    ],
    "an entry is moved": [
      (lines) => lines.toSpliced(lineOf(lines, 50), 1).toSpliced(lineOf(lines, 41), 0, lines[lineOf(lines, 50)]!),
      ["reordered 41: entries 41 to 50 are out of order"],
    ],
    "an entry is repeated": [
      (lines) => lines.toSpliced(lineOf(lines, 42), 0, lines[lineOf(lines, 41)]!),
      ["repeated 41: entry 41 appears again, or too late, in line 46"],
    ],
    "an entry is inserted and the others renumbered": [
      (lines) => renumber(lines.toSpliced(lineOf(lines, 41), 0, entryLine(41, encodeEntry(anEntry(41))))),
      [
        "checkpoint -: the checkpoint over 64 entries is out of place, in line 69",
        "rewritten 40: entries 40 to 99 are not what the checkpoint of 2026-11-21T09:03:00Z signed: " +
          "at least one was changed, added, removed or moved",
        "checkpoint -: the checkpoint over 100 entries is out of place, in line 106",
        "added 100: entry 100 was added: the checkpoint of 2026-11-21T09:03:00Z signed only 100",
      ],
    ],
    "an entry is added at the end": [
      (lines) => [...lines, entryLine(100, encodeEntry(anEntry(100)))],
      ["added 100: entry 100 was added: the checkpoint of 2026-11-21T09:03:00Z signed only 100"],
    ],
    "the last ten entries are cut off": [
      (lines) => lines.slice(0, lineOf(lines, 90)),
      ["truncated 90: the log ends at 90 but the checkpoint of 2026-11-21T09:03:00Z signed 100 entries"],
    ],
    "the last ten entries are removed before the checkpoint": [
      (lines) => lines.toSpliced(lineOf(lines, 90), 10),
      ["truncated 90: the log ends at 90 but the checkpoint of 2026-11-21T09:03:00Z signed 100 entries"],
    ],
    "everything but the header is cut off": [
      (lines) => lines.slice(0, 1),
      ["truncated 0: the log ends at 0 but the checkpoint of 2026-11-21T09:03:00Z signed 100 entries"],
    ],
    "a checkpoint's size is changed": [
      (lines) => lines.map((line) => line.replace("audit\\n64\\n", "audit\\n65\\n")),
      [`signature -: signature does not match key ${log.key}: the checkpoint in line 68 was changed`],
    ],
    "a checkpoint is moved": [
      (lines) => swapLines(lines, lineOf(lines, 63), lineOf(lines, 63) + 1),
      ["checkpoint -: the checkpoint over 64 entries is out of place, in line 67"],
    ],
    "the time of a checkpoint is removed": [
      (lines) => [lines[0]!.replace(/\\n— [^\\]+\\n","format"/, '\\n","format"'), ...lines.slice(1)],
      ["signature -: the signed time of the header's checkpoint was removed"],
    ],
    "the time of a checkpoint is changed": [
      (lines) => [changeTime(lines[0]!), ...lines.slice(1)],
      [`signature -: signature does not match key ${log.key}: the header's checkpoint was changed`],
    ],
    "the header's checkpoint is signed by another key": [
      (lines) => {
        const [first, ...rest] = completeExport({ ...log, checkpoints: [{ size: 100, note: forgedNote() }] });
        return [first!, ...rest.slice(0, -1), lines.at(-1)!];
      },
      [`signature -: the header's checkpoint is not signed by key ${log.key}`],
    ],
    "the header names another key": [
      (lines) => lines.map((line) => line.replace(`"verifierKey":"${ORIGIN}`, '"verifierKey":"other')),
      [`signature -: the header names the key other${log.key.slice(ORIGIN.length)}, not ${log.key}`],
    ],
    "the header names another log": [
      (lines) => lines.map((line) => line.replace(`"origin":"${ORIGIN}"`, '"origin":"other"')),
      [`checkpoint -: the header names the log other, but its checkpoint belongs to ${ORIGIN}`],
    ],
    "a checkpoint of another log is slipped in": [
      (lines) => lines.toSpliced(lineOf(lines, 64), 1, otherLogsCheckpoint(), lines[lineOf(lines, 64)]!),
      ["checkpoint -: the checkpoint of 2026-11-21T09:00:00Z belongs to another log: other.test/audit"],
    ],
    "a line is damaged": [
      (lines) => lines.with(lineOf(lines, 41), lines[lineOf(lines, 41)]!.slice(1)),
      ["malformed -: line 45 is not a JSON object", "missing 41: entry 41 is missing"],
    ],
    "a line is reformatted": [
      (lines) => lines.with(lineOf(lines, 41), lines[lineOf(lines, 41)]!.replace('"index":41', '"index": 41')),
      ["malformed 41: line 45 (entry 41) is not in canonical form"],
    ],
    "a second value is hidden before the first": [
      (lines) => lines.with(lineOf(lines, 41), lines[lineOf(lines, 41)]!.replace('"event":', '"event":"x","event":')),
      ["malformed 41: line 45 (entry 41) is not in canonical form"],
    ],
    "a line gains a member": [
      (lines) => lines.with(lineOf(lines, 41), lines[lineOf(lines, 41)]!.replace('"index":41', '"index":41,"by":"x"')),
      ["malformed -: line 45 is neither a header nor an entry nor a checkpoint", "missing 41: entry 41 is missing"],
    ],
    "an empty line is inserted": [(lines) => lines.toSpliced(5, 0, ""), ["malformed -: line 6 is not a JSON object"]],
    "the header is repeated": [
      (lines) => lines.toSpliced(5, 0, lines[0]!),
      ["malformed -: line 6 does not belong in a complete export"],
    ],
    "the header is removed": [
      (lines) => lines.slice(1),
      ["malformed -: the first line is not the header of an audit export"],
    ],
    "the file is empty": [() => [], ["malformed -: there is nothing to verify"]],
  };
  for (const [attack, [spoil, expected]] of Object.entries(tampering)) {
    it(`reports a finding when ${attack}`, async () => {
      const report = await check(spoil(complete));
      assert.deepEqual(findings(report), expected);
      assert.equal(report.isIntact, false);
    });
  }

  it("reports how much is still proven when entries are missing", async () => {
    const report = await check(complete.toSpliced(lineOf(complete, 41), 1));
    assert.equal(report.entries, 99);
    assert.equal(report.proven, 40);
  });

  it("finds swapped entries", async () => {
    const [a, b, c] = [41, 42, 43].map((index) => log.entries[index]!.canonical.toString());
    const rotated = complete.map((line) =>
      line.replace(a!, "A").replace(b!, a!).replace(c!, b!).replace(`"A"`, c!).replace("A,", `${c!},`),
    );
    assert.deepEqual(findings(await check(rotated)), [
      "reordered 41: entry 43 was moved to the position of entry 41",
      "reordered 42: entry 41 was moved to the position of entry 42",
      "reordered 43: entry 42 was moved to the position of entry 43",
    ]);
  });

  it("misses a log truncated to an earlier checkpoint, unless a later one was kept", async () => {
    const earlier = completeExport({
      ...log,
      entries: log.entries.slice(0, 64),
      checkpoints: log.checkpoints.slice(0, 3),
    });
    assert.equal((await check(earlier)).isIntact, true);
    assert.deepEqual(findings(await check(earlier, [checkpointAt(100)])), [
      "truncated 64: the log ends at 64 but the checkpoint of 2026-11-21T09:03:00Z signed 100 entries",
    ]);
  });

  it("compares with checkpoints that the auditor kept", async () => {
    const bare = complete.filter((line) => !line.startsWith('{"checkpoint":') || line.includes('"format"'));
    const report = await check(bare, [checkpointAt(64), checkpointAt(40)]);
    assert.deepEqual(findings(report), []);
    assert.equal(report.checkpoints, 3);

    const rewritten = aLog([100], log.signer);
    assert.deepEqual(findings(await check(completeExport(rewritten))), []);
    assert.deepEqual(findings(await check(completeExport(rewritten), [checkpointAt(64)])), [
      "rewritten 0: entries 0 to 63 are not what the checkpoint of 2026-11-21T09:02:00Z signed: " +
        "at least one was changed, added, removed or moved",
    ]);
  });

  it("finds any changed character of any line", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(complete.length - 1),
        fc.nat(),
        fc.integer({ min: 0x20, max: 0x7e }),
        async (n, at, code) => {
          const line = complete[n]!;
          const i = at % line.length;
          const spoiled = line.slice(0, i) + String.fromCharCode(code) + line.slice(i + 1);
          const report = await check(complete.with(n, spoiled));
          assert.equal(report.isIntact, spoiled === line);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("finds any removed, duplicated or moved lines", async () => {
    const place = fc.integer({ min: 1, max: complete.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, place, fc.constantFrom("remove", "double", "move"), async (from, to, attack) => {
        const taken = attack === "double" ? complete : complete.toSpliced(from, 1);
        const spoiled = attack === "remove" ? taken : taken.toSpliced(to, 0, complete[from]!);
        const report = await check(spoiled);
        const isSame = spoiled.join("\n") === complete.join("\n");
        const isHarmless = attack !== "move" && complete[from]!.startsWith('{"checkpoint":');
        if (isSame) assert.equal(report.isIntact, true);
        else if (!isHarmless) assert.equal(report.isIntact, false);
      }),
      { numRuns: 300 },
    );
  });

  it("reads 200,000 entries with 24 MB of memory", async () => {
    const worker = new Worker(new URL("../testing/verify-many-lines.ts", import.meta.url), {
      workerData: 200_000,
      resourceLimits: { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 8 },
    });
    const [report] = (await once(worker, "message")) as [VerifyReport];
    assert.deepEqual([report.entries, report.findings.length], [200_000, 1]);
  });
});

function renumber(lines: readonly string[]): string[] {
  let next = 0;
  return lines.map((line) =>
    line.startsWith('{"entry"') ? line.replace(/"index":\d+,"leaf"/, `"index":${next++},"leaf"`) : line,
  );
}

function swapLines(lines: readonly string[], a: number, b: number): string[] {
  return lines.with(a, lines[b]!).with(b, lines[a]!);
}

/** Swaps two entries and leaves their indexes in order; their hashes stay in place or move along. */
function swapContents(lines: readonly string[], a: number, b: number, doHashesStay: boolean): string[] {
  const [first, second] = [log.entries[a]!.canonical, log.entries[b]!.canonical];
  const [atA, atB] = [lineOf(lines, a), lineOf(lines, b)];
  if (!doHashesStay) return lines.with(atA, entryLine(a, second)).with(atB, entryLine(b, first));
  const put = (line: string, from: Buffer, to: Buffer) => line.replace(from.toString(), to.toString());
  return lines.with(atA, put(lines[atA]!, first, second)).with(atB, put(lines[atB]!, second, first));
}

/** Adds a second to the time in the timestamped signature of the header's checkpoint. */
function changeTime(header: string): string {
  return header.replace(/(— \S+ )([A-Za-z0-9+/=]+)(\\n",)/, (_, name: string, base64: string, end: string) => {
    const bytes = Buffer.from(base64, "base64");
    bytes[11]! ^= 1;
    return name + bytes.toString("base64") + end;
  });
}

function forgedNote(): string {
  const [origin, size, root] = checkpointAt(100).split("\n");
  const checkpoint = { origin: origin!, size: Number(size), root: Buffer.from(root!, "base64") };
  return signCheckpoint(checkpoint, noteSigner(ORIGIN, Buffer.alloc(32, 9)), new Date("2026-11-21T09:03:00Z"));
}

function otherLogsCheckpoint(): string {
  const checkpoint = { origin: "other.test/audit", size: 64, root: Buffer.alloc(32) };
  return checkpointLine(signCheckpoint(checkpoint, aSigner(), new Date("2026-11-21T09:00:00Z")));
}
