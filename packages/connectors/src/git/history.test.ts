// Tests that a hostile repository cannot exhaust the machine's memory with its trees.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { needs } from "../../testing/targets/availability.ts";
import { gitAvailable } from "../../testing/targets/git-server.ts";
import { HEAD, listVersions } from "./history.ts";

describe("the trees of a hostile repository", needs(gitAvailable()), () => {
  const path = mkdtempSync(join(tmpdir(), "strongroom-history-"));
  after(() => rmSync(path, { recursive: true }));
  const folder = { path, signal: new AbortController().signal, protocol: "git" as const, settings: [] };
  const git = (args: string[], input = "") =>
    execFileSync("git", ["-C", path, ...args], {
      input,
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: "x",
        GIT_AUTHOR_EMAIL: "x",
        GIT_COMMITTER_NAME: "x",
        GIT_COMMITTER_EMAIL: "x",
      },
      maxBuffer: Infinity,
    })
      .toString()
      .trim();
  git(["init", "--quiet", "--bare", "."]);

  /** Makes the tree the default branch. */
  function setHead(tree: string): void {
    const commit = git(["commit-tree", tree, "-m", "x"]);
    git(["update-ref", HEAD, commit]);
    git(["update-ref", "refs/heads/main", commit]);
  }
  const treeOf = (entries: readonly string[]) => git(["mktree"], entries.map((entry) => `${entry}\n`).join(""));
  const blob = git(["hash-object", "-w", "--stdin"], "password = x\n");
  const listed = (history: boolean) => listVersions(folder, { history, paths: null, maxVersions: 100_000 });

  for (const history of [false, true]) {
    test(`very long names are listed in part (${history ? "all versions" : "present files"})`, async () => {
      const files = treeOf(Array.from({ length: 300 }, (_, at) => `100644 blob ${blob}\tfile-${at}`));
      setHead(treeOf([`040000 tree ${files}\t${"n".repeat(1_000_000)}`]));
      const versions = await listed(history);
      assert.ok(versions !== null);
      assert.equal(versions.isCut, true);
      const kept = (paths: Iterable<string>) => [...paths].reduce((sum, { length }) => sum + length, 0);
      assert.ok(kept(versions.byPath.keys()) < 70_000_000);
      assert.ok(kept(versions.current.keys()) < 70_000_000);
    });
  }

  test("a tree that contains itself many times is not read", async () => {
    let tree = treeOf(Array.from({ length: 10 }, (_, at) => `100644 blob ${blob}\tf${at}`));
    // 10 to the power of 7 files.
    for (let depth = 0; depth < 6; depth += 1)
      tree = treeOf(Array.from({ length: 10 }, (_, at) => `040000 tree ${tree}\td${at}`));
    setHead(tree);
    assert.equal(await listed(false), null);
  });
});
