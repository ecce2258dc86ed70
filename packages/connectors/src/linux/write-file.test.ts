// Tests that writing a file as root writes no other file, whatever the owner of its folder does, and leaves nothing half-written.
import { Secret } from "@strongroom/keys";
import assert from "node:assert/strict";
import { chownSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { aContext, aTarget, needs, startSshd, unixUsersAvailable } from "../../testing/index.ts";
import type { Sshd } from "../../testing/index.ts";
import { writeFile } from "./write-file.ts";

describe("writing a file", needs(unixUsersAvailable()), () => {
  let sshd: Sshd;
  let user: Awaited<ReturnType<Sshd["addUser"]>>;
  let count = 0;
  before(async () => {
    sshd = await startSshd();
    user = await sshd.addUser("active", { hasHome: true });
  });
  after(() => sshd.stop());

  function aFolder() {
    const folder = join(user.home, `case-${++count}`);
    mkdirSync(folder);
    const { uid, gid } = statSync(user.home);
    chownSync(folder, uid, gid);
    return folder;
  }

  const write = (path: string, content: string, mode = "640") => {
    const target = aTarget({ type: "server", host: sshd.host, port: sshd.port, username: user.username });
    return writeFile(target, Secret.fromText(user.password), { path, mode, content, reloadUnit: null }, aContext());
  };

  test("replaces the file with its mode, and leaves no other file", async () => {
    const folder = aFolder();
    const path = join(folder, "db password.txt");
    writeFileSync(path, "old", { mode: 0o600 });
    const { uid, gid } = statSync(user.home);
    chownSync(path, uid, gid);
    const { outcome } = await write(path, "a new password\n");
    assert.equal(outcome, "changed");
    assert.equal(readFileSync(path, "utf8"), "a new password\n");
    assert.equal(statSync(path).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(folder), ["db password.txt"]);
  });

  test("writes through no link that was planted beside the file", async () => {
    const folder = aFolder();
    const readable = join(folder, "readable");
    writeFileSync(readable, "", { mode: 0o666 });
    const { uid, gid } = statSync(user.home);
    chownSync(readable, uid, gid);
    symlinkSync(readable, join(folder, "app.pw.strongroom"));
    const { outcome } = await write(join(folder, "app.pw"), "a secret");
    assert.equal(outcome, "changed");
    assert.equal(readFileSync(readable, "utf8"), "");
  });

  test("replaces a link, not the file to which it leads", async () => {
    const folder = aFolder();
    const other = join(folder, "other");
    writeFileSync(other, "precious");
    symlinkSync(other, join(folder, "app.pw"));
    const { outcome } = await write(join(folder, "app.pw"), "a secret");
    assert.equal(outcome, "changed");
    assert.equal(readFileSync(other, "utf8"), "precious");
    assert.equal(readFileSync(join(folder, "app.pw"), "utf8"), "a secret");
  });

  test("puts nothing into a folder with the name of the file", async () => {
    const folder = aFolder();
    mkdirSync(join(folder, "app.pw"));
    const { outcome } = await write(join(folder, "app.pw"), "a secret");
    assert.notEqual(outcome, "changed");
    assert.deepEqual(readdirSync(folder), ["app.pw"]);
    assert.deepEqual(readdirSync(join(folder, "app.pw")), []);
  });
});
