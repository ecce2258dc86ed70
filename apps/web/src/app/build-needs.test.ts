// `npm start` installs only production dependencies, so the build of the web app must not import any other package.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const web = join(import.meta.dirname, "../..");

/** The names of the imported packages, without subpaths. */
const packagesIn = (text: string): string[] =>
  [...text.matchAll(/(?:from|import) "(?!node:|\.|#)((?:@[^/"]+\/)?[^/"]+)/g)].map(([, name]) => name ?? "");

test("the web app builds on a bare clone without the test packages", () => {
  const { dependencies } = JSON.parse(readFileSync(join(web, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const files = readdirSync(web).filter((name) => /^vite[.-].*\.ts$/.test(name));
  expect(files).toContain("vite.config.ts");
  const needed = files.flatMap((name) => packagesIn(readFileSync(join(web, name), "utf8")));
  expect(needed).toContain("vite");
  expect(needed.filter((name) => !(name in dependencies))).toEqual([]);
});
