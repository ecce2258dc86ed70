// Tests of the lines sent for entries that were changed or deleted in the database.
import { encodeEntry, leafHash } from "@strongroom/auditlog";
import { AUDIT_SINK_FORMATS } from "@strongroom/contract";
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemEntry } from "#kernel/audit/entry.ts";
import { lineOf, loggedOf, syslogOf } from "./lines.ts";

const now = new Date("2026-11-21T09:00:00.000Z");
const sender = { hostname: "vault.example.com", version: "1.0.0" };
const recorded = encodeEntry(systemEntry("credential.revealed", "test", { reason: "A recorded reason" }, now));
const changed = encodeEntry(systemEntry("credential.revealed", "test", { reason: "Another reason" }, now));
const hash = leafHash(recorded);

test("an unchanged entry is passed on as recorded", () => {
  const logged = loggedOf({ index: 7, leafHash: hash, canonical: recorded }, now);
  assert.equal(logged.index, 7);
  assert.match(lineOf(logged, "json", sender), /A recorded reason/);
});

test("INVARIANT: a message takes the place of an entry that is missing, changed or invalid", () => {
  const nonsense = Buffer.from("not an entry");
  const cases = [
    { canonical: null, leafHash: hash, says: "Entry 7 is missing from the database." },
    { canonical: changed, leafHash: hash, says: "Entry 7 was changed in the database." },
    { canonical: nonsense, leafHash: hash, says: "Entry 7 was changed in the database." },
    // A change that also replaces the leaf is detected by the tree; unreadable content is never passed on.
    { canonical: nonsense, leafHash: leafHash(nonsense), says: "Entry 7 was changed in the database." },
  ];
  for (const { says, ...stored } of cases) {
    const logged = loggedOf({ index: 7, ...stored }, now);
    assert.equal(logged.entry.event, "audit.tampering-found");
    assert.equal(logged.entry.result, "failure");
    for (const format of AUDIT_SINK_FORMATS) {
      for (const line of [lineOf(logged, format, sender), syslogOf(logged, format, sender)]) {
        assert.ok(line.includes(says) || line.includes(says.replaceAll("=", "\\=")), `${format}: ${line}`);
        assert.doesNotMatch(line, /Another reason|not an entry/);
        assert.doesNotMatch(line, /\n/);
      }
    }
  }
});
