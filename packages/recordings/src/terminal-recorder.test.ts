import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { aRecorder, chunksOf, inPieces, RECORDING_ID, seal } from "../testing/a-recording.ts";
import { FakeClock, settled } from "../testing/fake-clock.ts";
import { MemoryStore } from "../testing/memory-store.ts";
import { RECORDER_LIMITS, startTerminalRecorder, verifyRecording, type CastEvent } from "./index.ts";

const KB = 1024;

async function eventsOf(bytes: Buffer): Promise<CastEvent[]> {
  return (await chunksOf(bytes)).flatMap(({ events }) => events ?? []);
}

/** Whether the promise has settled, without waiting for it. */
async function isAccepted(promise: Promise<void>): Promise<boolean> {
  let isDone = false;
  void promise.then(
    () => (isDone = true),
    () => null,
  );
  await settled();
  return isDone;
}

test("a recorder stores its first chunk before it starts", async () => {
  const { store } = await aRecorder();
  assert.equal(store.stored.length, 1);
  const [chunk] = await chunksOf(store.bytes);
  assert.deepEqual(chunk?.header, {
    cols: 80,
    rows: 24,
    type: "xterm-256color",
    timestamp: 1795428000,
    title: "root on db1",
  });
});

test("a recorder does not start while the store fails", async () => {
  const [clock, store] = [new FakeClock(), new MemoryStore()];
  store.mode = "fails";
  const terminal = { cols: 80, rows: 24 };
  const started = startTerminalRecorder({
    recordingId: RECORDING_ID,
    startedAt: new Date(0),
    terminal,
    seal,
    store,
    clock,
  });
  const rejected = assert.rejects(started, /could not be stored for 10 s/);
  await clock.pass(RECORDER_LIMITS.endAfter);
  await rejected;
});

test("output, resizes, marks and the exit status are recorded with their times", async () => {
  const { recorder, clock, store } = await aRecorder();
  await clock.pass(40);
  await recorder.output(Buffer.from("one"));
  await clock.pass(20);
  recorder.resize(100, 40);
  await clock.pass(1200);
  await recorder.mark("transfer: upload /etc/hosts (120 bytes)");
  await clock.pass(5);
  await recorder.output(Buffer.from("two"));
  const summary = await recorder.close("ended", 3);
  assert.deepEqual(await eventsOf(store.bytes), [
    { at: 40, code: "o", data: "one" },
    { at: 60, code: "r", data: "100x40" },
    { at: 1260, code: "m", data: "transfer: upload /etc/hosts (120 bytes)" },
    { at: 1265, code: "o", data: "two" },
    { at: 1265, code: "x", data: "3" },
  ]);
  assert.deepEqual(
    { ...summary, digest: summary.digest.length },
    { reason: "ended", chunks: 4, outputBytes: 6, unstoredBytes: 0, digest: 32, isClosed: true },
  );
  const report = await verifyRecording(inPieces(store.bytes), { seal });
  assert.ok(report.isComplete && report.isOpened);
  assert.deepEqual(report.closing, { reason: "ended", unstoredBytes: 0 });
});

test("output is recorded as the terminal decodes it, wherever its bytes are split", async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 40 }).map((text) => new Uint8Array(Buffer.from(text))),
  );
  await fc.assert(
    fc.asyncProperty(bytes, fc.array(fc.integer({ min: 1, max: 7 })), fc.boolean(), async (whole, cuts, isSlow) => {
      const { recorder, clock, store } = await aRecorder();
      let from = 0;
      for (const cut of [...cuts, whole.length]) {
        await recorder.output(whole.subarray(from, from + cut));
        from += cut;
        if (isSlow) await clock.pass(300);
      }
      const { outputBytes } = await recorder.close("ended");
      const recorded = (await eventsOf(store.bytes)).map(({ data }) => data).join("");
      assert.equal(recorded, new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole));
      assert.equal(outputBytes, whole.length);
    }),
    { numRuns: 40 },
  );
});

test("output is stored 0.7 s after it was shown", async () => {
  const { recorder, clock, store } = await aRecorder();
  await recorder.output(Buffer.from("x"));
  await clock.pass(RECORDER_LIMITS.flushAfter - 1);
  assert.equal(store.stored.length, 1);
  await clock.pass(1);
  assert.equal(store.stored.length, 2);
});

// INVARIANT: at most 256 kB and at most 1 s of accepted output is not yet stored.
test("a flood is accepted up to 256 kB while the store does not answer", async () => {
  const { recorder, store } = await aRecorder();
  store.mode = "hangs";
  let accepted = 0;
  const piece = Buffer.alloc(32 * KB, "a");
  while (await isAccepted(recorder.output(piece))) accepted += piece.length;
  assert.equal(accepted, 256 * KB);
});

