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

test("a seal record is the same after a JSON round trip", () => {
  for (const record of [keyFile, passphrase]) {
    assert.deepEqual(parseSealRecord(JSON.parse(JSON.stringify(record))), record);
  }
});

test("a record of a later version is reported as such", () => {
  assert.throws(() => parseSealRecord({ ...keyFile, version: 2 }), { code: "seal-record.unknown-version" });
});

test("a record with a missing or wrong field is malformed", () => {
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

test("a value that is not a record is rejected", () => {
  fc.assert(fc.property(fc.anything(), (value) => assert.throws(() => parseSealRecord(value), SealError)));
});
