import assert from "node:assert/strict";
import { test } from "node:test";
import { Kek, recordingSeal } from "@strongroom/keys";
import * as fc from "fast-check";
import { aRecorder, aRecording, chunksOf, inPieces, RECORDING_ID, seal } from "../testing/a-recording.ts";
import { RECORDER_LIMITS, recordingHeader, verifyRecording, type RecordingReport } from "./index.ts";
import { CHECK_BYTES, chunkDigest, CHUNK_HEAD_BYTES, FILE_HEADER_BYTES } from "./recording-format.ts";

const { bytes, chunks, digests } = await aRecording(5);
/** The recording's chunks: 0 is the header line, 1 to 5 output, 6 the closing record. */
const LAST = chunks.length - 1;

const joined = (parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts);
const verify = (file: Uint8Array, options = {}, piece?: number) => verifyRecording(inPieces(file, piece), options);
const kindsOf = ({ findings }: RecordingReport) => findings.map(({ kind }) => kind);
const namesOf = ({ findings }: RecordingReport) => findings.map(({ kind, chunks }) => [kind, chunks?.from, chunks?.to]);

/** The chunk with another content and with a check that matches it, as a forger without the key would write it. */
function forged(chunk: Buffer, previous?: Buffer): Buffer {
  const copy = Buffer.from(chunk);
  const at = copy.subarray(0, 3).toString() === "SRR" ? FILE_HEADER_BYTES : 0;
  if (previous) copy.set(previous, at + 36);
  else copy[at + CHUNK_HEAD_BYTES + 40] = (copy[at + CHUNK_HEAD_BYTES + 40] ?? 0) ^ 1;
  copy.set(digestOf(copy).subarray(0, CHECK_BYTES), copy.length - CHECK_BYTES);
  return copy;
}

function digestOf(chunk: Buffer): Buffer {
  const at = chunk.subarray(0, 3).toString() === "SRR" ? FILE_HEADER_BYTES : 0;
  return chunkDigest(chunk.subarray(at, at + CHUNK_HEAD_BYTES), chunk.subarray(at + CHUNK_HEAD_BYTES, -CHECK_BYTES));
}

test("an unchanged recording is complete without a key, and with one it opens", async () => {
  for (const piece of [1, 7, 1000, undefined]) {
    const report = await verify(bytes, { digests }, piece);
    assert.deepEqual(report, {
      isComplete: true,
      recording: RECORDING_ID,
      startedAt: new Date("2026-11-23T10:00:00Z"),
      chunks: 7,
      outputBytes: 5 * "line 0 of the output\r\n".length,
      duration: 3000,
      closing: { reason: "ended", unstoredBytes: 0 },
      provenTo: LAST,
      isOpened: false,
      findings: [],
      omitted: 0,
    });
  }
  assert.equal((await verify(bytes, { seal })).isOpened, true);
  assert.equal((await verify(bytes)).provenTo, null);
  assert.equal((await recordingHeader(inPieces(bytes)))?.kekId, seal.kekId);
});

test("every changed byte is found without a key and without digests", async () => {
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    const report = await verify(changed);
    assert.equal(report.isComplete, false, `byte ${at}`);
  }
});

test("a changed byte in the middle of a chunk names that chunk and its time", async () => {
  let start = 0;
  for (const [number, chunk] of chunks.entries()) {
    const changed = Buffer.from(bytes);
    const at = start + Math.floor(chunk.length / 2) + 10;
    changed[at] = (changed[at] ?? 0) ^ 1;
    start += chunk.length;
    const { findings } = await verify(changed, { digests });
    const [first] = findings;
    assert.deepEqual([first?.chunks?.from, first?.chunks?.to], [number, number]);
    if (number > 0 && number < LAST) {
      assert.deepEqual(first?.span, { from: Math.max(0, (number - 2) * 600), to: number * 600 });
      assert.match(first?.message ?? "", new RegExp(`^Chunk ${number} \\(0:00:0.* is changed`));
    }
  }
});

test("each removed chunk is reported by number", async () => {
  for (const number of chunks.keys()) {
    const report = await verify(joined(chunks.toSpliced(number, 1)), { digests });
    if (number === 0) assert.equal(report.isComplete, false);
    else assert.deepEqual(namesOf(report)[0], ["missing", number, number]);
  }
});

test("removed chunks in a row are one finding with their time span", async () => {
  const { findings } = await verify(joined(chunks.toSpliced(2, 3)));
  assert.deepEqual(findings[0], {
    kind: "missing",
    chunks: { from: 2, to: 4 },
    span: { from: 0, to: 2400 },
    message: "Chunks 2 to 4 (0:00:00.000 to 0:00:02.400) are missing.",
  });
});