test("output larger than the limit is accepted once at most 256 kB of it is not yet stored", async () => {
  const { recorder, store } = await aRecorder();
  store.mode = "hangs";
  const whole = recorder.output(Buffer.alloc(1000 * KB, "a"));
  assert.equal(await isAccepted(whole), false);
  store.mode = "works";
  await whole;
  const stored = (await verifyRecording(inPieces(store.bytes))).outputBytes;
  assert.ok(stored >= 1000 * KB - 256 * KB, `${stored} bytes were stored`);
});

test("nothing is accepted while the oldest unstored output is a second old", async () => {
  const { recorder, clock, store } = await aRecorder();
  store.mode = "hangs";
  await recorder.output(Buffer.from("first"));
  await clock.pass(999);
  assert.equal(await isAccepted(recorder.output(Buffer.from("second"))), true);
  await clock.pass(1);
  const third = recorder.output(Buffer.from("third"));
  assert.equal(await isAccepted(third), false);
  store.mode = "works";
  await third;
});

test("nothing is accepted after the store has failed until it works again", async () => {
  const { recorder, clock, store } = await aRecorder();
  await recorder.output(Buffer.from("first"));
  store.mode = "fails";
  await clock.pass(RECORDER_LIMITS.flushAfter);
  const second = recorder.output(Buffer.from("second"));
  assert.equal(await isAccepted(second), false);
  store.mode = "works";
  await clock.pass(200);
  await second;
  await recorder.close("ended");
  assert.ok((await verifyRecording(inPieces(store.bytes), { seal })).isComplete);
  assert.equal((await eventsOf(store.bytes)).map(({ data }) => data).join(), "first,second");
});

test("a store that fails for 2 s pauses the session, and one that recovers resumes it", async () => {
  const { recorder, clock, store, reports } = await aRecorder();
  store.mode = "fails";
  await recorder.output(Buffer.from("x"));
  await clock.pass(RECORDER_LIMITS.flushAfter + RECORDER_LIMITS.pauseAfter - 1);
  assert.deepEqual([recorder.state, reports], ["recording", []]);
  await clock.pass(1);
  assert.equal(recorder.state, "paused");
  assert.match(reports.join(), /paused: its recording cannot be stored/);
  const input = recorder.input(Buffer.from("rm -rf /\r"));
  assert.equal(await isAccepted(input), false);
  store.mode = "works";
  await clock.pass(200);
  await input;
  assert.equal(recorder.state, "recording");
  assert.equal(reports.at(-1), "resumed");
});

for (const mode of ["fails", "hangs"] as const) {
  test(`a store that ${mode} for 10 s ends the session`, async () => {
    const { recorder, clock, store, reports } = await aRecorder();
    await recorder.output(Buffer.from("seen and stored"));
    await clock.pass(1000);
    store.mode = mode;
    await recorder.output(Buffer.from("seen"));
    await clock.pass(1000);
    const waiting = assert.rejects(recorder.output(Buffer.from("not seen")), { name: "RecorderClosedError" });
    await clock.pass(RECORDER_LIMITS.pauseAfter);
    const input = assert.rejects(recorder.input(Buffer.from("x")), /could not be stored/);
    await clock.pass(RECORDER_LIMITS.endAfter);
    await Promise.all([waiting, input]);
    assert.equal(recorder.state, "closed");
    assert.equal(reports.at(-1), "The session was ended because its recording could not be stored.");
    await assert.rejects(recorder.output(Buffer.from("late")), /could not be stored/);

    const closed = recorder.close("ended");
    await clock.pass(5000);
    const summary = await closed;
    assert.deepEqual([summary.reason, summary.unstoredBytes, summary.isClosed], ["storage-failed", 4, false]);
    const report = await verifyRecording(inPieces(store.bytes));
    assert.equal(report.isComplete, false);
    assert.ok(report.findings.some(({ kind }) => kind === "unclosed"));
    assert.equal((await eventsOf(store.bytes)).map(({ data }) => data).join(), "seen and stored");
  });
}

test("the closing record reports output that could not be stored", async () => {
  const { recorder, clock, store } = await aRecorder();
  store.mode = "fails";
  await recorder.output(Buffer.from("seen"));
  await clock.pass(RECORDER_LIMITS.flushAfter + RECORDER_LIMITS.endAfter);
  assert.equal(recorder.state, "closed");
  // The file store keeps space for this record, so storing it succeeds on a full disk.
  store.mode = "works";
  const summary = await recorder.close("ended");
  assert.deepEqual([summary.reason, summary.unstoredBytes, summary.isClosed], ["storage-failed", 4, true]);
  const { findings, closing } = await verifyRecording(inPieces(store.bytes), { seal });
  assert.deepEqual(closing, { reason: "storage-failed", unstoredBytes: 4 });
  assert.deepEqual(
    findings.map(({ kind, chunks }) => [kind, chunks]),
    [["unstored", { from: 1, to: 1 }]],
  );
});

