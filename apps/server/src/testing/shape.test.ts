// Checks the file structure against docs/README.md and the house style.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { describe, test } from "node:test";

const root = join(import.meta.dirname, "../../../..");
const SOURCES = ["packages", "apps", "e2e", "bench", "scripts"];
const MOST_LINES = 400;
const NAMES_THAT_SAY_NOTHING = /(^|[-/.])(utils?|helpers?|common|misc|managers?)([-/.]|$)/;

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)(node_modules|dist)\//.test(path));
}

const sources = SOURCES.flatMap(filesBelow).filter((path) => /\.(ts|tsx|mjs)$/.test(path));
const contentOf = (path: string) => readFileSync(join(root, path), "utf8");

test("every source file starts with a comment on its purpose", () => {
  const own = sources.filter((path) => !path.includes(".test."));
  const without = own.filter((path) => !/^(#!.*\n)?(\/\/ |\/\*\* )\S/.test(contentOf(path)));
  assert.deepEqual(without, []);
});

test(`no source file has more than ${MOST_LINES} lines`, () => {
  const long = sources.filter((path) => contentOf(path).split("\n").length > MOST_LINES + 1);
  assert.deepEqual(long, []);
});

test("file names are kebab-case and specific", () => {
  const names = sources.map(
    (path) => [path, basename(path).replace(/\.(test|bench|config|d)?\.?(tsx?|mjs)$/, "")] as const,
  );
  assert.deepEqual(
    names.filter(([, name]) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?$/.test(name)).map(([path]) => path),
    [],
  );
  assert.deepEqual(
    sources.filter((path) => NAMES_THAT_SAY_NOTHING.test(path)),
    [],
  );
});

describe("a feature of the server", () => {
  const folder = "apps/server/src/features";
  const KINDS = /^([a-z0-9-]+)(\.(routes|policy|store|jobs))?(\.test)?\.ts$/;
  const features = readdirSync(join(root, folder), { withFileTypes: true });

  test("has an index, only the known kinds of files, and at most one level of folders", () => {
    for (const feature of features) {
      assert.ok(feature.isDirectory(), `${feature.name} is not a folder`);
      const entries = readdirSync(join(root, folder, feature.name), { withFileTypes: true });
      const files = entries
        .filter((entry) => entry.name !== "testing")
        .flatMap((entry) =>
          entry.isDirectory() ? readdirSync(join(root, folder, feature.name, entry.name)) : [entry.name],
        );
      assert.ok(files.includes("index.ts"), `${feature.name} has no index.ts`);
      assert.deepEqual(
        files.filter((file) => !KINDS.test(file)),
        [],
        feature.name,
      );
    }
  });

  test("binds endpoints only through the kernel", () => {
    const own = sources.filter((path) => path.startsWith(folder) && !path.endsWith(".test.ts"));
    const around = own.filter((path) => /\bhttp\.(get|post|put|patch|delete|route)\(/.test(contentOf(path)));
    assert.deepEqual(around, []);
  });

  test("takes the time from the clock argument only", () => {
    const own = sources.filter((path) => path.startsWith(folder) && !/\.test\.ts$|\/testing\//.test(path));
    assert.deepEqual(
      own.filter((path) => /\bDate\.now\(\)|new Date\(\)/.test(contentOf(path))),
      [],
    );
  });
});

test("the contract imports zod and itself only, keys and auditlog import Node and themselves only", () => {
  const allowed: Record<string, RegExp> = {
    "packages/contract/src": /^(zod|\.\/)/,
    "packages/keys/src": /^(node:|\.\/)/,
    "packages/auditlog/src": /^(node:|\.\/)/,
  };
  for (const [folder, pattern] of Object.entries(allowed)) {
    for (const path of sources.filter((each) => each.startsWith(folder) && !each.endsWith(".test.ts"))) {
      const imports = [...contentOf(path).matchAll(/^(?:import|export)[^"]*?from "([^"]+)"/gm)].map(
        (match) => match[1]!,
      );
      assert.deepEqual(
        imports.filter((each) => !pattern.test(each)),
        [],
        path,
      );
    }
  }
});

test("no committed file contains a registry's address", () => {
  const lock = contentOf("package-lock.json");
  assert.ok(!/"resolved": "https?:/.test(lock));
});
