// What operations.md says of settings and commands is what there is.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commands } from "../apps/cli/src/commands.ts";

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), "utf8");
const page = read("operations.md");

test("every setting of the server is on the page, and no other", () => {
  const config = read("../apps/server/src/kernel/config.ts");
  const known = [...config.matchAll(/^ {2}([A-Z_]+): /gm)]
    .map(([, name]) => name)
    .filter((name) => name !== "NODE_ENV");
  const table = page.slice(page.indexOf("| variable |"), page.indexOf("## A systemd unit"));
  const described = [...table.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = ""]) => cell.match(/[A-Z_]{4,}/g) ?? []);
  assert.ok(known.length > 10);
  assert.deepEqual(described.toSorted(), known.toSorted());
});

test("every command is on the page with its options, and no other", () => {
  for (const [name, { takes }] of Object.entries(commands)) {
    assert.ok(page.includes(`\`${name}`), name);
    for (const [option] of takes.matchAll(/--[a-z-]+/g)) assert.ok(page.includes(option), `${name} ${option}`);
  }
  for (const [, words = ""] of page.matchAll(/npx strongroom ([a-z-]+(?: [a-z-]+)?)/g)) {
    const isKnown = [words, words.split(" ")[0] ?? ""].some((name) => Object.hasOwn(commands, name));
    assert.ok(isKnown, `strongroom ${words}`);
  }
});
