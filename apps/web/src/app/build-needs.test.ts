// `npm start` installs what is not for development alone, and builds the web app with that.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const web = join(import.meta.dirname, "../..");

/** Of packages, without what stands after their name. */
const packagesIn = (text: string): string[] =>
  [...text.matchAll(/(?:from|import) "(?!node:|\.|#)((?:@[^/"]+\/)?[^/"]+)/g)].map(([, name]) => name ?? "");

test("what builds the web app is there on a bare clone, without the packages of the tests", () => {
  const { dependencies } = JSON.parse(readFileSync(join(web, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const files = readdirSync(web).filter((name) => /^vite[.-].*\.ts$/.test(name));
  expect(files).toContain("vite.config.ts");
  const needed = files.flatMap((name) => packagesIn(readFileSync(join(web, name), "utf8")));
  expect(needed).toContain("vite");
  expect(needed.filter((name) => !(name in dependencies))).toEqual([]);
});
