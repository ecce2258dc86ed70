// Follows docs/adding-a-feature.md in a copy of the repository: types check, the feature's test and the endpoint test pass.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

const root = join(import.meta.dirname, "..");
const COPIED = ["packages", "apps/server", "tsconfig.base.json", "package.json"];

interface Step {
  kind: "create" | "edit";
  path: string;
  after: string | null;
  replace: string | null;
  text: string;
}

function stepsOf(page: string): Step[] {
  const block = /^```\w+ (create|edit)=(\S+)(?: (after|replace)="(.*)")?\n([\s\S]*?)^```$/gm;
  return [...page.matchAll(block)].map(([, kind, path = "", how, anchor = null, text = ""]) => ({
    kind: kind as Step["kind"],
    path,
    after: how === "after" ? anchor : null,
    replace: how === "replace" ? anchor : null,
    text,
  }));
}

function follow(folder: string, step: Step): void {
  const file = join(folder, step.path);
  if (step.kind === "create") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, step.text);
    return;
  }
  const before = readFileSync(file, "utf8");
  const anchor = `${step.after ?? step.replace}\n`;
  assert.equal(before.split(anchor).length, 2, `${step.path} has the line ${anchor} exactly once`);
  writeFileSync(
    file,
    before.replace(anchor, () => (step.after === null ? step.text : anchor + step.text)),
  );
}

let copy: string;

before(() => {
  copy = mkdtempSync(join(tmpdir(), "strongroom-feature-"));
  const wanted = (path: string) => !path.includes("node_modules") && !/\/dist(\/|$)/.test(path);
  for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true, filter: wanted });
  mkdirSync(join(copy, "node_modules/@strongroom"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "@strongroom") symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  }
  for (const name of readdirSync(join(copy, "packages"))) {
    symlinkSync(join(copy, "packages", name), join(copy, "node_modules/@strongroom", name));
  }
  for (const step of stepsOf(readFileSync(join(root, "docs/adding-a-feature.md"), "utf8"))) follow(copy, step);
});
after(() => rmSync(copy, { recursive: true, force: true }));

function run(command: string, args: string[]): void {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const result = spawnSync(command, args, { cwd: copy, encoding: "utf8", env });
  assert.equal(result.status, 0, `${result.stdout}\n${result.stderr}`);
}

test("adding-a-feature.md contains steps", () => {
  assert.ok(stepsOf(readFileSync(join(root, "docs/adding-a-feature.md"), "utf8")).length >= 12);
});

test("the result of the steps type-checks", () => {
  run(join(root, "node_modules/.bin/tsc"), ["-p", "apps/server"]);
});

test("the result of the steps passes the feature's test and the test of every endpoint", () => {
  run(process.execPath, [
    "--test",
    "apps/server/src/features/reminders/reminders.test.ts",
    "apps/server/src/testing/every-endpoint.test.ts",
  ]);
});
