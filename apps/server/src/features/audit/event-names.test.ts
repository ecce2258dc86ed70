// Checks that the event filter of the audit trail matches the events that the product records.
import { EVENTS_WITHOUT_CALL } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const APPS = join(import.meta.dirname, "../../../..");
const NAME = /"([a-z][a-z-]+\.[a-z][a-z-]+)"/g;
/** The event name in a call that builds or records an entry, and the text before it. */
const RECORDED = /\b(?:systemEntry|callEntry|entry|record)\(([^"()]*)"([a-z][a-z-]+\.[a-z][a-z-]+)"/g;

const files = ["server/src", "cli/src"].flatMap((folder) =>
  readdirSync(join(APPS, folder), { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => /(?<!test)\.ts$/.test(name) && !parentPath.includes("testing"))
    .map(({ name, parentPath }) => readFileSync(join(parentPath, name), "utf8")),
);
const found = (pattern: RegExp, group: number): Set<string> =>
  new Set(files.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[group]!)));

test("the Audit Logs filter offers every event that is recorded, and no other", () => {
  const ofCalls = new Set<string>(endpoints.map(({ endpoint }) => endpoint.audit));
  const others = new Set<string>(EVENTS_WITHOUT_CALL);
  const [recorded, mentioned] = [found(RECORDED, 2), found(NAME, 1)];
  assert.ok(recorded.size > 20, String(recorded.size));
  assert.deepEqual(
    [...recorded].filter((name) => !ofCalls.has(name) && !others.has(name)),
    [],
  );
  assert.deepEqual(
    [...others].filter((name) => ofCalls.has(name) || !mentioned.has(name)),
    [],
  );
});
