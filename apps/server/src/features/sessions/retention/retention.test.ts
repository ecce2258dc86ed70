// The daily deletion of recordings past the retention of their platform.
import {
  exportSessionRecording,
  holdSessionRecording,
  listPrivilegedSessions,
  readPrivilegedSession,
  readSessionRecording,
  releaseSessionRecording,
  searchRecordings,
} from "@strongroom/contract";
import type { PrivilegedSessionId } from "@strongroom/contract";
import { parseDigestLine } from "@strongroom/recordings";
import assert from "node:assert/strict";
import { access, mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { shiftTime } from "#features/access-requests/testing/requestable-account.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { endSession } from "../gateway/end-session.ts";
import { sessionContextOf } from "../session-context.ts";
import { aRecording } from "../testing/a-recording.ts";
import { aGateway, anSshAccount, eventsOf, sessionsOf } from "../testing/opening.ts";
import type { TestGateway } from "../testing/opening.ts";
import { indexRecordings } from "../text/index-recordings.ts";
import { deleteExpiredRecordings } from "./delete-recordings.ts";

let app: TestApp;
let gateway: TestGateway;
before(async () => {
  app = await testApp();
  gateway = await aGateway(app);
});
afterEach(() => shiftTime(app, "0 seconds"));
after(async () => {
  gateway.server.close();
  await app.close();
});

/** A closed and indexed recording on a platform that keeps recordings for `days`. */
async function aClosedRecording(days: number | null) {
  const setup = await anSshAccount(app, { session_recording_days: days });
  const id = (await sessionsOf(app, gateway).open(setup.user, setup.account)) as PrivilegedSessionId;
  const recording = await aRecording(app, id, setup.safe.id);
  await recording.show("uname -a\r\n");
  await recording.close();
  await endSession(sessionContextOf(app.kernel), id, { reason: "logout", detail: null });
  await indexRecordings(app.kernel);
  return { ...setup, session: id, recording };
}

async function daysLater(days: number): Promise<void> {
  await shiftTime(app, `${days} days`);
  await deleteExpiredRecordings(app.kernel);
  await shiftTime(app, "0 seconds");
}

async function storedOf(id: string) {
  const { rows } = await app.database.pool.query<{ text: number; chunks: number; deleted: boolean; begun: boolean }>(
    `select (select count(*)::integer from recording_text where recording_id = $1) as text,
       (select count(*)::integer from recording_chunks where recording_id = $1) as chunks,
       deleted_at is not null as deleted, deletion_began_at is not null as begun
     from recordings where id = $1`,
    [id],
  );
  return rows[0]!;
}

async function proofsOf(sessionId: string) {
  const { rows } = await app.database.pool.query<{ result: string; entry: string; rule: string; file: string }>(
    `select result, convert_from(canonical, 'UTF8') as entry, convert_from(canonical, 'UTF8')::jsonb #>> '{details,rule}' as rule,
       convert_from(canonical, 'UTF8')::jsonb #>> '{details,file}' as file
     from audit_entries where event = 'recording.deleted' and target_id = $1`,
    [sessionId],
  );
  return rows;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

test("a recording past its retention is deleted, and its session and a proof stay", async () => {
  const { owner, session, recording } = await aClosedRecording(30);
  await daysLater(29);
  assert.ok(await isThere(recording.path));
  assert.ok((await storedOf(recording.id)).text > 0);
  await daysLater(31);
  assert.equal(await isThere(recording.path), false);
  assert.deepEqual(await storedOf(recording.id), { text: 0, chunks: 0, deleted: true, begun: true });
  const [proof, ...others] = await proofsOf(session);
  assert.deepEqual(others, []);
  assert.equal(proof?.result, "success");
  assert.match(proof.rule, /^The platform "Platform \d+" keeps recordings for 30 days$/);
  assert.deepEqual(parseDigestLine(`{"entry":${proof.entry}}`), {
    recording: recording.id,
    chunk: recording.chunks.length - 1,
    digest: recording.chunks.at(-1)?.digest,
  });
  const { body } = await app.call(readPrivilegedSession, { params: { id: session }, as: owner.token });
  assert.notEqual(body.recording_deleted_at, null);
  assert.deepEqual(body.actions, []);
});

test("playing and exporting a deleted recording says when it was deleted, and search leaves it out", async () => {
  const { owner, session, recording } = await aClosedRecording(1);
  await daysLater(2);
  for (const endpoint of [readSessionRecording, exportSessionRecording]) {
    const answer = await app.call(endpoint, { params: { id: session }, as: owner.token });
    assert.equal(answer.status, 410);
    assert.match(answer.text, /Deleted on \d{4}-\d\d-\d\d by the retention of the platform\./);
  }
  const found = await app.call(searchRecordings, { body: { text: "uname" }, as: owner.token });
  assert.deepEqual([found.body.hits, found.body.searched], [[], 0]);
  assert.equal((await storedOf(recording.id)).text, 0);
});

test("a recording without a retention is kept forever, and the session says when others are deleted", async () => {
  const forever = await aClosedRecording(null);
  const limited = await aClosedRecording(3000);
  await daysLater(2999);
  assert.ok(await isThere(forever.recording.path));
  const read = async ({ owner, session }: typeof forever) =>
    (await app.call(readPrivilegedSession, { params: { id: session }, as: owner.token })).body;
  assert.equal((await read(forever)).recording?.retention_until, null);
  const { recording, endTime } = await read(limited);
  const days = (Date.parse(recording?.retention_until ?? "") - Date.parse(endTime ?? "")) / 86_400_000;
  assert.ok(Math.abs(days - 3000) < 0.1, `${days}`);
});

test("an open recording is never deleted", async () => {
  const { user, account, safe } = await anSshAccount(app, { session_recording_days: 1 });
  const recording = await aRecording(app, await sessionsOf(app, gateway).open(user, account), safe.id);
  await recording.show("still here\r\n");
  await daysLater(90);
  assert.ok(await isThere(recording.path));
  assert.equal((await storedOf(recording.id)).begun, false);
  await recording.leave();
});

test("a deletion that was interrupted finishes at the next run, and does not stop other deletions", async () => {
  const stuck = await aClosedRecording(1);
  const other = await aClosedRecording(1);
  // Neither emptied nor deleted: a folder has the file's name.
  await rm(stuck.recording.path);
  await mkdir(stuck.recording.path);
  await daysLater(2);
  assert.deepEqual(await storedOf(stuck.recording.id).then(({ begun, deleted }) => [begun, deleted]), [true, false]);
  assert.deepEqual(await proofsOf(stuck.session), []);
  assert.equal((await storedOf(other.recording.id)).deleted, true);
  await rmdir(stuck.recording.path);
  // A deletion that was killed after it emptied the file.
  await writeFile(stuck.recording.path, "");
  await daysLater(3);
  assert.equal((await storedOf(stuck.recording.id)).deleted, true);
  assert.equal(await isThere(stuck.recording.path), false);
  assert.equal((await proofsOf(stuck.session)).length, 1);
});

test("a file left over after the proof was stored is deleted by the next run", async () => {
  const { session, recording } = await aClosedRecording(1);
  await daysLater(2);
  await writeFile(recording.path, "");
  await daysLater(3);
  assert.equal(await isThere(recording.path), false);
  assert.equal((await proofsOf(session)).length, 1);
});

test("the job waits a week for a missing file and then reports it in the proof", async () => {
  const { session, recording } = await aClosedRecording(1);
  await rm(recording.path);
  await daysLater(2);
  assert.deepEqual(await proofsOf(session), []);
  await daysLater(10);
  const proofs = await proofsOf(session);
  assert.deepEqual(
    proofs.map(({ result, file }) => [result, file]),
    [["warning", "not found"]],
  );
});

test("a legal hold set while the job waits for the row prevents the deletion", async () => {
  const { recording } = await aClosedRecording(1);
  const holder = await app.database.pool.connect();
  await shiftTime(app, "2 days");
  try {
    await holder.query("begin");
    await holder.query("update recordings set held_at = now(), held_by = 'Ada', held_why = 'Case 7' where id = $1", [
      recording.id,
    ]);
    const run = deleteExpiredRecordings(app.kernel);
    for (;;) {
      const { rows } = await app.database.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like '%deletion_began_at = access_time()%'`,
      );
      if (rows.length > 0) break;
    }
    await holder.query("commit");
    await run;
  } finally {
    holder.release();
  }
  assert.ok(await isThere(recording.path));
  assert.deepEqual(await storedOf(recording.id).then(({ begun, deleted }) => [begun, deleted]), [false, false]);
});

const codeOf = (reply: { body: unknown }) => (reply.body as { code?: string }).code;
const hold = (who: TestPerson, id: PrivilegedSessionId, reason = "Case 7") =>
  app.call(holdSessionRecording, { params: { id }, body: { reason }, as: who.token });
const provedAgo = (who: TestPerson, time: string) =>
  app.database.pool.query("update sign_in_sessions set proved_at = proved_at - $1::interval where user_id = $2", [
    time,
    who.id,
  ]);
const release = (who: TestPerson, id: PrivilegedSessionId, reason = "Case 7 is closed") =>
  app.call(releaseSessionRecording, { params: { id }, body: { reason }, as: who.token });

describe("legal holds", () => {
  test("a hold keeps a recording past its retention, and for seven more days after its release", async () => {
    const { owner, session, recording } = await aClosedRecording(1);
    const admin = await firstAdmin(app);
    assert.equal((await hold(owner, session)).status, 200);
    await daysLater(400);
    assert.ok(await isThere(recording.path));
    await shiftTime(app, "400 days");
    const released = await release(admin, session);
    assert.equal(released.status, 200, released.text);
    await daysLater(406);
    assert.ok(await isThere(recording.path), "deleted within the week");
    await daysLater(408);
    assert.equal(await isThere(recording.path), false);
    assert.deepEqual(
      (await eventsOf(app, session)).filter((event) => event.startsWith("recording.") && !event.includes("chunks")),
      ["recording.closed success", "recording.held success", "recording.released success", "recording.deleted success"],
    );
  });

  test("lists and the session say who holds a recording and why, and when one is deleted", async () => {
    const { owner, session } = await aClosedRecording(30);
    const read = async () => (await app.call(readPrivilegedSession, { params: { id: session }, as: owner.token })).body;
    const before = await read();
    assert.equal(before.is_recording_held, false);
    assert.equal(before.recording_deletes_at, before.recording?.retention_until);
    assert.ok(before.actions.includes("hold") && !before.actions.includes("release"));
    await hold(owner, session, "Case 12");
    const held = await read();
    assert.equal(held.recording_deletes_at, null);
    const { by, reason } = held.recording!.hold!;
    assert.deepEqual([by, reason], [owner.email.split("@")[0], "Case 12"]);
    const ids = async (isHeld: boolean) =>
      (await app.call(listPrivilegedSessions, { query: { held: String(isHeld) }, as: owner.token })).body.sessions.map(
        ({ id }) => id,
      );
    assert.deepEqual([await ids(true), await ids(false)], [[session], []]);
  });

  test("auditors place holds; only those who also manage members release them, never for their own session", async () => {
    const { owner, user, safe, account, session } = await aClosedRecording(1);
    const auditor = await aPerson(app);
    await aMember(app, owner, safe, auditor, "auditor");
    assert.equal((await hold(user, session)).status, 403);
    assert.equal((await hold(await aPerson(app), session)).status, 404);
    assert.equal((await hold(auditor, session)).status, 200);
    assert.equal((await hold(owner, session)).status, 409);
    assert.equal((await release(auditor, session)).status, 403);
    assert.equal((await release(user, session)).status, 403);
    await provedAgo(owner, "2 days");
    assert.equal(codeOf(await release(owner, session)), "step-up.required");
    await provedAgo(owner, "-2 days");
    assert.equal((await release(owner, session)).status, 200);
    assert.equal((await release(owner, session)).status, 409);

    const own = (await sessionsOf(app, gateway).open(owner, account)) as PrivilegedSessionId;
    const recording = await aRecording(app, own, safe.id);
    await recording.close();
    assert.equal((await hold(owner, own)).status, 200);
    assert.equal((await release(owner, own)).status, 403);
  });

  test("a recording whose deletion has begun cannot be held", async () => {
    const { owner, session } = await aClosedRecording(1);
    await daysLater(2);
    const refused = await hold(owner, session);
    assert.deepEqual([refused.status, codeOf(refused)], [409, "recording.deletion-began"]);
  });
});
