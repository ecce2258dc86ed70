import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { strongroom } from "../testing/strongroom.ts";
import { commands } from "./commands.ts";

test("help lists every command, and those of a group on request", async () => {
  const { status, stdout } = await strongroom(["help"]);
  assert.equal(status, 0);
  for (const [name, { takes, summary }] of Object.entries(commands)) {
    assert.ok(stdout.includes(`\n  ${`${name} ${takes}`.trimEnd()}\n      ${summary}\n`), name);
  }
  const audit = await strongroom(["audit", "--help"]);
  assert.match(audit.stdout, /audit verify/);
  assert.doesNotMatch(audit.stdout, /user add/);
});

test("exits with 2 without a command or with an unknown one", async () => {
  assert.equal((await strongroom([])).status, 2);
  const unknown = await strongroom(["start"]);
  assert.deepEqual([unknown.status, unknown.stdout], [2, ""]);
  assert.match(unknown.stderr, /unknown command "start"/);
  assert.equal((await strongroom(["constructor"])).status, 2);
});

test("every listed command can be loaded, and every command file is listed", async () => {
  for (const { load } of Object.values(commands)) assert.equal(typeof (await load()).run, "function");
  const listed = readFileSync(join(import.meta.dirname, "commands.ts"), "utf8");
  const files = readdirSync(join(import.meta.dirname, "commands")).filter((file) => !file.endsWith(".test.ts"));
  for (const file of files) assert.ok(listed.includes(`./commands/${file}`), file);
});
