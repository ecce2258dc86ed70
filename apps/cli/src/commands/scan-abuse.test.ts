// Tests that files, names, repositories and baselines of others neither hide secrets from `strongroom scan` nor harm its user.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { strongroom } from "../../testing/strongroom.ts";

const SECRET = "Tr0ub4dor-und-3";
const folder = mkdtempSync(join(tmpdir(), "strongroom-scan-abuse-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function aFolder(): string {
  count += 1;
  const path = join(folder, String(count));
  mkdirSync(path);
  return path;
}
const linesOf = (stdout: string): { path: string; line: number }[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe("files", () => {
  test("a name that is not UTF-8 hides no secret", async () => {
    const root = aFolder();
    writeFileSync(
      Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xff]), Buffer.from(".env")]),
      `PASSWORD=${SECRET}\n`,
    );
    const { status, stdout } = await strongroom(["scan", "--json", root]);
    assert.equal(status, 1);
    assert.deepEqual(
      linesOf(stdout).map(({ path }) => path),
      [join(root, "a\uFFFD.env")],
    );
  });

  test("an endless file is read up to the limit", { skip: !existsSync("/proc/self/pagemap") }, async () => {
    const { status, stderr } = await strongroom(["scan", "--strict", "--max-size", "99999", "/proc/self/pagemap"]);
    assert.deepEqual([status, /Not scanned: 1 path \(too large\)/.test(stderr)], [2, true], stderr);
  });

  test("kernel interfaces are left out under a relative path too", { skip: !existsSync("/proc/self") }, async () => {
    const { status, stderr } = await strongroom(["scan", "."], { cwd: "/proc" });
    assert.deepEqual([status, stderr], [0, "0 findings in 0 text files.\n"]);
  });

  test("pipes and sockets in a folder do not stop the scan", async () => {
    const root = aFolder();
    execFileSync("mkfifo", [join(root, "a.env")]);
    writeFileSync(join(root, "b.env"), `PASSWORD=${SECRET}\n`);
    const { status, stdout } = await strongroom(["scan", "--json", root]);
    assert.deepEqual([status, linesOf(stdout).length], [1, 1]);
  });

  for (const form of ["--json", "--sarif", "--strict"])
    test(`names cannot send control sequences to a terminal with ${form}`, async () => {
      const root = aFolder();
      const path = join(root, "\u001B[2J\u009B2J\u202E\nx.env");
      writeFileSync(path, `PASSWORD=${SECRET}\n`);
      const { status, stdout, stderr } = await strongroom(["scan", form, root]);
      assert.equal(status, 1);
      assert.doesNotMatch(`${stdout}${stderr}`.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
      if (form === "--json") assert.equal(linesOf(stdout)[0]!.path, path);
    });
});

describe("baselines", () => {
  test("an endless or blocking baseline is refused", async () => {
    const root = aFolder();
    symlinkSync("/dev/zero", join(root, "endless.json"));
    execFileSync("mkfifo", [join(root, "pipe.json")]);
    for (const name of ["endless.json", "pipe.json"]) {
      const { status, stderr } = await strongroom(["scan", root, "--baseline", join(root, name)]);
      assert.deepEqual([status, /is not a baseline/.test(stderr)], [2, true], stderr);
    }
  });
});

describe("repositories", () => {
  function aRepository(files: Record<string, string>) {
    const root = aFolder();
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", root, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], {
        stdio: "pipe",
      }).toString();
    git("init", "-q");
    const write = (more: Record<string, string>) => {
      for (const [name, content] of Object.entries(more)) writeFileSync(join(root, name), content);
      git("--literal-pathspecs", "add", "--", ...Object.keys(more));
    };
    write({ "README.md": "x\n", ...files });
    git("commit", "-qm", "first");
    const staged = async () => {
      const { status, stdout, stderr } = await strongroom(["scan", "--staged", "--json", "."], { cwd: root });
      return { status, stderr, found: linesOf(stdout).map(({ path }) => path) };
    };
    return { root, git, write, staged };
  }

  for (const attribute of ["-diff", "binary", "diff=hidden"])
    test(`the attribute ${attribute} hides no secret`, async () => {
      const { git, write, staged } = aRepository({ ".gitattributes": `*.env ${attribute}\n`, "a.env": "A=1\n" });
      git("config", "diff.hidden.textconv", "true");
      write({ "a.env": `A=1\nDB_PASSWORD=${SECRET}\n` });
      assert.deepEqual((await staged()).found, ["a.env"]);
    });

  test("settings of the repository run no program", async () => {
    const { root, git, write, staged } = aRepository({
      ".gitattributes": "*.env diff=run filter=run\n",
      "a.env": "A=1\n",
    });
    write({ "a.env": `A=1\nDB_PASSWORD=${SECRET}\n` });
    const touch = `touch ${join(root, "ran")} #`;
    for (const name of ["diff.run.textconv", "diff.run.command", "diff.external", "core.fsmonitor", "core.pager"])
      git("config", name, touch);
    assert.deepEqual((await staged()).found, ["a.env"]);
    assert.equal(existsSync(join(root, "ran")), false);
  });

  for (const name of [":(exclude)x.env", "1:x.env", "*.env", ":!x.env"])
    test(`the name ${name} hides no secret`, async () => {
      const { write, staged } = aRepository({ [name]: "A=1\n" });
      write({ [name]: `A=1\nDB_PASSWORD=${SECRET}\n` });
      assert.deepEqual((await staged()).found, [name]);
    });

  test("a staged submodule does not prevent the scan", async () => {
    const { git, write, staged } = aRepository({});
    git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},module`);
    write({ "a.env": `DB_PASSWORD=${SECRET}\n` });
    const { status, stderr, found } = await staged();
    assert.deepEqual([status, found], [1, ["a.env"]], stderr);
  });

  test("a private key whose first and last line did not change is reported", async () => {
    const key = () => generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const { write, staged } = aRepository({ "id.pem": key() });
    write({ "id.pem": key() });
    assert.deepEqual((await staged()).found, ["id.pem"]);
  });

  test("carriage returns within a line hide no later line", async () => {
    const { write, staged } = aRepository({ "a.env": "A=1\rB=2\rC=3\n" });
    write({ "a.env": `A=1\rB=2\rC=3\nDB_PASSWORD=${SECRET}\n` });
    assert.deepEqual((await staged()).found, ["a.env"]);
  });
});