test("each repeated chunk is reported by number", async () => {
  for (let number = 1; number < LAST; number++) {
    for (const at of [number + 1, LAST]) {
      const report = await verify(joined(chunks.toSpliced(at, 0, chunks[number]!)));
      assert.deepEqual(namesOf(report), [["repeated", number, number]]);
    }
  }
});

test("reordered chunks are reported by number", async () => {
  for (let number = 1; number < LAST - 1; number++) {
    const swapped = chunks.with(number, chunks[number + 1]!).with(number + 1, chunks[number]!);
    assert.deepEqual(namesOf(await verify(joined(swapped))), [["reordered", number, number]]);
  }
  const moved = [...chunks.toSpliced(1, 3), chunks[3]!, chunks[2]!, chunks[1]!];
  assert.deepEqual(namesOf(await verify(joined(moved))), [
    ["reordered", 3, 3],
    ["reordered", 2, 2],
    ["reordered", 1, 1],
  ]);
});

test("every truncation is found", async () => {
  for (let length = 0; length < bytes.length; length++) {
    const report = await verify(bytes.subarray(0, length));
    assert.equal(report.isComplete, false, `${length} bytes`);
    assert.ok(kindsOf(report).includes("unclosed"));
  }
});

test("the digests in the audit trail reveal a truncation", async () => {
  const { findings, provenTo } = await verify(joined(chunks.slice(0, 3)), { digests });
  assert.equal(provenTo, 2);
  assert.deepEqual(
    findings.map(({ message }) => message),
    [
      "Chunks 3 to 6 (0:00:00.600 to the end) are missing: the audit trail holds a digest of chunk 6.",
      "There is no closing record after 0:00:00.600. If the gateway stopped there, up to 1 s of output (256 kB) is missing.",
    ],
  );
});

test("bytes that belong to no chunk are found wherever they are", async () => {
  for (let at = 1; at <= chunks.length; at++) {
    for (const more of [Buffer.from([0]), Buffer.alloc(500, "x"), Buffer.alloc(3_000_000, 1)]) {
      const report = await verify(joined(chunks.toSpliced(at, 0, more)));
      assert.deepEqual(kindsOf(report), ["foreign"], `${more.length} bytes before chunk ${at}`);
    }
  }
});

test("any combination of removing, repeating and moving chunks is found", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: LAST }), { maxLength: 12 }), async (order) => {
      fc.pre(order.join() !== [...chunks.keys()].join());
      const report = await verify(joined(order.map((number) => chunks[number]!)), { digests });
      assert.equal(report.isComplete, false);
    }),
  );
});

test("any damage is found, and the chunks around it are still read", async () => {
  const patch = fc.record({
    at: fc.nat(bytes.length - 1),
    remove: fc.nat(300),
    insert: fc.uint8Array({ maxLength: 300 }),
  });
  await fc.assert(
    fc.asyncProperty(patch, async ({ at, remove, insert }) => {
      const damaged = joined([bytes.subarray(0, at), insert, bytes.subarray(at + remove)]);
      fc.pre(!damaged.equals(bytes));
      assert.equal((await verify(damaged)).isComplete, false);
      for (const chunk of await chunksOf(damaged)) assert.ok(chunk.number <= LAST);
    }),
  );
});

test("a forged chunk with a matching check is found by the chunk after it, by the digests and by the key", async () => {
  for (let number = 0; number < LAST; number++) {
    const file = joined(chunks.with(number, forged(chunks[number]!)));
    assert.deepEqual(namesOf(await verify(file)), [["altered", number, number + 1]]);
    assert.deepEqual(namesOf(await verify(file, { seal }))[0], ["altered", number, number]);
    const named = await verify(file, { digests });
    assert.equal(named.provenTo, number === 0 ? null : number - 1);
    assert.deepEqual(namesOf(named), [["altered", number, number]]);
  }
});

test("a recording whose chain was rewritten is found by the digests and by the key, and by nothing else", async () => {
  const rewritten = [...chunks];
  rewritten[3] = forged(chunks[3]!);
  for (let number = 4; number <= LAST; number++) {
    rewritten[number] = forged(chunks[number]!, digestOf(rewritten[number - 1]!));
  }
  const file = joined(rewritten);
  assert.equal((await verify(file)).isComplete, true, "only digests or a key prove a recording");

  const sparse = digests.filter(({ chunk }) => chunk === 1 || chunk === 5);
  const byDigests = await verify(file, { digests: sparse });
  assert.equal(byDigests.provenTo, 1);
  assert.deepEqual(namesOf(byDigests), [["altered", 2, 5]]);
  assert.match(
    byDigests.findings[0]?.message ?? "",
    /or one between them: the audit trail holds a different digest for chunk 5/,
  );

  const byKey = await verify(file, { seal });
  assert.deepEqual(
    namesOf(byKey),
    [3, 4, 5, 6].map((number) => ["altered", number, number]),
  );
  assert.equal(byKey.isOpened, false);
});

