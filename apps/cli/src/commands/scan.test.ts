// `strongroom scan`: exit codes, outputs, coverage, baselines and staged files; values never appear.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { strongroom } from "../../testing/strongroom.ts";

const SECRET = "Tr0ub4dor-und-3";
const folder = mkdtempSync(join(tmpdir(), "strongroom-scan-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function tree(name: string, files: Record<string, string | Buffer>): string {
  const root = join(folder, name);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

test("a clean tree exits with 0, findings with 1, a missing path with 2", async () => {
  const clean = tree("clean", { "a.conf": "port=1\n" });
  const dirty = tree("dirty", { "a.conf": `password=${SECRET}\n` });
  assert.equal((await strongroom(["scan", clean])).status, 0);
  assert.equal((await strongroom(["scan", dirty])).status, 1);
  assert.equal((await strongroom(["scan", join(folder, "nothing")])).status, 2);
  assert.equal((await strongroom(["scan"])).status, 2);
  assert.equal((await strongroom(["scan", dirty, "--fail-on", "critical"])).status, 0);
  assert.equal((await strongroom(["scan", dirty, "--fail-on", "terrible"])).status, 2);
});

test("--json prints one object per line without the value", async () => {
  const root = tree("json", { "b/a.env": `A=1\nDB_PASSWORD=${SECRET}\n`, "b/c.ini": `password = ${SECRET}\n` });
  const { stdout, stderr } = await strongroom(["scan", "--json", root]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, 2);
  assert.equal(lines[0].path, join(root, "b/a.env"));
  assert.deepEqual([lines[0].line, lines[0].end, lines[0].class, lines[0].severity], [2, 2, "password", "high"]);
  assert.equal(lines[0].fingerprint, lines[1].fingerprint);
  assert.ok(!`${stdout}${stderr}`.includes(SECRET) && !`${stdout}${stderr}`.includes(SECRET.slice(2)));
});

test("fingerprints repeat under the same STRONGROOM_SCAN_KEY only", async () => {
  const root = tree("key", { "a.env": `DB_PASSWORD=${SECRET}\n` });
  const print = async (key?: string) => {
    const { stdout } = await strongroom(
      ["scan", "--json", root],
      key === undefined ? {} : { env: { STRONGROOM_SCAN_KEY: key } },
    );
    return JSON.parse(stdout).fingerprint as string;
  };
  assert.equal(await print("one"), await print("one"));
  assert.notEqual(await print("one"), await print("two"));
  assert.notEqual(await print(), await print());
});

test("--sarif prints a log of version 2.1.0", async () => {
  const root = tree("sarif", { "a b.env": `DB_PASSWORD=${SECRET}\n` });
  const { stdout } = await strongroom(["scan", "--sarif", root]);
  const log = JSON.parse(stdout);
  const [result] = log.runs[0].results;
  assert.equal(log.version, "2.1.0");
  assert.equal(log.runs[0].tool.driver.rules[result.ruleIndex].id, result.ruleId);
  assert.match(result.locations[0].physicalLocation.artifactLocation.uri, /a%20b\.env$/);
  assert.ok(!stdout.includes(SECRET));
});

test("loops of links end, binary files are skipped, and large or unreadable files count as not scanned", async () => {
  const root = tree("odd", {
    "x.bin": Buffer.from(`\0\0password=${SECRET}`),
    "big.conf": `password=${SECRET}\n${"#".repeat(2000)}`,
  });
  symlinkSync(root, join(root, "loop"));
  symlinkSync(join(root, "missing"), join(root, "dangling"));
  const { status, stderr } = await strongroom(["scan", root, "--max-size", "1000"]);
  assert.equal(status, 0);
  assert.match(stderr, /Not scanned: 1 path \(too large\)/);
  assert.equal((await strongroom(["scan", root, "--max-size", "1000", "--strict"])).status, 2);
});

test("reads only the settings of a .git folder", async () => {
  const url = `[remote "origin"]\n\turl = https://bot:${SECRET}@git.example.net/x\n`;
  const root = tree("git", { ".git/config": url, ".git/objects/aa/bb": `password=${SECRET}\n`, "a.txt": "hello\n" });
  const { stdout } = await strongroom(["scan", "--json", root]);
  assert.deepEqual(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).path),
    [join(root, ".git/config")],
  );
});

test("--exclude leaves files and folders out", async () => {
  const root = tree("exclude", {
    "node_modules/a.env": `PASSWORD=${SECRET}\n`,
    "b.min.js": `var password="${SECRET}"\n`,
    "c.env": "A=1\n",
  });
  assert.equal((await strongroom(["scan", root, "--exclude", "node_modules", "--exclude", "*.min.js"])).status, 0);
});

test("a baseline accepts old findings, even on other lines, and reports new values", async () => {
  const root = tree("baseline", { "a.env": `DB_PASSWORD=${SECRET}\n` });
  const baseline = join(folder, "baseline.json");
  await strongroom(["scan", root, "--baseline", baseline, "--update-baseline"]);
  assert.equal((await strongroom(["scan", root, "--baseline", baseline])).status, 0);
  tree("baseline", { "a.env": `# moved\n\nDB_PASSWORD=${SECRET}\n` });
  assert.equal((await strongroom(["scan", root, "--baseline", baseline])).status, 0);
  tree("baseline", { "a.env": `DB_PASSWORD=An0ther-value-7\n` });
  assert.equal((await strongroom(["scan", root, "--baseline", baseline])).status, 1);
  assert.equal((await strongroom(["scan", root, "--baseline", join(root, "a.env")])).status, 2);
});

test("--staged reads the index and reports only lines that the commit changes", async () => {
  const root = tree("staged", { "old.env": `DB_PASSWORD=${SECRET}\nA=1\n`, "sub/x.txt": "x\n" });
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], {
      stdio: "pipe",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  writeFileSync(join(root, "old.env"), `DB_PASSWORD=${SECRET}\nA=2\n`);
  git("add", ".");
  const staged = async () => await strongroom(["scan", "--staged", "--json", root], { cwd: root });
  assert.equal((await staged()).status, 0);
  writeFileSync(join(root, "new.env"), `API_TOKEN=Zx81qPw09LkTr55vBnM2\n`);
  assert.equal((await staged()).status, 0);
  git("add", ".");
  const { status, stdout } = await staged();
  assert.equal(status, 1);
  assert.equal(JSON.parse(stdout).path, "new.env");
});
