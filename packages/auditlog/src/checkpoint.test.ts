import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { ORIGIN, aSigner } from "../testing/sample-log.ts";
import { parseCheckpoint, signCheckpoint, verifyCheckpoint } from "./checkpoint.ts";
import {
  SIGNATURE_TYPES,
  encodeVerifierKey,
  formatNote,
  isSignedBy,
  keyId,
  noteSigner,
  parseNote,
  parseVerifierKey,
  signText,
  signaturesBy,
} from "./signed-note.ts";

/** The vectors of Go's sumdb/note package, on which C2SP signed-note is based. */
const PETER = {
  seed: Buffer.from("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz", "base64").subarray(1),
  key: "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
};
const ENOCH_KEY = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop";
const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const PETER_LINE =
  "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
const ENOCH_LINE =
  "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n";

/** Three tree heads signed by Go's checksum database over four years. */
const SUMDB_KEY = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8";
const SUMDB_HEADS: [number, string, string][] = [
  [
    445646,
    "jEFFy4AtYgBBNTSZTiNnQrgQqMbcH0mfO2oP2FxR9VU=",
    "Az3grkGho/PqvUmEuTv6+r2g303hUhu60FOD6vLpm19mBwH9UjquWY2OKxNmZ55z0gHrp24AgPC3Q5WO7uZrVdvdCQU=",
  ],
  [
    15368405,
    "/g9am3I6YWNKaZX/jkne1fqd9zEyjss+JXyPXG0WfkY=",
    "Az3grqJGUaSGukG9p8nI2vKgiFn7qGHxn0W+mrwyI6Gz3F0t1J3LzmWk/p96Ybf295EjwdSwlzgijq5WA9d1Ded7owM=",
  ],
  [
    59045944,
    "LE6Lx+GNVyuFBv/jKcFIiPkG1WC7DHwG0clpfN/TBlA=",
    "Az3grk9ctaTv+CITXOwxCEHU3APAw5X7Ck14+fvFlh0GCktwX15+XPzy//GgL2G50ZgY05e8eXFTWcvW6pN5tozsLQQ=",
  ],
];

describe("a signed note (C2SP signed-note)", () => {
  it("matches the published verifier key and signature", () => {
    const peter = noteSigner("PeterNeumann", PETER.seed);
    assert.equal(encodeVerifierKey(peter), PETER.key);
    assert.equal(formatNote({ text: TEXT, signatures: [signText(TEXT, peter)] }), `${TEXT}\n${PETER_LINE}`);
  });

  it("reads published verifier keys, and rejects truncated or altered ones", () => {
    for (const key of [PETER.key, ENOCH_KEY, SUMDB_KEY]) {
      const verifier = parseVerifierKey(key);
      assert.ok(verifier);
      assert.equal(encodeVerifierKey(verifier), key);
    }
    for (let i = 0; i < PETER.key.length; i++) {
      for (let j = i + 1; j <= PETER.key.length; j++) {
        if (i > 0 || j < PETER.key.length) assert.equal(parseVerifierKey(PETER.key.slice(i, j)), null);
      }
      const next = String.fromCharCode(PETER.key.charCodeAt(i) + 1);
      assert.equal(parseVerifierKey(PETER.key.slice(0, i) + next + PETER.key.slice(i + 1)), null);
    }
    const wrongLength = "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==";
    const unknownType = "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    for (const key of [wrongLength, unknownType]) assert.equal(parseVerifierKey(key), null);
  });

  it("finds and verifies the signatures of one key among others", () => {
    const note = parseNote(`${TEXT}\n${PETER_LINE}${ENOCH_LINE}`);
    assert.ok(note);
    assert.equal(note.text, TEXT);
    for (const key of [PETER.key, ENOCH_KEY]) {
      const verifier = parseVerifierKey(key)!;
      const [found, ...others] = signaturesBy(note, verifier, SIGNATURE_TYPES.ed25519);
      assert.ok(found);
      assert.deepEqual(others, []);
      assert.equal(isSignedBy(Buffer.from(TEXT), found.signature, verifier), true);
      assert.equal(isSignedBy(Buffer.from(`${TEXT}!`), found.signature, verifier), false);
      assert.equal(isSignedBy(Buffer.from(TEXT), found.signature.subarray(1), verifier), false);
    }
  });

  const malformed: Record<string, string> = {
    "no signature": TEXT,
    "an empty signature block": `${TEXT}\n`,
    "no final newline": `${TEXT}\n${PETER_LINE.slice(0, -1)}`,
    "a control character": `\u0001${TEXT}\n${PETER_LINE}`,
    "a lone surrogate": `\ud800${TEXT}\n${PETER_LINE}`,
    "a space in a name": `${TEXT}\n${PETER_LINE.replace("PeterNeumann", "Bad Name")}`,
    "a line that is not a signature": `${TEXT}\n${PETER_LINE}Unexpected line.\n`,
    "base64 that hides bits": `${TEXT}\n${PETER_LINE.replace("nAM=", "nAN=")}`,
    "more than 100 signatures": `${TEXT}\n${PETER_LINE.repeat(101)}`,
  };
  for (const [name, note] of Object.entries(malformed)) {
    it(`is malformed with ${name}`, () => assert.equal(parseNote(note), null));
  }

  it("rejects names and texts that a note cannot carry", () => {
    for (const name of ["", "a b", "a+b", "a\u2003b"]) assert.throws(() => noteSigner(name, PETER.seed), TypeError);
    assert.throws(() => noteSigner("a", PETER.seed.subarray(1)), RangeError);
    assert.throws(() => formatNote({ text: "no newline", signatures: [] }), TypeError);
  });
});