test("a chunk that was moved and forged is reported as changed", async () => {
  const moved = [...chunks.slice(0, 2), chunks[3]!, forged(chunks[2]!), ...chunks.slice(4)];
  assert.deepEqual(namesOf(await verify(joined(moved))), [["altered", 2, 2]]);
});

test("a closing record with wrong counts is found without a key", async () => {
  const closing = Buffer.from(chunks[LAST]!);
  closing.writeBigUInt64BE(3n, 24);
  closing.set(digestOf(closing).subarray(0, CHECK_BYTES), closing.length - CHECK_BYTES);
  const { findings } = await verify(joined(chunks.with(LAST, closing)));
  assert.deepEqual(
    findings.map(({ message }) => message),
    ["The closing record counts 3 bytes of output, and the chunks hold 110."],
  );
});

test("a chunk of a different recording, or of a different position, does not open", async () => {
  const other = await aRecorder({ recordingId: "1b6f6c0e-8f4e-4d7e-9b8a-3f1c2d4e5f60" });
  await other.recorder.output(Buffer.from("line 0 of the output\r\n"));
  await other.clock.pass(RECORDER_LIMITS.flushAfter);
  const stranger = other.store.stored[1]!.bytes;
  const report = await verify(joined(chunks.with(1, stranger)), { seal });
  assert.deepEqual(namesOf(report)[0], ["altered", 1, 1]);
  const another = recordingSeal(Kek.generate("safe:other"));
  assert.equal(kindsOf(await verify(bytes, { seal: another })).length, chunks.length);
});

test("a recording whose header was changed is found", async () => {
  const changed = Buffer.from(bytes);
  changed[40] = (changed[40] ?? 0) ^ 1;
  const { findings } = await verify(changed, { seal, digests });
  assert.equal(findings[0]?.message, "The file's header or chunk 0 was changed.");
});

test("two digests of one chunk cannot both match", async () => {
  const twice = [...digests, { recording: RECORDING_ID, chunk: 3, digest: Buffer.alloc(32) }];
  assert.deepEqual(namesOf(await verify(bytes, { digests: twice })), [["altered", 3, 3]]);
});

test("digests of other recordings are ignored", async () => {
  const others = digests.map((one) => ({
    ...one,
    recording: "1b6f6c0e-8f4e-4d7e-9b8a-3f1c2d4e5f60",
    digest: Buffer.alloc(32),
  }));
  const report = await verify(bytes, { digests: others });
  assert.deepEqual([report.isComplete, report.provenTo], [true, null]);
});

test("a file that is not a recording is reported as such", async () => {
  for (const other of [Buffer.alloc(0), Buffer.from("%PDF-1.7"), Buffer.alloc(100_000, "a"), Buffer.alloc(5_000_000)]) {
    const report = await verify(other);
    assert.deepEqual([report.recording, report.chunks, report.isComplete], [null, 0, false]);
  }
});

test("a file made of bytes that look like chunks is read in bounded time", async () => {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(2_000_000, 0);
  head[4] = 1;
  const hostile = joined([bytes.subarray(0, FILE_HEADER_BYTES), ...Array.from({ length: 500_000 }, () => head)]);
  const started = performance.now();
  assert.equal((await verify(hostile)).isComplete, false);
  assert.ok(performance.now() - started < 20_000);
});

test("text after a missing chunk is readable from the next independently compressed chunk", async () => {
  const { recorder, clock, store } = await aRecorder();
  for (let index = 0; index < 70; index++) {
    await recorder.output(Buffer.from(`line ${index} of the output\r\n`));
    await clock.pass(RECORDER_LIMITS.flushAfter);
  }
  await recorder.close("ended");
  const parts = store.stored.map((chunk) => chunk.bytes);
  const report = await verify(joined(parts), { seal });
  assert.ok(report.isComplete && report.isOpened);
  const read = await chunksOf(joined(parts.toSpliced(5, 1)));
  assert.deepEqual(
    read.filter(({ events }) => events === null).map(({ number }) => number),
    Array.from({ length: 26 }, (_, index) => index + 6),
  );
  const after = read.find(({ number }) => number === 40);
  assert.deepEqual(after?.events?.[0], {
    at: 39 * RECORDER_LIMITS.flushAfter,
    code: "o",
    data: "line 39 of the output\r\n",
  });
});
