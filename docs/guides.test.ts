// Follows docs/adding-a-feature.md and docs/adding-a-field.md in a copy of the repository: types check, and the tests of the new feature, the
// new field, all details of accounts and all endpoints pass.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

const root = join(import.meta.dirname, "..");
const COPIED = ["packages", "apps/server", "apps/web", "tsconfig.base.json", "package.json"];
const GUIDES = ["docs/adding-a-feature.md", "docs/adding-a-field.md"];
/** The goal for one field, with its test. */
const MOST_FILES_OF_A_FIELD = 8;

interface Step {
  kind: "create" | "edit";
  path: string;
  after: string | null;
  replace: string | null;
  text: string;
}

function stepsOf(guide: string): Step[] {
  const page = readFileSync(join(root, guide), "utf8");
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
  symlinkSync(join(root, "apps/web/node_modules"), join(copy, "apps/web/node_modules"));
  for (const step of GUIDES.flatMap(stepsOf)) follow(copy, step);
});
after(() => rmSync(copy, { recursive: true, force: true }));

function run(command: string, args: string[]): void {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const result = spawnSync(command, args, { cwd: copy, encoding: "utf8", env });
  assert.equal(result.status, 0, `${result.stdout}\n${result.stderr}`);
}

test("adding-a-feature.md contains steps", () => {
  assert.ok(stepsOf("docs/adding-a-feature.md").length >= 12);
});

test(`adding a field takes at most ${MOST_FILES_OF_A_FIELD} files`, () => {
  const files = new Set(stepsOf("docs/adding-a-field.md").map(({ path }) => path));
  assert.ok(files.size >= 3 && files.size <= MOST_FILES_OF_A_FIELD, [...files].join(", "));
});

for (const project of ["apps/server", "apps/web"]) {
  test(`the result of the steps type-checks in ${project}`, { timeout: 900_000 }, () => {
    run(join(root, "node_modules/.bin/tsc"), ["-p", project]);
  });
}

test(
  "the result of the steps passes the tests of the feature, the field and every endpoint",
  { timeout: 900_000 },
  () => {
    const accounts = "apps/server/src/features/accounts";
    run(process.execPath, [
      "--test",
      "apps/server/src/features/reminders/reminders.test.ts",
      `${accounts}/search/cost-centre.test.ts`,
      `${accounts}/crud/account-details.test.ts`,
      "apps/server/src/testing/every-endpoint.test.ts",
    ]);
  },
);
