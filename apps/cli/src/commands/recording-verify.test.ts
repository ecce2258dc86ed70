import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { digestDetails } from "@strongroom/recordings";
import { aRecording, RECORDING_ID } from "../../../../packages/recordings/testing/a-recording.ts";
import { strongroom } from "../../testing/strongroom.ts";

const folder = mkdtempSync(join(tmpdir(), "strongroom-recording-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const { bytes, chunks, digests } = await aRecording(5);
const whole = file("whole.srr", bytes);
const lines = digests.map((digest) => JSON.stringify(digestDetails(digest)));
const held = file("digests.jsonl", `${lines.join("\n")}\n`);

test("recording verify finds an unchanged recording complete and exits with 0", async () => {
  const ran = await strongroom(["recording", "verify", whole, "--digests", held]);
  assert.equal(ran.status, 0, ran.stderr);
  assert.match(
    ran.stdout,
    /^Complete: 7 chunks, in order and unchanged\.\nRecording 0b6f6c0e-.*, 3 s, 110 bytes of output\./,
  );
  assert.match(ran.stdout, /Closing record: ended\.\nProven by the digests up to chunk 6\./);
  assert.match(ran.stderr, /audit verify/);
});

test("recording verify without digests reports what it cannot prove", async () => {
  const ran = await strongroom(["recording", "verify", whole]);
  assert.equal(ran.status, 0);
  assert.match(ran.stderr, /a rewritten recording looks the same/);
});

test("recording verify reads digests from the entries of an audit export", async () => {
  const entries = digests.map((digest, index) => JSON.stringify({ entry: { details: digestDetails(digest) }, index }));
  const exported = file("export.jsonl", `{"format":"strongroom-audit-export/1"}\n${entries.slice(0, 3).join("\n")}\n`);
  const ran = await strongroom(["recording", "verify", whole, "--digests", exported]);
  assert.match(ran.stdout, /Proven by the digests up to chunk 2\./);
});

test("recording verify names a missing chunk and its time, and exits with 1", async () => {
  const cut = file("cut.srr", Buffer.concat(chunks.toSpliced(3, 1)));
  const ran = await strongroom(["recording", "verify", cut, "--digests", held]);
  assert.equal(ran.status, 1);
  assert.match(
    ran.stdout,
    /^NOT COMPLETE: 1 finding in 6 chunks\.\n- Chunk 3 \(0:00:00\.600 to 0:00:01\.800\) is missing\.$/m,
  );
  const asJson = await strongroom(["recording", "verify", cut, "--json"]);
  assert.equal(asJson.status, 1);
  const report = JSON.parse(asJson.stdout) as { recording: string; findings: { kind: string; chunks: object }[] };
  assert.equal(report.recording, RECORDING_ID);
  assert.deepEqual([report.findings[0]?.kind, report.findings[0]?.chunks], ["missing", { from: 3, to: 3 }]);
});

test("recording verify exits with 2 when there is nothing to check", async () => {
  const text = await strongroom(["recording", "verify", file("text", "hello\n")]);
  assert.deepEqual([text.status, text.stdout], [2, ""]);
  assert.match(text.stderr, /is not a recording/);
  const missing = await strongroom(["recording", "verify", join(folder, "none")]);
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /does not exist/);
  const other = await strongroom(["recording", "verify", whole, "--digests", file("none.jsonl", "{}\nnot json\n[]\n")]);
  assert.equal(other.status, 2);
  assert.match(other.stderr, /contains no digest of recording 0b6f6c0e/);
});
