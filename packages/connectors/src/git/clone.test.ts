// Tests of how failures of the git program are interpreted.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { needs } from "../../testing/targets/availability.ts";
import { gitAvailable } from "../../testing/targets/git-server.ts";
import { fetchFailure } from "./clone.ts";
import { listVersions } from "./history.ts";
import { runGit } from "./run-git.ts";

test("a failed fetch is reported with its cause: a timeout, a full disk, or the server's answer", () => {
  const full = "fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output";
  const codeOf = (text: string, isAborted: boolean) => {
    const failure = fetchFailure("team/app.git", text, isAborted);
    return "code" in failure ? failure.code : null;
  };
  assert.equal(codeOf(full, false), "not-ready");
  assert.equal(codeOf(full, true), "timeout");
  assert.equal(codeOf("fatal: bad object", false), "protocol-error");
});

test(
  "INVARIANT: a damaged clone is not taken for a complete one, whose missing files would be gone",
  needs(gitAvailable()),
  async (t) => {
    const path = mkdtempSync(join(tmpdir(), "strongroom-damaged-"));
    t.after(() => rmSync(path, { recursive: true, force: true }));
    const folder = { path, signal: t.signal, protocol: "http", settings: [] } as const;
    await runGit(folder, ["init", "--quiet", "--bare", path]);
    const wanted = { history: true, paths: null, maxVersions: 100 };
    assert.deepEqual((await listVersions(folder, wanted))?.byPath.size, 0, "an empty repository is complete");
    mkdirSync(join(path, "refs/heads"), { recursive: true });
    writeFileSync(join(path, "refs/heads/main"), `${"1".repeat(40)}\n`);
    assert.equal(await listVersions(folder, wanted), null);
  },
);
