// Evidence bundles contain the sessions of their subject, with a digest that proves each recording.
import { exportEvidenceBundle, readCheckpoint } from "@strongroom/contract";
import type { EvidenceSubject } from "@strongroom/contract";
import { parseDigestLine, verifyRecording } from "@strongroom/recordings";
import { readRecordingFile } from "@strongroom/recordings/file-store";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { endSession } from "../gateway/end-session.ts";
import { sessionContextOf } from "../session-context.ts";
import { aRecording } from "../testing/a-recording.ts";
import { aGateway, anSshAccount, sessionsOf } from "../testing/opening.ts";
import type { SessionSetup, TestGateway } from "../testing/opening.ts";

let app: TestApp;
let gateway: TestGateway;
let setup: SessionSetup;
let recording: Awaited<ReturnType<typeof aRecording>>;
let admin: string;
before(async () => {
  app = await testApp();
  gateway = await aGateway(app);
  admin = (await firstAdmin(app)).token;
  setup = await anSshAccount(app);
  const id = await sessionsOf(app, gateway).open(setup.user, setup.account);
  recording = await aRecording(app, id, setup.safe.id);
  await recording.show("one\r\n");
  await recording.store(1);
  await recording.show("two\r\n");
  await recording.close();
  await endSession(sessionContextOf(app.kernel), id, { reason: "logout", detail: null });
  await eventually(async () => ((await app.call(readCheckpoint, { as: admin })).body.pending === 0 ? true : null));
});
after(async () => {
  gateway.server.close();
  await app.close();
});

async function linesOf(about: EvidenceSubject, id: string): Promise<string[]> {
  const answer = await app.call(exportEvidenceBundle, { query: { about, id }, as: admin });
  assert.equal(answer.status, 200, answer.text);
  return answer.text.trimEnd().split("\n");
}

for (const about of ["account", "user"] as const) {
  test(`a bundle about one ${about} proves the whole recording with one digest`, async () => {
    const lines = await linesOf(about, about === "account" ? setup.account.id : setup.user.id);
    for (const event of ["privileged-session.started", "privileged-session.ended"]) {
      assert.equal(lines.filter((line) => line.includes(`"${event}"`)).length, 1, event);
    }
    const digests = lines.map(parseDigestLine).filter((digest) => digest !== null);
    assert.deepEqual(
      digests.map(({ recording: id, chunk }) => [id, chunk]),
      [[recording.id, 3]],
    );
    const report = await verifyRecording(readRecordingFile(recording.path), { digests });
    assert.deepEqual([report.isComplete, report.provenTo], [true, 3]);
  });
}

test("a bundle about a different account contains none of the session's entries", async () => {
  const other = await anSshAccount(app);
  await eventually(async () => ((await app.call(readCheckpoint, { as: admin })).body.pending === 0 ? true : null));
  const lines = await linesOf("account", other.account.id);
  assert.equal(lines.filter((line) => line.includes("privileged-session")).length, 0);
});
