import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { SealError } from "./errors.ts";
import { parseSealRecord, type SealRecord } from "./seal-record.ts";

const keyFile: SealRecord = { version: 1, provider: "key-file", rootKeyId: "0123456789abcdef".repeat(2) };
const passphrase: SealRecord = {
  ...keyFile,
  provider: "passphrase",
  parameters: { memory: 262_144, passes: 3, parallelism: 4 },
  salt: Buffer.alloc(16, 1).toString("base64url"),
  check: Buffer.alloc(32, 2).toString("base64url"),
  checksum: Buffer.alloc(32, 3).toString("base64url"),
};

test("a seal record survives being stored as JSON", () => {
  for (const record of [keyFile, passphrase]) {
    assert.deepEqual(parseSealRecord(JSON.parse(JSON.stringify(record))), record);
  }
});

test("a record of a later version is named as such", () => {
  assert.throws(() => parseSealRecord({ ...keyFile, version: 2 }), { code: "seal-record.unknown-version" });
});

test("a record with anything missing or of the wrong shape is malformed", () => {
  for (const record of [keyFile, passphrase]) {
    for (const field of Object.keys(record)) {
      for (const value of [undefined, null, 7, "", "x", [], {}]) {
        assert.throws(
          () => parseSealRecord({ ...record, [field]: value }),
          SealError,
          `${field}: ${JSON.stringify(value)}`,
        );
      }
    }
  }
});

test("anything that is no record is refused, whatever it is", () => {
  fc.assert(fc.property(fc.anything(), (value) => assert.throws(() => parseSealRecord(value), SealError)));
});
