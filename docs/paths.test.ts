// Checks that the links and paths in the documentation exist.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const exclude = ["**/node_modules/**", "**/dist/**", "data/**"];
const pages = globSync(["*.md", "docs/**/*.md", "{apps,packages,bench,e2e}/**/*.md"], { cwd: root, exclude });
const SOURCES = ["*", "{apps,packages,bench,e2e,docs,scripts}/**"];
const known = globSync(SOURCES, { cwd: root, exclude });

/** Code spans that look like a path to a source file or a folder of the repository. */
const FOLDERS = /^(apps|packages|bench|e2e|docs|scripts|kernel|features)\//;
const FILE = /^[\w./-]+\.(ts|tsx|mjs|md|css|sql)$/;
const isPath = (span: string): boolean => /^[\w./-]+$/.test(span) && (FILE.test(span) || FOLDERS.test(span));

/** Documents shorten paths: `engine/advance.ts` names the end of one. */
const exists = (path: string): boolean => {
  const end = path.replace(/^\.\//, "").replace(/\/$/, "");
  return known.some((each) => each === end || each.endsWith(`/${end}`));
};

test("all links between documents lead to files", () => {
  for (const page of pages)
    for (const [, link = ""] of readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g))
      assert.ok(/^[a-z]+:/.test(link) || existsSync(join(root, dirname(page), link)), `${page} links to ${link}`);
});

test("all paths in documents exist", () => {
  const named = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/`([^`\n]+)`/g)]
      .filter(([, span = ""]) => isPath(span))
      .map(([, path = ""]) => ({ page, path })),
  );
  assert.ok(named.length > 300, `only ${named.length} paths found`);
  const missing = named.filter(({ path }) => !exists(path)).map(({ page, path }) => `${page} names ${path}`);
  assert.deepEqual(missing, []);
});

test("docs/README.md lists every folder of packages, apps and the root", () => {
  const map = readFileSync(join(root, "docs/README.md"), "utf8");
  for (const parent of ["packages", "apps"])
    for (const name of globSync(`${parent}/*`, { cwd: root }))
      if (statSync(join(root, name)).isDirectory()) assert.ok(map.includes(name), `docs/README.md names ${name}`);
});
