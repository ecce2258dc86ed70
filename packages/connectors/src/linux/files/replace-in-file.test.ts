// Tests that changing a file as root changes no other file, whatever the owner of its folder does.
import { Secret } from "@strongroom/keys";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { aContext, aTarget, needs, startSshd, unixUsersAvailable } from "../../../testing/index.ts";
import type { Sshd } from "../../../testing/index.ts";
import { replaceInFile } from "./replace-in-file.ts";
import type { FileEdit } from "./replace-in-file.ts";

/** The command lines of all processes, as every user can read them. */
function argumentsOfAll(): string[] {
  return readdirSync("/proc")
    .filter((each) => /^\d+$/.test(each))
    .map((each) => {
      try {
        return readFileSync(`/proc/${each}/cmdline`, "utf8");
      } catch {
        return ""; // The process has ended.
      }
    });
}

const PRECIOUS = "root:x:0:0\n";

describe("changing a file in a folder of a hostile user", needs(unixUsersAvailable()), () => {
  let sshd: Sshd;
  let user: Awaited<ReturnType<Sshd["addUser"]>>;
  let owner: number;
  let count = 0;
  before(async () => {
    sshd = await startSshd();
    user = await sshd.addUser("active", { hasHome: true, sudo: "ALL" });
    owner = statSync(user.home).uid;
  });
  after(() => sshd.stop());

  /** A folder of the user with `passwd`, and a folder of root with another `passwd` that nothing may change. */
  function aCase() {
    const folder = join(user.home, `case-${++count}`);
    const precious = join(user.home, `root-${count}`);
    mkdirSync(folder);
    mkdirSync(precious, { mode: 0o700 });
    const path = join(folder, "passwd");
    writeFileSync(path, "password = old\n", { mode: 0o640 });
    chmodSync(path, 0o640);
    for (const each of [folder, path]) chownSync(each, owner, owner);
    writeFileSync(join(precious, "passwd"), PRECIOUS, { mode: 0o600 });
    const change = (edit: FileEdit["edit"] = () => Buffer.from("password = new\n"), more: Partial<FileEdit> = {}) => {
      const target = aTarget({ type: "server", host: sshd.host, port: sshd.port, username: user.username });
      return replaceInFile(target, Secret.fromText(user.password), { path, edit, ...more }, aContext());
    };
    const assertPrecious = () => {
      const file = join(precious, "passwd");
      const { mode, uid } = statSync(file);
      assert.deepEqual([readFileSync(file, "utf8"), mode & 0o777, uid], [PRECIOUS, 0o600, 0]);
    };
    return { folder, path, precious: join(precious, "passwd"), preciousFolder: precious, change, assertPrecious };
  }

  test("keeps the owner and the mode, and the previous content beside it", async () => {
    const { path, change } = aCase();
    writeFileSync(`${path}.strongroom-new`, "left by an interrupted change");
    const result = await change();
    assert.equal(result.outcome, "changed", result.message);
    for (const [file, content] of [
      [path, "password = new\n"],
      [`${path}.strongroom-backup`, "password = old\n"],
    ] as const) {
      const { mode, uid } = statSync(file);
      assert.deepEqual([readFileSync(file, "utf8"), mode & 0o777, uid], [content, 0o640, owner]);
    }
  });

  for (const suffix of ["new", "backup"]) {
    test(`writes through no link in place of the ${suffix} file`, async () => {
      const { path, precious, change, assertPrecious } = aCase();
      symlinkSync(precious, `${path}.strongroom-${suffix}`);
      const result = await change();
      assertPrecious();
      assert.equal(result.outcome, "changed", result.message);
      assert.equal(readFileSync(path, "utf8"), "password = new\n");
    });
  }

  test("shows checksums of the content in no argument", async () => {
    const { path, change } = aCase();
    writeFileSync(path, "password = old\n".repeat(300_000));
    const shown = new Set<string>();
    const listing = setInterval(() => argumentsOfAll().forEach((each) => shown.add(each)), 1);
    const content = Buffer.from("password = new\n".repeat(300_000));
    const result = await change(() => content).finally(() => clearInterval(listing));
    assert.equal(result.outcome, "changed", result.message);
    const scripts = [...shown].filter((each) => each.includes("strongroom-new"));
    assert.ok(scripts.length > 0, "The script was running while the arguments were listed.");
    const sums = [readFileSync(`${path}.strongroom-backup`), content].map((each) =>
      createHash("sha256").update(each).digest("hex"),
    );
    for (const each of shown) for (const sum of sums) assert.ok(!each.includes(sum), each);
  });

  test("changes nothing when the file became a link after it was read", async () => {
    const { path, precious, preciousFolder, change, assertPrecious } = aCase();
    const result = await change(() => {
      rmSync(path);
      symlinkSync(precious, path);
      return Buffer.from("hacker:x:0:0\n");
    });
    assertPrecious();
    assert.equal(result.outcome, "refused", result.message);
    assert.deepEqual(readdirSync(preciousFolder), ["passwd"]);
  });

  test("changes nothing when the folder became a link after the file was read", async () => {
    const { folder, preciousFolder, change, assertPrecious } = aCase();
    const result = await change(() => {
      renameSync(folder, `${folder}-away`);
      symlinkSync(preciousFolder, folder);
      return Buffer.from("hacker:x:0:0\n");
    });
    assertPrecious();
    assert.equal(result.outcome, "refused", result.message);
    assert.deepEqual(readdirSync(preciousFolder), ["passwd"]);
  });
});
