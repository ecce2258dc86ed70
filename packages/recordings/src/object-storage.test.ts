// Stores recordings in a fake S3 service that checks signatures; see its file for the limits of the proof.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, beforeEach, test } from "node:test";
import { aRecorder, RECORDING_ID, seal } from "../testing/a-recording.ts";
import { FAKE_BUCKET, FAKE_CREDENTIALS, FAKE_REGION, startFakeS3, type FakeS3 } from "../testing/fake-s3.ts";
import { inspectRecording } from "./file-store.ts";
import { RECORDER_LIMITS, verifyRecording, type ChunkStore } from "./index.ts";
import { objectStorage, type ObjectStorage, type ObjectStorageOptions } from "./object-storage.ts";

const folder = mkdtempSync(join(tmpdir(), "strongroom-objects-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
let fake: FakeS3;
let storage: ObjectStorage;
const storageWith = (given: Partial<ObjectStorageOptions> = {}) =>
  objectStorage({
    bucket: FAKE_BUCKET,
    prefix: "strongroom/",
    region: FAKE_REGION,
    endpoint: fake.endpoint,
    lock: null,
    credentials: FAKE_CREDENTIALS,
    ...given,
  });
beforeEach(async () => {
  count += 1;
  fake = await startFakeS3(join(folder, String(count)));
  storage = storageWith();
});
afterEach(async () => {
  storage.close();
  await fake.stop();
});

/** A recorder that stores objects. */
async function recordTo(where: ObjectStorage, lockedDays: number | null = null) {
  const stored = await where.create(RECORDING_ID, lockedDays);
  const pending: Promise<void>[] = [];
  const store: ChunkStore = {
    store: (chunk) => {
      const storing = stored.store(chunk);
      pending.push(storing.catch(() => {}));
      return storing;
    },
  };
  const started = await aRecorder({ store });
  /** Real requests take real time. */
  const pass = async (milliseconds: number) => {
    await started.clock.pass(milliseconds);
    await Promise.all(pending.splice(0));
    await started.clock.pass(0);
  };
  return { ...started, pass };
}

async function aStoredRecording(where = storage, lockedDays: number | null = null): Promise<void> {
  const { recorder, pass } = await recordTo(where, lockedDays);
  for (const text of ["one", "two", "three"]) {
    await recorder.output(Buffer.from(text));
    await pass(RECORDER_LIMITS.flushAfter);
  }
  await recorder.close("ended", 0);
}

const reportOf = () => verifyRecording(storage.read(RECORDING_ID), { seal });
const keyOf = (chunk: string) => `strongroom/${RECORDING_ID}/${chunk}`;

test("each chunk becomes an object, and together they are the recording's file", async () => {
  await aStoredRecording();
  assert.deepEqual(
    await fake.keys(),
    ["00000000", "00000001", "00000002", "00000003", "00000004", "00000005"].map((chunk) => keyOf(chunk)),
  );
  const report = await reportOf();
  assert.ok(report.isComplete && report.isOpened, JSON.stringify(report.findings));
  const { chunks, isClosed, tornBytes } = await inspectRecording(storage.read(RECORDING_ID));
  assert.deepEqual([chunks, isClosed, tornBytes], [6, true, 0]);
  assert.equal(await storage.has(RECORDING_ID), true);
});

test("a recording of several pages of a list is read in order and deleted", async () => {
  fake.pageSize = 2;
  await aStoredRecording();
  const report = await reportOf();
  assert.deepEqual([report.findings, report.isComplete], [[], true]);
  assert.equal(await storage.empty(RECORDING_ID), true);
  await storage.delete(RECORDING_ID);
  assert.deepEqual(await fake.keys(), []);
});

test("a wrong secret, a missing bucket and an unavailable store are errors", async () => {
  const wrong = storageWith({ credentials: { ...FAKE_CREDENTIALS, secretAccessKey: "another secret" } });
  await assert.rejects(aStoredRecordingOnce(wrong), { name: "SignatureDoesNotMatch" });
  wrong.close();
  const elsewhere = storageWith({ bucket: "another-bucket" });
  await assert.rejects(aStoredRecordingOnce(elsewhere), { name: "NoSuchBucket" });
  elsewhere.close();
  await storage.check();
  await fake.stop();
  assert.equal(await storage.has(RECORDING_ID), false);
  await assert.rejects(storage.check());
  await fake.stop().catch(() => {});
  fake = await startFakeS3(join(folder, `${count}-again`));
});

async function aStoredRecordingOnce(where: ObjectStorage): Promise<void> {
  const stored = await where.create(RECORDING_ID, null);
  const { store } = await aRecorder();
  await stored.store(store.stored[0]!);
}

test("a chunk whose answer was lost is stored once, and the recorder continues", async () => {
  const { recorder, pass, clock } = await recordTo(storage);
  fake.losesNextAnswer = true;
  await recorder.output(Buffer.from("one"));
  await pass(RECORDER_LIMITS.flushAfter);
  await clock.pass(100);
  await pass(0);
  await recorder.output(Buffer.from("two"));
  await pass(RECORDER_LIMITS.flushAfter);
  await recorder.close("ended", 0);
  const report = await reportOf();
  assert.deepEqual([report.findings, (await fake.keys()).length], [[], 5]);
});

test("no request overwrites a chunk, so the second recorder of an id is refused", async () => {
  await aStoredRecording();
  const first = await fake.bytesOf(keyOf("00000000"));
  await assert.rejects(aStoredRecordingOnce(storage), { name: "PreconditionFailed" });
  assert.deepEqual(await fake.bytesOf(keyOf("00000000")), first);
});

test("a changed, a missing and a swapped object are found", async () => {
  await aStoredRecording();
  const [second, third] = [keyOf("00000002"), keyOf("00000003")];
  const original = await fake.bytesOf(second);
  const changed = Buffer.from(original);
  changed[80]! ^= 1;
  await fake.replace(second, changed);
  assert.equal((await reportOf()).isComplete, false);
  await fake.replace(second, await fake.bytesOf(third));
  assert.equal((await reportOf()).isComplete, false);
  await fake.remove(second);
  const { findings } = await reportOf();
  assert.ok(
    findings.some(({ kind }) => kind === "missing"),
    JSON.stringify(findings),
  );
});

test("a recording whose store fails is paused after 2 s and ended after 10 s", async () => {
  const { recorder, pass, clock, reports } = await recordTo(storage);
  fake.failure = { status: 503, code: "SlowDown" };
  await recorder.output(Buffer.from("one"));
  for (let passed = 0; passed < 13_000; passed += 100) await pass(100);
  assert.match(reports[0]!, /^The session is paused/);
  assert.match(reports[1]!, /could not be stored/);
  assert.equal(recorder.state, "closed");
  fake.failure = null;
  await clock.pass(5000);
  assert.equal((await reportOf()).isComplete, false);
});

test("an emptied recording has no chunks, and a second run knows that it existed", async () => {
  await aStoredRecording();
  assert.equal(await storage.empty(RECORDING_ID), true);
  assert.deepEqual(await fake.keys(), [keyOf("deleted")]);
  assert.equal(await storage.has(RECORDING_ID), false);
  assert.equal(await storage.empty(RECORDING_ID), true);
  await storage.delete(RECORDING_ID);
  assert.deepEqual(await fake.keys(), []);
  assert.equal(await storage.empty(RECORDING_ID), false);
  await storage.delete(RECORDING_ID);
});

test("object lock protects chunks for the days of the retention, even from a deletion", async () => {
  const locking = storageWith({ lock: "compliance" });
  await aStoredRecording(locking, 30);
  await assert.rejects(locking.empty(RECORDING_ID), /kept .* AccessDenied/);
  assert.deepEqual((await reportOf()).findings, []);
  locking.close();
});

test("an id never leaves the prefix", async () => {
  await assert.rejects(storage.create("../elsewhere", null), TypeError);
  await assert.rejects(storage.delete("x/../../y"), TypeError);
});
