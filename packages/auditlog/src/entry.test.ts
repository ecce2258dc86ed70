import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeEntry, encodeEntry } from "./entry.ts";
import type { AuditEntry } from "./entry.ts";

const entry: AuditEntry = {
  v: 1,
  id: "0f5b6d4e-7a53-4a4e-9f3c-2b1f5c6d7e8f",
  at: "2026-11-21T09:08:07.006Z",
  actor: { id: "3f0e1d8a-0c1b-4e6f-9a53-0d2c5b7f1a11", name: "Ada", role: "admin", session: "s-1" },
  event: "credential.revealed",
  target: { type: "credential", id: "c-1", name: "Köln DB" },
  result: "success",
  reason: "incident 7",
  request: { id: "r-1", ip: "192.0.2.7", agent: "Firefox" },
  details: { kind: "password", attempts: 1 },
};

describe("an audit entry", () => {
  it("has one encoding, whatever the order of its members", () => {
    const bytes = encodeEntry(entry);
    assert.equal(
      bytes.toString("utf8"),
      '{"actor":{"id":"3f0e1d8a-0c1b-4e6f-9a53-0d2c5b7f1a11","name":"Ada","role":"admin","session":"s-1"},' +
        '"at":"2026-11-21T09:08:07.006Z","details":{"attempts":1,"kind":"password"},"event":"credential.revealed",' +
        '"id":"0f5b6d4e-7a53-4a4e-9f3c-2b1f5c6d7e8f","reason":"incident 7",' +
        '"request":{"agent":"Firefox","id":"r-1","ip":"192.0.2.7"},"result":"success",' +
        '"target":{"id":"c-1","name":"Köln DB","type":"credential"},"v":1}',
    );
    const backwards = Object.fromEntries(Object.entries(entry).reverse()) as unknown as AuditEntry;
    assert.deepEqual(encodeEntry(backwards), bytes);
    assert.deepEqual(decodeEntry(bytes), entry);
  });

  it("omits undefined members and members that the type does not define", () => {
    const bare: AuditEntry = {
      v: 1,
      id: entry.id,
      at: entry.at,
      actor: { system: "rotation" },
      event: "rotation.started",
      result: "info",
      target: undefined,
      reason: undefined,
      details: undefined,
    };
    const sloppy = { ...bare, password: "never", actor: { system: "rotation", token: "never" } };
    const expected = {
      actor: { system: "rotation" },
      at: entry.at,
      event: "rotation.started",
      id: entry.id,
      result: "info",
      v: 1,
    };
    assert.deepEqual(encodeEntry(sloppy).toString(), JSON.stringify(expected));
  });

  const refused: Record<string, Partial<Record<keyof AuditEntry, unknown>>> = {
    "another version": { v: 2 },
    "an id that is not a UUID": { id: "41" },
    "a time without milliseconds": { at: "2026-11-21T09:08:07Z" },
    "a time of another zone": { at: "2026-11-21T09:08:07.006+01:00" },
    "an event in a word": { event: "revealed" },
    "an unknown result": { result: "maybe" },
    "an actor that is not text": { actor: { system: 1 } },
    "a target that is not text": { target: { type: "credential", id: 7 } },
    "a detail that JSON cannot hold": { details: { at: new Date(0) } },
    "a detail that is undefined": { details: { reason: undefined } },
  };
  for (const [name, over] of Object.entries(refused)) {
    it(`rejects ${name}`, () => {
      assert.throws(() => encodeEntry({ ...entry, ...over } as AuditEntry), TypeError);
    });
  }

  it("rejects JSON that is not an entry", () => {
    const right = encodeEntry(entry).toString();
    const others = [
      "null",
      "[]",
      '{"v":1}',
      "{",
      ` ${right}`,
      right.replace('"v":1', '"v":1,"x":1'),
      right.replace('"r-1"', "1"),
    ];
    for (const text of others) assert.throws(() => decodeEntry(Buffer.from(text)), TypeError, text);
  });
});
