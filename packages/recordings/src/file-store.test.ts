import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { aRecorder, chunksOf, RECORDING_ID, seal } from "../testing/a-recording.ts";
import { createRecordingFile, inspectRecording, readRecordingFile, recordingPath } from "./file-store.ts";
import { RECORDER_LIMITS, verifyRecording, type ChunkStore } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "strongroom-recordings-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let last = 0;
const aFolder = () => join(folder, `data-${(last += 1)}`);

/** A file-backed recorder whose store a test can make fail. */
async function recordTo(where: string) {
  const file = await createRecordingFile(where, RECORDING_ID);
  const pending: Promise<void>[] = [];
  const store: ChunkStore = {
    store: (chunk) => {
      const stored = file.store(chunk);
      pending.push(stored.catch(() => {}));
      return stored;
    },
  };
  const started = await aRecorder({ store });
  /** Real files take real time to answer. */
  const pass = async (milliseconds: number) => {
    await started.clock.pass(milliseconds);
    await Promise.all(pending.splice(0));
    await started.clock.pass(0);
  };
  return { ...started, file, pass };
}

test("a recording is stored in a file that only its owner can read", async () => {
  const { recorder, file, pass } = await recordTo(aFolder());
  await recorder.output(Buffer.from("one"));
  await pass(RECORDER_LIMITS.flushAfter);
  await recorder.output(Buffer.from("two"));
  await recorder.close("ended", 0);
  await file.release();
  assert.equal(statSync(file.path).mode & 0o777, 0o600);
  const report = await verifyRecording(readRecordingFile(file.path), { seal });
  assert.ok(report.isComplete && report.isOpened, JSON.stringify(report.findings));
  const { chunks, isClosed, tornBytes } = await inspectRecording(readRecordingFile(file.path));
  assert.deepEqual([chunks, isClosed, tornBytes], [4, true, 0]);
});

test("an existing file or link is never written to", async () => {
  const where = aFolder();
  const { file } = await recordTo(where);
  await file.release();
  await assert.rejects(createRecordingFile(where, RECORDING_ID), { code: "EEXIST" });
  const other = "1b6f6c0e-8f4e-4d7e-9b8a-3f1c2d4e5f60";
  symlinkSync(join(where, "elsewhere"), recordingPath(where, other));
  await assert.rejects(createRecordingFile(where, other), { code: "EEXIST" });
  await assert.rejects(inspectRecording(readRecordingFile(recordingPath(where, other))), { code: "ELOOP" });
});

test("an id that is not a UUID is rejected as a file name", () => {
  for (const id of ["../../etc/passwd", "", `${RECORDING_ID}/..`, RECORDING_ID.toUpperCase()]) {
    assert.throws(() => recordingPath("/data", id), TypeError);
  }
});

test("a recording that was interrupted at any byte keeps its complete chunks and reports the incomplete one", async () => {
  const { recorder, file, pass } = await recordTo(aFolder());
  await recorder.output(Buffer.from("one"));
  await pass(RECORDER_LIMITS.flushAfter);
  const before = readFileSync(file.path).length;
  await recorder.output(Buffer.from("two"));
  await pass(RECORDER_LIMITS.flushAfter);
  const whole = readFileSync(file.path);
  await recorder.close("ended");
  await file.release();
  const copy = `${file.path}.copy`;
  for (let length = before; length < whole.length; length += 7) {
    writeFileSync(copy, whole);
    truncateSync(copy, length);
    const { chunks, isClosed, tornBytes } = await inspectRecording(readRecordingFile(copy));
    assert.equal(isClosed, false);
    assert.ok(chunks === 2 ? tornBytes > 0 : tornBytes === 0, `${length}: ${chunks} chunks, ${tornBytes} torn bytes`);
    assert.ok((await chunksOf(readFileSync(copy))).length >= 2);
    const { findings } = await verifyRecording(readRecordingFile(copy));
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      chunks === 2 ? ["torn", "unclosed"] : ["unclosed"],
    );
  }
});

test("a full disk loses no stored chunk, and the closing record still fits", { skip: cannotMount() }, async () => {
  const disk = aFolder();
  assert.equal(spawnSync("mkdir", [disk]).status, 0);
  assert.equal(spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk]).status, 0);
  try {
    const { recorder, file, pass, reports } = await recordTo(disk);
    let accepted = 0;
    // Random output does not compress.
    for (let isFull = false; !isFull;) {
      const piece = Buffer.from(crypto.getRandomValues(new Uint8Array(20_000))).toString("base64");
      const output = recorder.output(Buffer.from(piece)).then(
        () => (accepted += piece.length),
        () => null,
      );
      await pass(RECORDER_LIMITS.flushAfter);
      isFull = (await Promise.race([output, pass(300).then(() => "waits")])) === "waits";
    }
    for (let waited = 0; waited < RECORDER_LIMITS.endAfter + 1000; waited += 500)
      await pass(RECORDER_LIMITS.flushAfter);
    assert.match(reports.at(-1) ?? "", /could not be stored/);
    const summary = await recorder.close("ended");
    await file.release();
    assert.deepEqual([summary.reason, summary.isClosed], ["storage-failed", true]);
    const report = await verifyRecording(readRecordingFile(file.path), { seal });
    assert.deepEqual(
      report.findings.map(({ kind }) => kind),
      ["unstored"],
    );
    assert.equal(report.closing?.unstoredBytes, accepted - report.outputBytes);
    assert.ok(summary.unstoredBytes <= RECORDER_LIMITS.unstoredBytes);
  } finally {
    spawnSync("umount", ["-l", disk]);
  }
});

function cannotMount(): string | false {
  return process.getuid?.() === 0 && process.platform === "linux" ? false : "needs root, to mount a small disk";
}
