// Recordings in a bucket: played, exported, searched, closed and deleted by any server.
import {
  exportSessionRecording,
  readPrivilegedSession,
  readSessionRecording,
  searchRecordings,
} from "@strongroom/contract";
import type { PrivilegedSessionId } from "@strongroom/contract";
import { verifyRecording } from "@strongroom/recordings";
import { FAKE_BUCKET, FAKE_CREDENTIALS, FAKE_REGION, startFakeS3 } from "@strongroom/recordings/testing/fake-s3";
import type { FakeS3 } from "@strongroom/recordings/testing/fake-s3";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, afterEach, before, test } from "node:test";
import { shiftTime } from "#features/access-requests/testing/requestable-account.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { endSession } from "../gateway/end-session.ts";
import { unregisterGateway } from "../gateway/gateways.store.ts";
import { deleteExpiredRecordings } from "../retention/delete-recordings.ts";
import { sessionContextOf } from "../session-context.ts";
import { aRecording } from "../testing/a-recording.ts";
import { aGateway, anSshAccount, eventsOf, sessionsOf } from "../testing/opening.ts";
import { indexRecordings } from "../text/index-recordings.ts";
import { closeAbandonedRecordings } from "./close-abandoned.ts";

// The client's usual source of credentials.
process.env["AWS_ACCESS_KEY_ID"] = FAKE_CREDENTIALS.accessKeyId;
process.env["AWS_SECRET_ACCESS_KEY"] = FAKE_CREDENTIALS.secretAccessKey;

const folder = mkdtempSync(join(tmpdir(), "strongroom-bucket-"));
let fake: FakeS3;
let app: TestApp;
/** A second server with its own data folder. */
let other: TestApp;
before(async () => {
  fake = await startFakeS3(folder);
  const bucket = { bucket: FAKE_BUCKET, prefix: "", region: FAKE_REGION, endpoint: fake.endpoint, lock: null };
  app = await testApp({ config: { recordingsBucket: bucket } });
  const { keyFile } = app.config;
  other = await testApp({
    database: { database: app.database, connection: {}, drop: async () => {} },
    config: { recordingsBucket: { ...bucket }, keyFile },
  });
});
afterEach(() => shiftTime(app, "0 seconds"));
after(async () => {
  await other.close();
  await app.close();
  await fake.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function aSession(days: number | null = null) {
  const gateway = await aGateway(app);
  const setup = await anSshAccount(app, { session_recording_days: days });
  const id = (await sessionsOf(app, gateway).open(setup.user, setup.account)) as PrivilegedSessionId;
  const recording = await aRecording(app, id, setup.safe.id);
  const leave = async () => {
    gateway.server.close();
    await unregisterGateway(app.database.db, gateway.id);
  };
  return { ...setup, id, recording, leave };
}

async function anEndedSession(days: number | null = null) {
  const session = await aSession(days);
  await session.recording.show("uname -a\r\n");
  await session.recording.close();
  await endSession(sessionContextOf(app.kernel), session.id, { reason: "logout", detail: null });
  await session.leave();
  return session;
}

test("any server plays, exports and searches a recording in the bucket", async () => {
  const { owner, id, recording } = await anEndedSession();
  assert.equal((await fake.keys()).filter((key) => key.startsWith(recording.id)).length, recording.chunks.length);
  await indexRecordings(other.kernel);
  for (const server of [app, other]) {
    const headers = { authorization: `Bearer ${owner.token}` };
    const url = `/api/v1/sessions/${id}/recording`;
    assert.match((await server.http.inject({ url, headers })).body, /uname -a/);
    const exported = await server.http.inject({ url: `${url}/export`, headers });
    const digests = recording.chunks.map(({ number, digest }) => ({ recording: recording.id, chunk: number, digest }));
    const report = await verifyRecording(Readable.from([exported.rawPayload]), { digests });
    assert.deepEqual([report.isComplete, report.findings], [true, []]);
    const found = await server.call(searchRecordings, { body: { text: "uname" }, as: owner.token });
    assert.deepEqual(
      found.body.hits.map(({ session }) => session.id),
      [id],
    );
  }
});

test("while the object store is unavailable, playback says so and nothing is deleted", async () => {
  const { owner, id, recording } = await anEndedSession(1);
  fake.failure = { status: 503, code: "SlowDown" };
  await shiftTime(app, "30 days");
  await deleteExpiredRecordings(app.kernel);
  await shiftTime(app, "0 seconds");
  const refused = await app.call(exportSessionRecording, { params: { id }, as: owner.token });
  fake.failure = null;
  assert.equal(refused.status, 410, refused.text);
  assert.equal((await fake.keys()).filter((key) => key.startsWith(recording.id)).length, recording.chunks.length);

  const { owner: reader, id: kept } = await anEndedSession();
  fake.failure = { status: 503, code: "SlowDown" };
  const away = await app.call(readSessionRecording, { params: { id: kept }, as: reader.token });
  fake.failure = null;
  assert.deepEqual([away.status, (JSON.parse(away.text) as { code: string }).code], [409, "recording.not-here"]);
});

test("a recording past its retention is deleted from the bucket by any server, with a proof", async () => {
  const { id, recording } = await anEndedSession(1);
  await shiftTime(app, "2 days");
  await deleteExpiredRecordings(other.kernel);
  await shiftTime(app, "0 seconds");
  assert.deepEqual(
    (await fake.keys()).filter((key) => key.startsWith(recording.id)),
    [],
  );
  assert.ok((await eventsOf(app, id)).includes("recording.deleted success"));
});

test("any server closes the recording of a gateway that was killed, after a check of its objects", async () => {
  const { owner, id, recording, leave } = await aSession();
  await recording.show("one\r\n");
  await recording.show("two\r\n");
  await recording.store(2);
  await recording.leave();
  await leave();
  await endSession(sessionContextOf(app.kernel), id, { reason: "gateway-lost", detail: null });
  // Without an answer of the store, a later run tries again.
  fake.failure = { status: 503, code: "SlowDown" };
  await closeAbandonedRecordings(other.kernel, 100);
  fake.failure = null;
  const open = await app.call(readPrivilegedSession, { params: { id }, as: owner.token });
  assert.equal(open.body.recording?.status, "open");
  await closeAbandonedRecordings(other.kernel, 100);
  const { body } = await app.call(readPrivilegedSession, { params: { id }, as: owner.token });
  assert.equal(body.recording?.status, "broken");
  const { rows } = await app.database.pool.query<{ last_chunk: number }>(
    "select last_chunk from recordings where id = $1",
    [recording.id],
  );
  assert.equal(rows[0]?.last_chunk, recording.chunks.length - 1);
});
