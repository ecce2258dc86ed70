// Checks that operations.md lists the existing settings and commands.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commands } from "../apps/cli/src/commands.ts";

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), "utf8");
const page = read("operations.md");

test("operations.md lists exactly the settings of the server", () => {
  const config = read("../apps/server/src/kernel/config.ts");
  const known = [...config.matchAll(/^ {2}([A-Z_]+): /gm)]
    .map(([, name]) => name)
    .filter((name) => name !== "NODE_ENV");
  const table = page.slice(page.indexOf("| Variable |"), page.indexOf("## A systemd unit"));
  const described = [...table.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = ""]) => cell.match(/[A-Z_]{4,}/g) ?? []);
  assert.ok(known.length > 10);
  assert.deepEqual(described.toSorted(), known.toSorted());
});

test("operations.md lists exactly the commands and their options", () => {
  for (const [name, { takes }] of Object.entries(commands)) {
    assert.ok(page.includes(`\`${name}`), name);
    for (const [option] of takes.matchAll(/--[a-z-]+/g)) assert.ok(page.includes(option), `${name} ${option}`);
  }
  for (const [, words = ""] of page.matchAll(/npx strongroom ([a-z-]+(?: [a-z-]+)?)/g)) {
    const isKnown = [words, words.split(" ")[0] ?? ""].some((name) => Object.hasOwn(commands, name));
    assert.ok(isKnown, `strongroom ${words}`);
  }
});
