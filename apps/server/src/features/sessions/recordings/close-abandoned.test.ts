// Recordings of gateways that stopped: they are checked and closed, and a gateway that restarts corrects their status.
import { parseDigestLine } from "@strongroom/recordings";
import assert from "node:assert/strict";
import { open, rm, stat, truncate } from "node:fs/promises";
import { after, afterEach, before, test } from "node:test";
import { shiftTime } from "#features/access-requests/testing/requestable-account.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { endOrphans } from "../gateway/end-session.ts";
import { sessionContextOf } from "../session-context.ts";
import { aRecording } from "../testing/a-recording.ts";
import { aGateway, anSshAccount, sessionsOf } from "../testing/opening.ts";
import type { TestGateway } from "../testing/opening.ts";
import { closeRecording } from "./store-recording.ts";

let app: TestApp;
let gateway: TestGateway;
before(async () => {
  app = await testApp();
  gateway = await aGateway(app);
});
const leaves: (() => Promise<void>)[] = [];
afterEach(async () => {
  await shiftTime(app, "0 seconds");
  for (const leave of leaves.splice(0)) await leave();
});
after(async () => {
  gateway.server.close();
  await app.close();
});

/** A recording with three chunks, of which the database knows `known`. */
async function aLiveRecording(known: number) {
  const { user, account, safe } = await anSshAccount(app);
  const sessionId = await sessionsOf(app, gateway).open(user, account);
  const recording = await aRecording(app, sessionId, safe.id);
  leaves.push(recording.leave);
  await recording.show("first\r\n");
  await recording.show("second\r\n");
  await recording.store(known);
  return recording;
}

async function losesItsGateway(): Promise<void> {
  await shiftTime(app, "2 hours");
  await endOrphans(sessionContextOf(app.kernel));
  await shiftTime(app, "0 seconds");
}

async function rowOf(id: string) {
  const { rows } = await app.database.pool.query<{ status: string; chunks: number; duration_ms: number }>(
    "select status, chunks, duration_ms from recordings where id = $1",
    [id],
  );
  return rows[0]!;
}

/** The entries about the end of a recording: their result, their digest's chunk and their findings. */
async function endsOf(sessionId: string) {
  const { rows } = await app.database.pool.query<{ result: string; entry: string; findings: string | null }>(
    `select result, convert_from(canonical, 'UTF8') as entry,
       convert_from(canonical, 'UTF8')::jsonb #>> '{details,findings}' as findings
     from audit_entries where event = 'recording.closed' and target_id = $1 order by seq`,
    [sessionId],
  );
  return rows.map(({ result, entry, findings }) => {
    const digest = parseDigestLine(`{"entry":${entry}}`);
    return { result, chunk: digest?.chunk ?? null, digest: digest?.digest.toString("hex"), findings };
  });
}

test("an open recording of a live gateway stays open", async () => {
  const { id } = await aLiveRecording(3);
  await endOrphans(sessionContextOf(app.kernel));
  assert.equal((await rowOf(id)).status, "open");
});

test("the audit trail gets the digest of the file's last chunk even if the gateway was killed before it sent the digest", async () => {
  const { id, sessionId, chunks } = await aLiveRecording(1);
  await losesItsGateway();
  assert.deepEqual(await rowOf(id), { status: "broken", chunks: 3, duration_ms: 2500 });
  const digest = chunks[2]?.digest.toString("hex");
  assert.deepEqual(await endsOf(sessionId), [{ result: "warning", chunk: 2, digest, findings: null }]);
});

test("an incomplete last chunk does not affect the complete chunks before it", async () => {
  const { id, sessionId, path } = await aLiveRecording(1);
  await truncate(path, (await stat(path)).size - 130);
  await losesItsGateway();
  assert.equal((await rowOf(id)).status, "broken");
  assert.equal((await endsOf(sessionId))[0]?.chunk, 1);
});

test("a recording whose file has a closing record is closed, even if the database never received its end", async () => {
  const recording = await aLiveRecording(2);
  await recording.close(false);
  await losesItsGateway();
  assert.equal((await rowOf(recording.id)).status, "closed");
  assert.deepEqual(
    (await endsOf(recording.sessionId)).map(({ result, chunk }) => [result, chunk]),
    [["success", 3]],
  );
});

test("a file that was changed or shortened is reported, and its digest is not added to the audit trail", async () => {
  for (const change of ["byte", "length"] as const) {
    const { id, sessionId, path, chunks } = await aLiveRecording(2);
    const second = chunks[1]!;
    if (change === "length") await truncate(path, second.offset);
    else {
      const file = await open(path, "r+");
      await file.write(Buffer.from([0xff]), 0, 1, second.offset + 80);
      await file.close();
    }
    await losesItsGateway();
    assert.equal((await rowOf(id)).status, "broken");
    const [end] = await endsOf(sessionId);
    assert.deepEqual([end?.result, end?.chunk], ["warning", 1]);
    assert.match(end?.findings ?? "", /altered|missing/, change);
  }
});

test("without the file, the recording ends at the last digest in the database", async () => {
  const { id, sessionId, path } = await aLiveRecording(2);
  await rm(path);
  await losesItsGateway();
  assert.equal((await rowOf(id)).status, "broken");
  assert.equal((await endsOf(sessionId))[0]?.chunk, 1);
});

test("a gateway that restarts can close a recording marked as broken, and may send chunks again", async () => {
  const recording = await aLiveRecording(2);
  await losesItsGateway();
  assert.equal((await rowOf(recording.id)).status, "broken");
  const summary = await recording.close();
  assert.deepEqual((await rowOf(recording.id)).status, "closed");
  assert.deepEqual(
    (await endsOf(recording.sessionId)).map(({ result, chunk }) => [result, chunk]),
    [
      ["warning", 2],
      ["success", 3],
    ],
  );
  await closeRecording(app.kernel, recording, { ...summary, isClosed: false });
  assert.equal((await rowOf(recording.id)).status, "closed");
});