describe("a checkpoint (C2SP tlog-checkpoint)", () => {
  it("a checkpoint of Go's checksum database verifies, and a changed one does not", () => {
    const verifier = parseVerifierKey(SUMDB_KEY)!;
    for (const [size, root, signature] of SUMDB_HEADS) {
      const note = `go.sum database tree\n${size}\n${root}\n\n— sum.golang.org ${signature}\n`;
      const checkpoint = { origin: "go.sum database tree", size, root: Buffer.from(root, "base64") };
      assert.deepEqual(verifyCheckpoint(note, verifier), { outcome: "verified", checkpoint, signedAt: null });
      const larger = note.replace(String(size), String(size + 1));
      assert.deepEqual(verifyCheckpoint(larger, verifier), { outcome: "wrong-signature" });
    }
  });

  it("parses the specification's example", () => {
    const note =
      "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n" +
      "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n" +
      "— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n";
    const root = Buffer.from("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=", "base64");
    assert.deepEqual(parseCheckpoint(note), { origin: "example.com/behind-the-sofa", size: 20852163, root });
    // The witness's timestamped signature: seconds in the 8 bytes after the key id (C2SP tlog-cosignature).
    assert.equal(parseNote(note)!.signatures[1]!.signature.readBigUInt64BE(0), 1679315147n);
  });

  it("derives the published key id of timestamped signatures", () => {
    const publicKey = Buffer.from("BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2", "base64").subarray(1);
    const id = keyId({ name: "remora.n621.de", publicKey }, SIGNATURE_TYPES.timestamped);
    assert.equal(id.toString("hex"), "da77ade7");
  });

  const root = Buffer.alloc(32, 1);
  const at = new Date("2026-11-21T09:08:07.006Z");
  const note = signCheckpoint({ origin: ORIGIN, size: 100, root }, aSigner(), at);

  it("carries the time of signing, to the second, under the same key", () => {
    const read = verifyCheckpoint(note, aSigner());
    const signedAt = new Date("2026-11-21T09:08:07.000Z");
    assert.deepEqual(read, { outcome: "verified", checkpoint: { origin: ORIGIN, size: 100, root }, signedAt });
  });

  it("is rejected after any change of any character", () => {
    fc.assert(
      fc.property(fc.nat(note.length - 1), fc.integer({ min: 0x20, max: 0x7e }), (i, code) => {
        const changed = note.slice(0, i) + String.fromCharCode(code) + note.slice(i + 1);
        const { outcome } = verifyCheckpoint(changed, aSigner());
        // A timestamped signature that was changed looks like one by an unknown key, or like none: the time is lost,
        // never replaced.
        if (changed === note) assert.equal(outcome, "verified");
        else if (outcome === "verified")
          assert.equal((verifyCheckpoint(changed, aSigner()) as { signedAt: unknown }).signedAt, null);
      }),
    );
  });

  it("rejects a different key, and the same key under a different name", () => {
    const other = noteSigner(ORIGIN, Buffer.alloc(32, 8));
    assert.deepEqual(verifyCheckpoint(note, other), { outcome: "not-signed" });
    assert.deepEqual(verifyCheckpoint(note, aSigner("other.test/log")), { outcome: "not-signed" });
    const [, forged] = note.split("\n\n");
    const moved = signCheckpoint({ origin: ORIGIN, size: 101, root }, aSigner(), at).split("\n\n")[0];
    assert.deepEqual(verifyCheckpoint(`${moved}\n\n${forged}`, aSigner()), { outcome: "wrong-signature" });
  });

  const malformed = [
    "",
    `${ORIGIN}\n1\n`,
    `\n1\n${root.toString("base64")}\n`,
    `${ORIGIN}\n-1\n${root.toString("base64")}\n`,
    `${ORIGIN}\n01\n${root.toString("base64")}\n`,
    `${ORIGIN}\n99999999999999999\n${root.toString("base64")}\n`,
    `${ORIGIN}\n1\nnot base64\n`,
    `${ORIGIN}\n1\n${root.subarray(1).toString("base64")}\n`,
    `${ORIGIN}\n1\n${root.toString("base64")}\n\nafter an empty line\n`,
    `cosignature/v1\n1\n${root.toString("base64")}\n`,
  ];
  it("is malformed in any other form", () => {
    for (const text of malformed) {
      const signed = text.endsWith("\n") ? formatNote({ text, signatures: [signText(text, aSigner())] }) : text;
      assert.deepEqual(verifyCheckpoint(signed, aSigner()), { outcome: "malformed" }, text);
    }
  });

  it("throws for a checkpoint that cannot be written", () => {
    const right = { origin: ORIGIN, size: 1, root };
    for (const over of [
      { origin: "" },
      { origin: "a\nb" },
      { origin: "cosignature/v1" },
      { size: -1 },
      { size: 0.5 },
      { root: root.subarray(1) },
    ]) {
      assert.throws(() => signCheckpoint({ ...right, ...over }, aSigner(), at));
    }
  });
});