test("a chunk that a slow store saves late is kept before the closing record", async () => {
  const { recorder, clock, store } = await aRecorder();
  store.mode = "hangs";
  await recorder.output(Buffer.from("seen"));
  await clock.pass(RECORDER_LIMITS.flushAfter + RECORDER_LIMITS.endAfter);
  const closed = recorder.close("terminated");
  store.mode = "works";
  const summary = await closed;
  assert.deepEqual([summary.chunks, summary.unstoredBytes, summary.isClosed], [3, 0, true]);
  assert.equal((await eventsOf(store.bytes)).map(({ data }) => data).join(), "seen");
  assert.ok((await verifyRecording(inPieces(store.bytes), { seal })).isComplete);
});

test("a close while the store fails ends within seconds of the limit", async () => {
  const { recorder, clock, store } = await aRecorder();
  await recorder.output(Buffer.from("seen"));
  store.mode = "hangs";
  const closed = recorder.close("ended");
  await clock.pass(RECORDER_LIMITS.endAfter + 2000);
  const summary = await closed;
  assert.deepEqual([summary.reason, summary.isClosed, summary.unstoredBytes], ["storage-failed", false, 4]);
});

test("closing twice stores one closing record and refuses waiting events", async () => {
  const { recorder, clock, store } = await aRecorder();
  store.mode = "hangs";
  await recorder.output(Buffer.alloc(200 * KB));
  const waiting = assert.rejects(recorder.output(Buffer.alloc(200 * KB)), { name: "RecorderClosedError" });
  const closes = [recorder.close("access-ended"), recorder.close("ended")];
  await waiting;
  store.mode = "works";
  await clock.pass(1);
  const [first, second] = await Promise.all(closes);
  assert.deepEqual(first, second);
  assert.equal(store.stored.filter(({ isClosing }) => isClosing).length, 1);
  assert.equal((await verifyRecording(inPieces(store.bytes))).closing?.reason, "access-ended");
});

test("sealed keys count as a failing store", async () => {
  let isSealed = false;
  const sometimes = {
    ...seal,
    seal: (about: Uint8Array, bytes: Uint8Array) => {
      if (isSealed) throw new Error("Strongroom is sealed.");
      return seal.seal(about, bytes);
    },
  };
  const { recorder, clock, store } = await aRecorder({ seal: sometimes });
  isSealed = true;
  await recorder.output(Buffer.from("seen"));
  await clock.pass(RECORDER_LIMITS.flushAfter + RECORDER_LIMITS.pauseAfter);
  assert.equal(recorder.state, "paused");
  isSealed = false;
  await clock.pass(200);
  await recorder.close("ended");
  assert.ok((await verifyRecording(inPieces(store.bytes), { seal })).isComplete);
});

test("resizes while the store fails are recorded as one, and impossible sizes are clamped", async () => {
  const { recorder, clock, store } = await aRecorder();
  await recorder.output(Buffer.from("x"));
  store.mode = "fails";
  await clock.pass(RECORDER_LIMITS.flushAfter);
  for (let cols = 1; cols < 5000; cols++) recorder.resize(cols, 0);
  store.mode = "works";
  await clock.pass(200);
  await recorder.close("ended", NaN);
  const sizes = (await eventsOf(store.bytes)).filter(({ code }) => code !== "o");
  assert.deepEqual(
    sizes.map(({ data }) => data),
    ["1000x1"],
  );
});

test("input is not recorded by default", async () => {
  const { recorder, clock, store } = await aRecorder();
  await recorder.input(Buffer.from("ls\r"));
  await clock.pass(2000);
  await recorder.close("ended");
  assert.deepEqual(await eventsOf(store.bytes), []);
});

test("recorded input shows what was echoed and masks what was not", async () => {
  const { recorder, clock, store } = await aRecorder({ recordsInput: true });
  await recorder.input(Buffer.from("su\r"));
  await recorder.output(Buffer.from("su\r\nPassword: "));
  await clock.pass(100);
  await recorder.input(Buffer.from("hunter2\r"));
  await recorder.output(Buffer.from("\r\n# "));
  await clock.pass(5000);
  await recorder.input(Buffer.from("no echo"));
  await clock.pass(1000);
  await recorder.close("ended");
  const input = (await eventsOf(store.bytes)).filter(({ code }) => code === "i").map(({ data }) => data);
  assert.deepEqual(input.join(""), "su\r[masked]\r[masked]");
  assert.ok((await verifyRecording(inPieces(store.bytes), { seal })).isComplete);
});

test("digests are reported in order once their chunks are stored", async () => {
  const digests: [number, string, boolean][] = [];
  const { recorder, clock, store } = await aRecorder({
    onStored: ({ number, digest, isClosing }) => digests.push([number, digest.toString("hex"), isClosing]),
  });
  await recorder.output(Buffer.from("x"));
  await clock.pass(500);
  await recorder.close("ended");
  assert.deepEqual(
    digests,
    store.stored.map(({ number, digest, isClosing }) => [number, digest.toString("hex"), isClosing]),
  );
  assert.deepEqual(
    digests.map(([number, , isClosing]) => [number, isClosing]),
    [
      [0, false],
      [1, false],
      [2, true],
    ],
  );
});
