import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { GARBAGE_COLLECTION } from "./garbage-collection.ts";

test("the pinned version of Node knows every option of the garbage collector", () => {
  const { stdout } = spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  for (const flag of GARBAGE_COLLECTION) assert.ok(stdout.includes(`${flag.split("=")[0]} (`), flag);
});
