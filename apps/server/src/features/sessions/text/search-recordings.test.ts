// Tests the search across recordings: users find the text of recordings that they may play, and the database stores it sealed.
import { pathOf, readSessionRecording, searchRecordings } from "@strongroom/contract";
import type { InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { endSession } from "../gateway/end-session.ts";
import { sessionContextOf } from "../session-context.ts";
import { aRecording } from "../testing/a-recording.ts";
import { aGateway, anSshAccount, sessionsOf } from "../testing/opening.ts";
import type { SessionSetup, TestGateway } from "../testing/opening.ts";
import { indexRecordings } from "./index-recordings.ts";
import { TextNotReadError, TextReader } from "./read-text.ts";
import type { TextChunk } from "./text-worker.ts";

let app: TestApp;
let gateway: TestGateway;
before(async () => {
  app = await testApp();
  gateway = await aGateway(app);
});
after(async () => {
  gateway.server.close();
  await app.close();
});

/** An ended session whose recording shows these outputs 1.5 s apart. Its text is not indexed yet. */
async function aRecordedSession(setup: SessionSetup, outputs: readonly string[]) {
  const id = await sessionsOf(app, gateway).open(setup.user, setup.account);
  const recording = await aRecording(app, id, setup.safe.id);
  for (const output of outputs) await recording.show(output);
  await recording.close();
  await endSession(sessionContextOf(app.kernel), id, { reason: "logout", detail: null });
  return { id, recordingId: recording.id };
}

type Body = NonNullable<InputOf<typeof searchRecordings>["body"]>;

async function search(who: TestPerson, text: string, more: Partial<Body> = {}) {
  await indexRecordings(app.kernel);
  const reply = await app.call(searchRecordings, { body: { text, ...more }, as: who.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

test("a line is found as the screen showed it, with the second at which it appeared", async () => {
  const setup = await anSshAccount(app);
  const { id } = await aRecordedSession(setup, ["hello\r\n", "sec\u001b[31mrxx\b\b\u001b[0met Plans\r\n", "bye\r\n"]);
  const { hits, searched, skipped, next_cursor } = await search(setup.user, "SECRET plans");
  assert.deepEqual(
    hits.map(({ session, lines, count }) => [session.id, lines, count]),
    [[id, [{ at_seconds: 2.5, text: "secret Plans" }], 1]],
  );
  assert.deepEqual([searched, skipped, next_cursor], [1, 0, null]);
});

test("a search result shows five matching lines and counts all of them", async () => {
  const setup = await anSshAccount(app);
  await aRecordedSession(setup, [Array.from({ length: 9 }, (_, line) => `needle ${line}\r\n`).join("")]);
  const [hit] = (await search(setup.user, "needle")).hits;
  assert.deepEqual([hit?.lines.length, hit?.count, hit?.lines[4]?.text], [5, 9, "needle 4"]);
});

describe("a reader", () => {
  let setup: SessionSetup;
  before(async () => {
    setup = await anSshAccount(app);
    await aRecordedSession(setup, ["quarterly-figures.xlsx\r\n"]);
  });

  const finds = async (who: TestPerson) => (await search(who, "quarterly-figures")).hits.length;

  test("finds their own sessions and those in safes whose audit trail they may view; an administrator finds all sessions", async () => {
    const auditor = await aPerson(app);
    await aMember(app, setup.owner, setup.safe, auditor, "auditor");
    const everyone = [setup.user, auditor, await firstAdmin(app)];
    assert.deepEqual(await Promise.all(everyone.map(finds)), [1, 1, 1]);
  });

  test("finds no sessions of other users without that permission", async () => {
    const colleague = await aPerson(app);
    await aMember(app, setup.owner, setup.safe, colleague, ["list", "use", "retrieve"]);
    assert.deepEqual([await finds(colleague), await finds(await aPerson(app))], [0, 0]);
  });

  test("needs a recent authentication", async () => {
    await app.database.pool.query(
      "update sign_in_sessions set proved_at = proved_at - interval '2 days' where user_id = $1",
      [setup.user.id],
    );
    const reply = await app.call(searchRecordings, { body: { text: "quarterly" }, as: setup.user.token });
    assert.equal(reply.status, 403);
    assert.match(reply.text, /step-up\.required/);
  });
});

test("the database and the audit trail contain none of the shown or searched text", async () => {
  const setup = await anSshAccount(app);
  const { id } = await aRecordedSession(setup, ["$ mysql -phunter2hunter2\r\n"]);
  assert.equal((await search(setup.user, "hunter2hunter2")).hits.length, 1);
  const { rows } = await app.database.pool.query<{ sealed: string }>(
    `select encode(sealed, 'escape') as sealed from recording_text
     union all select convert_from(canonical, 'UTF8') from audit_entries`,
  );
  assert.ok(rows.length > 10);
  assert.equal(rows.filter(({ sealed }) => sealed.includes("hunter2")).length, 0);
  const { rows: entries } = await app.database.pool.query<{ details: object }>(
    `select convert_from(canonical, 'UTF8')::jsonb -> 'details' as details from audit_entries
     where event = 'privileged-session.recordings-searched' and actor_id = $1`,
    [setup.user.id],
  );
  assert.deepEqual(entries, [{ details: { sessions: 1, hits: 1, shown: [id] } }]);
});

test("text that was changed or moved to a different recording in the database is not shown", async () => {
  const setup = await anSshAccount(app);
  const [one, other] = [
    await aRecordedSession(setup, ["first-marker-text\r\n"]),
    await aRecordedSession(setup, ["second-marker-text\r\n"]),
  ];
  await indexRecordings(app.kernel);
  await app.database.pool.query("delete from recording_text where recording_id = $1", [one.recordingId]);
  await app.database.pool.query("update recording_text set recording_id = $1 where recording_id = $2", [
    one.recordingId,
    other.recordingId,
  ]);
  assert.deepEqual((await search(setup.user, "marker-text")).hits, []);
});

describe("the filters of texts", () => {
  const filtersOf = async (recordingId: string) => {
    const { rows } = await app.database.pool.query<{ filter: Buffer | null }>(
      "select filter from recording_text where recording_id = $1 and kind = 'lines'",
      [recordingId],
    );
    return rows.map(({ filter }) => filter);
  };

  test("are sealed: those of equal texts differ, and contain no text", async () => {
    const setup = await anSshAccount(app);
    const recordings = [
      await aRecordedSession(setup, ["equal-text-of-two\r\n"]),
      await aRecordedSession(setup, ["equal-text-of-two\r\n"]),
    ];
    await indexRecordings(app.kernel);
    const [one, other] = (await Promise.all(recordings.map(({ recordingId }) => filtersOf(recordingId)))).flat();
    assert.ok(one && other);
    assert.equal(one.length, other.length);
    assert.equal(one.equals(other), false);
  });

  test("decide which texts are opened", async () => {
    const setup = await anSshAccount(app);
    const { recordingId } = await aRecordedSession(setup, ["filtered-needle\r\n"]);
    await indexRecordings(app.kernel);
    await app.database.pool.query(
      "update recording_text set sealed = filter where recording_id = $1 and kind = 'lines'",
      [recordingId],
    );
    const isOpenedFor = async (text: string) => {
      const before = app.logLines.length;
      assert.deepEqual((await search(setup.user, text)).hits, []);
      return app.logLines.slice(before).some((line) => line.includes(recordingId));
    };
    assert.equal(await isOpenedFor("zqxjkv-not-there"), false);
    assert.equal(await isOpenedFor("filtered-needle"), true);
  });

  test("hide no text after they were changed in the database", async () => {
    const setup = await anSshAccount(app);
    const { recordingId } = await aRecordedSession(setup, ["unhidden-needle\r\n"]);
    await indexRecordings(app.kernel);
    for (const filter of ["null", "'\\x00'", "sealed"]) {
      await app.database.pool.query(
        `update recording_text set filter = ${filter} where recording_id = $1 and kind = 'lines'`,
        [recordingId],
      );
      const reply = await app.call(searchRecordings, { body: { text: "unhidden-needle" }, as: setup.user.token });
      assert.equal(reply.body.hits.length, 1, filter);
    }
  });

  test("are added to texts that were stored without one", async () => {
    const setup = await anSshAccount(app);
    const { recordingId } = await aRecordedSession(setup, ["older-needle\r\n"]);
    await indexRecordings(app.kernel);
    await app.database.pool.query("update recording_text set filter = null where recording_id = $1", [recordingId]);
    assert.equal((await search(setup.user, "older-needle")).hits.length, 1);
    const [filter] = await filtersOf(recordingId);
    assert.ok(filter);
  });

  test("are added to a text behind more than one batch of texts that do not open", async () => {
    const { pool } = app.database;
    const setup = await anSshAccount(app);
    const { recordingId: damaged } = await aRecordedSession(setup, ["damaged\r\n"]);
    const { recordingId } = await aRecordedSession(setup, ["behind-the-damaged\r\n"]);
    await indexRecordings(app.kernel);
    await pool.query(
      `insert into recording_text (recording_id, kind, part, kek_id, sealed)
       select recording_id, kind, part + number, kek_id, '\\x00' from recording_text, generate_series(1, 101) number
       where recording_id = $1 and kind = 'lines'`,
      [damaged],
    );
    await pool.query("update recording_text set filter = null where recording_id = $1", [recordingId]);
    await indexRecordings(app.kernel);
    assert.ok((await filtersOf(recordingId))[0]);
    await pool.query("delete from recording_text where recording_id = $1", [damaged]);
  });
});

test("a search continues at its cursor, newest session first, and filters by account and time", async () => {
  const setup = await anSshAccount(app);
  const ids: string[] = [];
  for (let session = 0; session < 22; session += 1) ids.push((await aRecordedSession(setup, ["pagetext\r\n"])).id);
  const first = await search(setup.user, "pagetext");
  assert.equal(first.hits.length, 20);
  const second = await search(setup.user, "pagetext", { cursor: first.next_cursor ?? "" });
  assert.deepEqual([second.hits.length, second.next_cursor], [2, null]);
  const found = [...first.hits, ...second.hits].map(({ session }) => session.id);
  assert.deepEqual(found, ids.toReversed());
  assert.equal((await search(setup.user, "pagetext", { to: "2020-01-01T00:00:00.000Z" })).searched, 0);
});

test("playback contains the marks that the index found, in order", async () => {
  const setup = await anSshAccount(app);
  const { id } = await aRecordedSession(setup, [
    "deploy@web-01:~$ ls\r\n",
    "deploy@web-01:~$ sudo -i\r\n",
    "bash: foo: command not found\r\n",
  ]);
  await indexRecordings(app.kernel);
  const url = pathOf(readSessionRecording.path, { id });
  const reply = await app.http.inject({ url, headers: { authorization: `Bearer ${setup.user.token}` } });
  const lines = reply.body.trim().split("\n").slice(1);
  const events = lines.map((line) => JSON.parse(line) as [number, string, string]);
  const marks = events.filter(([, code]) => code === "m").map(([, , text]) => text);
  assert.deepEqual(marks, ["command: ls", "privilege: sudo -i", "error: bash: foo: command not found"]);
  assert.ok(events.every(([interval]) => interval >= 0));
});

test("output that keeps the terminal busy for too long stops its worker, and the next recording gets a new one", async () => {
  // oxlint-disable-next-line typescript/require-await
  async function* endless() {
    const events = [{ at: 0, code: "o" as const, data: `${"x".repeat(999)}\r\n`.repeat(2000) }];
    for (;;) yield { header: { cols: 80, rows: 24 }, events };
  }
  // oxlint-disable-next-line typescript/require-await
  async function* short() {
    yield { header: { cols: 80, rows: 24 }, events: [{ at: 0, code: "o" as const, data: "hello\r\n" }] };
  }
  const reader = new TextReader();
  const read = async (chunks: AsyncIterable<TextChunk>, withinMs?: number) => {
    const lines: string[] = [];
    for await (const text of reader.read(chunks, withinMs)) lines.push(...text.lines.map((line) => line.text));
    return lines;
  };
  try {
    await assert.rejects(read(endless(), 1), TextNotReadError);
    assert.deepEqual(await read(short()), ["hello"]);
    assert.deepEqual(await read(short()), ["hello"]);
  } finally {
    await reader.close();
  }
});
