import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { RECORDING_ID } from "../testing/a-recording.ts";
import { digestDetails, parseDigestLine } from "./digest-line.ts";

const aDigest = { recording: RECORDING_ID, chunk: 41, digest: Buffer.alloc(32, 7) };

test("a digest is read from its own line and from an exported audit entry", () => {
  const details = digestDetails(aDigest);
  assert.deepEqual(parseDigestLine(JSON.stringify(details)), aDigest);
  assert.deepEqual(parseDigestLine(JSON.stringify({ entry: { details }, index: 3, leaf: "" })), aDigest);
});

test("lines that hold no digest are ignored", () => {
  const details = digestDetails(aDigest);
  const others = [
    { ...details, recording: "../x" },
    { ...details, chunk: -1 },
    { ...details, chunk: 1.5 },
    { ...details, chunk: 2 ** 32 },
    { ...details, digest: details.digest.slice(4) },
    { ...details, digest: `${details.digest.slice(0, -1)}!` },
    { entry: null, ...details },
    { entry: { details: null } },
  ];
  for (const other of others) assert.equal(parseDigestLine(JSON.stringify(other)), null, JSON.stringify(other));
  fc.assert(fc.property(fc.json(), (text) => parseDigestLine(text) === null));
});
