// A test is skipped, with the program to install, on a machine that lacks anything the test uses.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { missingProgram } from "./availability.ts";
import { isRoot, temporaryFolder } from "./server-process.ts";
import { sshdAvailable, unixUsersAvailable } from "./sshd.ts";

const usual = process.env["PATH"];
afterEach(() => {
  process.env["PATH"] = usual;
});

/** A PATH on which every program is found except this one. */
function hide(program: string): () => void {
  const folder = temporaryFolder(null);
  const programs = join(folder.path, "bin");
  mkdirSync(programs);
  for (const place of (usual ?? "").split(":")) {
    for (const name of namesIn(place)) {
      if (name === program) continue;
      rmSync(join(programs, name), { force: true });
      symlinkSync(join(place, name), join(programs, name));
    }
  }
  process.env["PATH"] = programs;
  return folder.remove;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

test("names a missing program and its package", () => {
  assert.equal(missingProgram({ node: "nodejs" }), null);
  const show = hide("node");
  assert.equal(missingProgram({ node: "nodejs" }), "there is no node (install nodejs)");
  show();
});

const unavailable = sshdAvailable();
test("tests that use sshd also need ssh-keygen", unavailable === null ? {} : { skip: unavailable }, () => {
  const show = hide("ssh-keygen");
  assert.equal(sshdAvailable(), "there is no ssh-keygen (install openssh-client)");
  show();
});

const users = isRoot ? unixUsersAvailable() : "only root can make Unix accounts";
test("tests that use Unix accounts also need sudo and chage", users === null ? {} : { skip: users }, () => {
  for (const [program, name] of [["sudo", "sudo"], ["chage", "passwd"]] as const) {
    const show = hide(program);
    assert.equal(unixUsersAvailable(), `there is no ${program} (install ${name})`);
    show();
  }
}); // prettier-ignore
