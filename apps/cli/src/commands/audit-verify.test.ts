import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { cosign, encodeEntry, encodeVerifierKey, encodeWitnessKey, noteSigner } from "@strongroom/auditlog";
import {
  ORIGIN,
  aLog,
  anEntry,
  completeExport,
  entryLine,
  evidenceExport,
} from "../../../../packages/auditlog/testing/sample-log.ts";
import { strongroom } from "../../testing/strongroom.ts";

const folder = mkdtempSync(join(tmpdir(), "strongroom-verify-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, lines: readonly string[]): string => {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
};

test("audit verify finds a genuine export intact, with the key as text or in a file", async () => {
  const log = aLog([3, 8]);
  const path = file("honest.jsonl", completeExport(log));

  const byText = await strongroom(["audit", "verify", path, "--key", log.key]);
  assert.deepEqual([byText.status, byText.stdout.split("\n")[0]], [0, "Intact: 8 entries, exactly as signed."]);

  const byFile = await strongroom(["audit", "verify", path, "--key", file("key", [log.key])]);
  assert.equal(byFile.status, 0, byFile.stderr);
});

test("audit verify reads standard input, so that an export need not be stored", async () => {
  const log = aLog([2]);
  const ran = await strongroom(["audit", "verify", "-", "--key", log.key], {
    input: `${completeExport(log).join("\n")}\n`,
  });
  assert.equal(ran.status, 0, ran.stderr);
});

test("audit verify checks one entry with its proof", async () => {
  const log = aLog([4, 9]);
  const path = file("evidence.jsonl", await evidenceExport(log, [6]));
  const ran = await strongroom(["audit", "verify", path, "--key", log.key]);
  assert.deepEqual([ran.status, ran.stdout.split("\n")[0]], [0, "Intact: 1 entry, exactly as signed."]);
});

test("audit verify checks an evidence bundle, and reports the subject that the file names", async () => {
  const log = aLog([4, 9]);
  const about = { id: "0190c0de-0000-7000-8000-00000000c0de", type: "access-request" };
  const path = file("bundle.jsonl", await evidenceExport(log, [1, 3, 6], about));
  const ran = await strongroom(["audit", "verify", path, "--key", log.key]);
  assert.deepEqual([ran.status, ran.stdout.split("\n")[0]], [0, "Intact: 3 entries, exactly as signed."]);
  assert.match(ran.stdout, /^Subject, according to the file: access-request 0190c0de-/m);

  const complete = completeExport(log);
  complete[0] = complete[0]!.replace("{", `{"about":${JSON.stringify(about)},`);
  const misplaced = await strongroom(["audit", "verify", file("misplaced.jsonl", complete), "--key", log.key]);
  assert.equal(misplaced.status, 1, "a complete trail has no subject");
});

test("audit verify names a changed entry in plain English and exits with 1", async () => {
  const log = aLog([3, 8]);
  const lines = completeExport(log);
  const installation = lines.findIndex((line) => line.includes('"index":4'));
  lines[installation] = lines[installation]!.replace('"name":"Ada"', '"name":"Eve"');
  const path = file("changed.jsonl", lines);

  const ran = await strongroom(["audit", "verify", path, "--key", log.key]);
  assert.equal(ran.status, 1);
  assert.match(ran.stdout, /^NOT INTACT: 1 finding in 8 entries\.\n- entry 4 was changed/);

  const asJson = await strongroom(["audit", "verify", path, "--key", log.key, "--json"]);
  assert.equal(asJson.status, 1);
  const report = JSON.parse(asJson.stdout) as { isIntact: boolean; findings: { kind: string; index: number }[] };
  assert.deepEqual([report.isIntact, report.findings[0]?.kind, report.findings[0]?.index], [false, "changed", 4]);
});

test("only a kept checkpoint reveals an export truncated to an earlier one", async () => {
  const whole = aLog([3, 8]);
  const path = file(
    "cut.jsonl",
    completeExport({ ...whole, entries: whole.entries.slice(0, 3), checkpoints: whole.checkpoints.slice(0, 1) }),
  );

  const without = await strongroom(["audit", "verify", path, "--key", whole.key]);
  assert.equal(without.status, 0);
  assert.match(without.stderr, /cut back to an earlier checkpoint looks the same/);

  const kept = file("kept", [whole.checkpoints[1]!.note.trimEnd()]);
  const withKept = await strongroom(["audit", "verify", path, "--key", whole.key, "--kept", kept]);
  assert.equal(withKept.status, 1, withKept.stdout);
});

test("every checkpoint of a published file is compared, and with a witness's key each must be cosigned", async () => {
  const log = aLog([3, 5, 8]);
  const witness = noteSigner("witness.test/one", Buffer.alloc(32, 9));
  const path = file("published.jsonl", completeExport(log));
  const notes = log.checkpoints.map(({ note }) => note + cosign(note, witness, new Date())!);
  const [published, half] = [file("published", notes), file("half", [notes[0]!, log.checkpoints[1]!.note])];
  const verify = (kept: string) =>
    strongroom(["audit", "verify", path, "--key", log.key, "--kept", kept, "--witness", encodeWitnessKey(witness)]);

  const good = await verify(published);
  assert.equal(good.status, 0, good.stderr + good.stdout);
  const unsigned = await verify(half);
  assert.deepEqual([unsigned.status, unsigned.stdout], [1, ""]);
  assert.match(unsigned.stderr, /1 of 2 kept checkpoints are not cosigned by this witness/);

  const other = completeExport(aLog([3, 5, 8]));
  const rewritten = file("rewritten.jsonl", other);
  const found = await strongroom(["audit", "verify", rewritten, "--key", log.key, "--kept", published]);
  assert.equal(found.status, 1, "signed with the right key, but another history");
});

test("an export signed with a different key is not intact", async () => {
  const log = aLog([2]);
  const stranger = encodeVerifierKey(noteSigner(ORIGIN, Buffer.alloc(32, 9)));
  const ran = await strongroom(["audit", "verify", file("stranger.jsonl", completeExport(log)), "--key", stranger]);
  assert.equal(ran.status, 1, ran.stdout);
});

test("a line separator in a name does not split its entry", async () => {
  const log = aLog([1]);
  const canonical = encodeEntry(anEntry(0, { reason: "one\u2028two\u2029three\u0085" }));
  const path = file("separators.jsonl", [completeExport(log)[0]!, entryLine(0, canonical)]);
  const ran = await strongroom(["audit", "verify", path, "--key", log.key]);
  assert.match(ran.stdout, /in 1 entry\./, "it is read as one entry");
});

test("an export's content cannot control the terminal", async () => {
  const log = aLog([1]);
  const [header, ...rest] = completeExport(log);
  const path = file("escape.jsonl", [header!.replaceAll(ORIGIN, `${ORIGIN}\\u001b]0;owned\\u0007`), ...rest]);
  const ran = await strongroom(["audit", "verify", path, "--key", log.key]);
  assert.equal(ran.status, 1);
  assert.match(ran.stdout, /\\u\{1b\}\]0;owned/, "it is shown");
  assert.ok(!ran.stdout.includes("\u001b") && !ran.stdout.includes("\u0007"), "and not executed");
});

test("audit verify exits with 2 without valid input: no file, no key, a folder, an invalid key", async () => {
  const log = aLog([1]);
  const path = file("fine.jsonl", completeExport(log));
  const calls = [
    { words: ["audit", "verify"], says: /Missing argument/ },
    { words: ["audit", "verify", path], says: /--key is required/ },
    {
      words: ["audit", "verify", join(folder, "nothing"), "--key", log.key],
      says: /cannot be read \(it does not exist\)/,
    },
    { words: ["audit", "verify", folder, "--key", log.key], says: /cannot be read \(it is a folder\)/ },
    { words: ["audit", "verify", path, "--key", join(folder, "no-key")], says: /cannot be read/ },
    { words: ["audit", "verify", path, "--key", path], says: /contains no verifier key/ },
    { words: ["audit", "verify", path, "--key", log.key, "--kept", join(folder, "none")], says: /cannot be read/ },
    { words: ["audit", "verify", path, "--kye", log.key], says: /Unknown option '--kye'/ },
  ];
  for (const { words, says } of calls) {
    const ran = await strongroom(words);
    assert.deepEqual([ran.status, ran.stdout], [2, ""], words.join(" "));
    assert.match(ran.stderr, says);
  }
});
