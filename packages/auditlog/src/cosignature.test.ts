import assert from "node:assert/strict";
import { test } from "node:test";
import { aLog, aSigner } from "../testing/sample-log.ts";
import {
  cosign,
  cosignedAt,
  encodeWitnessKey,
  noteSigner,
  parseCheckpoint,
  parseWitnessKey,
  splitNotes,
  verifyCheckpoint,
} from "./index.ts";

const at = new Date("2026-11-21T10:00:00Z");
const witness = noteSigner("witness.test/one", Buffer.alloc(32, 9));

test("a cosigned checkpoint keeps the log's signature and the time the witness saw it", () => {
  const log = aLog([5]);
  const { note } = log.checkpoints[0]!;
  const cosigned = note + cosign(note, witness, at)!;
  assert.deepEqual(cosignedAt(cosigned, witness), at);
  assert.equal(verifyCheckpoint(cosigned, log.signer).outcome, "verified");
  assert.equal(cosignedAt(note, witness), null);
});

test("ignores a cosignature by a different key, of a different text or with a flipped bit", () => {
  const [first, second] = aLog([5, 9]).checkpoints;
  const line = cosign(first!.note, witness, at)!;
  const other = noteSigner("witness.test/one", Buffer.alloc(32, 8));
  assert.equal(cosignedAt(first!.note + line, other), null);
  assert.equal(cosignedAt(second!.note + line, witness), null);
  const bytes = Buffer.from(line.split(" ")[2]!, "base64");
  for (const place of [4, 12, 40, bytes.length - 1]) {
    const flipped = Buffer.from(bytes);
    flipped[place]! ^= 1;
    const changed = `${first!.note}— ${witness.name} ${flipped.toString("base64")}\n`;
    assert.equal(cosignedAt(changed, witness), null, `byte ${place}`);
  }
  assert.equal(cosign("no note", witness, at), null);
});

test("rejects a log's key and a damaged key as a witness key", () => {
  const key = encodeWitnessKey(witness);
  assert.deepEqual(parseWitnessKey(key), { name: witness.name, publicKey: witness.publicKey });
  assert.equal(parseWitnessKey(aLog([1]).key), null);
  assert.equal(parseWitnessKey(key.replace("witness.test", "witness.best")), null);
  assert.equal(parseWitnessKey(""), null);
});

test("splits consecutive notes in a file, with or without empty lines between", () => {
  const log = aLog([2, 5, 9], aSigner());
  const notes = log.checkpoints.map(({ note }) => note + cosign(note, witness, at)!);
  for (const between of ["", "\n", "\n\n"]) {
    const split = splitNotes(notes.join(between));
    assert.deepEqual(split, notes);
    assert.deepEqual(
      split.map((note) => parseCheckpoint(note)?.size),
      [2, 5, 9],
    );
  }
  assert.deepEqual(splitNotes(""), []);
});
