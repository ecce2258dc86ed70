// Tests of Git repositories on a real Git server (git http-backend) over HTTPS.
import { Secret } from "@strongroom/keys";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeAuthority, makeSelfSigned, opensslAvailable, type Authority } from "../../testing/certificates.ts";
import { aContext, aFileSearch, aTarget } from "../../testing/factories.ts";
import { withoutLeak } from "../../testing/leak-watch.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { gitAvailable, startGitServer, type GitServer } from "../../testing/targets/git-server.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { FileSearch, FileVersion } from "../file-search.ts";
import { networkPolicy } from "../network-policy.ts";
import { git } from "./git.ts";

const AVAILABLE = needs(gitAvailable(), opensslAvailable());

const at = ({ host, port }: { host: string; port: number }, ca: string | undefined, more: object = {}) => ({
  type: "application",
  host,
  port,
  username: "reader",
  additionalParams: { protocol: "git", repositories: "team/app.git", ...(ca === undefined ? {} : { ca }), ...more },
});

async function rows(): Promise<Rows> {
  const authority = await makeAuthority();
  const server = await startGitServer(await authority.issue(["127.0.0.1"]));
  const selfSigned = await startGitServer(await makeSelfSigned(["127.0.0.1"]));
  server.addRepository("team/app.git");
  const { password: secret } = server.login;
  const target = at(server, authority.certificate);
  return {
    good: { target, secret, expect: VERIFIED },
    wrong: { target, secret: `x${secret}`, expect: WRONG_PASSWORD },
    locked: {
      target,
      secret: `${secret}x`,
      expect: WRONG_PASSWORD,
      note: "Git servers do not tell blocked logins apart",
    },
    expired: {
      target,
      secret: `${secret}x`,
      expect: WRONG_PASSWORD,
      note: "Git servers do not tell expired tokens apart",
    },
    encryption: [
      {
        name: "unknown issuer",
        target: at(server, undefined),
        secret,
        expect: { outcome: "misconfigured", code: "tls-failure", reason: "unknown-issuer" },
      },
      {
        name: "self-signed",
        target: at(selfSigned, authority.certificate),
        secret,
        expect: { outcome: "misconfigured", code: "tls-failure", reason: "self-signed" },
      },
      {
        name: "other name",
        target: at(server, authority.certificate, { servername: "git.example" }),
        secret,
        expect: { outcome: "misconfigured", code: "tls-failure", reason: "name-mismatch" },
      },
      {
        name: "no encryption",
        target: at(server, authority.certificate, { sslmode: "disable" }),
        secret,
        expect: { outcome: "misconfigured", code: "bad-input" },
      },
    ],
    elsewhere: (host, port) => at({ host, port }, authority.certificate),
    stop: async () => {
      await Promise.all([server.stop(), selfSigned.stop()]);
    },
  };
}

connectorSuite({ connector: git, needs: AVAILABLE, start: rows });

const EVERYTHING = aFileSearch({ roots: ["git:"] });

describe("Git: reading repositories", AVAILABLE, () => {
  let authority: Authority;
  let server: GitServer;
  before(async () => {
    authority = await makeAuthority();
    server = await startGitServer(await authority.issue(["127.0.0.1", "localhost"]));
  });
  after(() => server?.stop());

  const aRepository = (options?: { isPublic: boolean }) => {
    const path = `team/${randomBytes(4).toString("hex")}.git`;
    return { path, ...server.addRepository(path, options) };
  };

  async function attempt(repositories: string, search: Partial<FileSearch> = {}, context: object = {}) {
    const read: { path: string; text: string; version: FileVersion; mode: string }[] = [];
    const result = await withoutLeak([server.login.password], () =>
      git.readFiles!(
        aTarget(at(server, authority.certificate, { repositories })),
        Secret.fromText(server.login.password),
        { ...EVERYTHING, ...search },
        {
          choose: async (files) => files,
          read: async ({ path, content, version, mode }) => {
            read.push({ path, text: content.toString(), version: version!, mode });
          },
        },
        aContext(context),
      ),
    );
    return { result, read };
  }
  async function reading(repositories: string, search: Partial<FileSearch> = {}) {
    const { result, read } = await attempt(repositories, search);
    assert.ok(result.outcome === "read", result.message);
    return { ...result, read, texts: read.map(({ path, text }) => [path.slice(path.lastIndexOf(":") + 1), text]) };
  }

  test("reads every version of the files of all branches and tags, the current one first, with the commit of each", async () => {
    const { path, commit, git: run } = aRepository();
    const first = commit({ "cfg/app.env": "A=1", "other.txt": "x", "we ird\nname.env": "W=1" }, "one");
    commit({ "cfg/app.env": "A=2" }, "two");
    run("checkout", "--quiet", "-b", "feature");
    commit({ "cfg/feature.env": "F=1" }, "feature");
    run("tag", "v1");
    commit({ "cfg/feature.env": null }, "no feature");
    run("checkout", "--quiet", "main");
    commit({ "cfg/app.env": "A=1" }, "back to one");
    run("merge", "--quiet", "--no-commit", "--strategy=ours", "feature");
    commit({ "merged.env": "M=1" }, "merge");
    const { read, texts, unreadCount, limit, gone } = await reading(path, {
      names: ["*.env"],
      known: [`git:${path}:cfg/app.env`, `git:${path}:never.env`],
    });
    assert.deepEqual(
      texts.map((each) => each.join(" ")).toSorted(),
      [
        "cfg/app.env A=1",
        "cfg/app.env A=2",
        "cfg/feature.env F=1",
        "merged.env M=1",
        "we ird\nname.env W=1",
      ].toSorted(),
    );
    assert.deepEqual([unreadCount, limit, gone], [0, null, [`git:${path}:never.env`]]);
    const [present, earlier] = read.filter((each) => each.path.endsWith("cfg/app.env")).map(({ version }) => version);
    assert.deepEqual(
      [present!.isCurrent, present!.isLast, earlier!.isCurrent, earlier!.isLast],
      [true, false, false, true],
    );
    assert.notEqual(earlier!.commit, first);
    assert.match(earlier!.author, /^Jane Doe <jane@example\.com>$/);
    const feature = read.find((each) => each.path.endsWith("feature.env"))!;
    assert.deepEqual([feature.version.isCurrent, feature.mode], [false, "640"]);
  });

  test("without history it reads the current files of the default branch, and reports nothing about deleted files", async () => {
    const { path, commit, git: run } = aRepository();
    commit({ "a.env": "A=1", "b.env": "B=1" });
    commit({ "a.env": "A=2", "b.env": null });
    run("checkout", "--quiet", "-b", "feature");
    commit({ "f.env": "F=1" });
    const { texts, gone } = await reading(path, { history: false, known: [`git:${path}:b.env`] });
    assert.deepEqual(texts, [["a.env", "A=2"]]);
    assert.deepEqual(gone, []);
  });

  test("leaves out symbolic links, submodules, large files and excluded ones", async () => {
    const { path, commit, git: run } = aRepository();
    commit({ "a.env": "A=1", "big.env": "b".repeat(5_000), "test/x.env": "X=1" });
    run("update-index", "--add", "--cacheinfo", `120000,${run("hash-object", "-w", "a.env")},link.env`);
    run("update-index", "--add", "--cacheinfo", `160000,${run("rev-parse", "HEAD")},module`);
    run("commit", "--quiet", "--message", "link");
    const { texts } = await reading(path, { maxFileSize: 1_000, excludes: ["*/test/*"] });
    assert.deepEqual(texts, [["a.env", "A=1"]]);
  });

  test("reads several repositories, names those that it may not read, and works for empty ones", async () => {
    const [one, other, empty] = [aRepository(), aRepository(), aRepository()];
    one.commit({ "a.env": "A=1" });
    other.commit({ "b.env": "B=1" });
    const list = `${one.path}, ${other.path}, ${empty.path}, team/none.git`;
    const { texts, unread } = await reading(list);
    assert.deepEqual(texts, [
      ["a.env", "A=1"],
      ["b.env", "B=1"],
    ]);
    assert.deepEqual(unread, ["git:team/none.git"]);
    const { result } = await attempt("team/none.git");
    assert.deepEqual([result.outcome, "code" in result && result.code], ["misconfigured", "unexpected-status"]);
  });

  test("a URL of the entry's own host names a repository, too", async () => {
    const { path, commit } = aRepository();
    commit({ "a.env": "A=1" });
    const { read } = await reading(`https://127.0.0.1:${server.port}/${path}, ${path}`);
    assert.deepEqual(
      read.map((each) => each.path),
      [`git:${path}:a.env`],
    );
    for (const url of [`https://other.example/${path}`, `https://reader:secret@127.0.0.1/${path}`]) {
      const { result } = await attempt(url);
      assert.deepEqual("code" in result && result.code, "bad-input");
    }
  });

  test("reads single files again, in every version", async () => {
    const { path, commit } = aRepository();
    commit({ "a.env": "A=1", "b.env": "B=1" });
    commit({ "a.env": "A=2" });
    const { texts } = await reading(`${path}, team/unrelated.git`, { roots: [`git:${path}:a.env`] });
    assert.deepEqual(texts, [
      ["a.env", "A=2"],
      ["a.env", "A=1"],
    ]);
  });

  test("a file changes its stamp with any of its versions and with who may read it", async () => {
    const { path, commit } = aRepository();
    commit({ "a.env": "A=1", "b.env": "B=1" });
    const stampsOf = async () => {
      const stamps = new Map<string, string>();
      await git.readFiles!(
        aTarget(at(server, authority.certificate, { repositories: path })),
        Secret.fromText(server.login.password),
        EVERYTHING,
        {
          choose: async (files) => {
            for (const file of files) stamps.set(file.path, file.stamp);
            return [];
          },
          read: async () => {},
        },
        aContext(),
      );
      return [...stamps.values()];
    };
    const before = await stampsOf();
    assert.deepEqual(await stampsOf(), before);
    commit({ "a.env": "A=2" });
    const [a, b] = await stampsOf();
    assert.notEqual(a, before[0]);
    assert.equal(b, before[1]);
  });

  test("a public repository is readable by everyone, and proves no login", async () => {
    const { path, commit } = aRepository({ isPublic: true });
    commit({ "a.env": "A=1" });
    const { read } = await reading(path);
    assert.deepEqual(
      read.map(({ mode }) => mode),
      ["644"],
    );
    const target = at(server, authority.certificate, { repositories: path });
    assertResult(await tryOut(git, { target, secret: "anything else" }), {
      outcome: "misconfigured",
      code: "password-not-checked",
    });
  });

  test("a rejected login ends the scan after one try for each repository, and redirects are not followed", async () => {
    const [one, other] = [aRepository(), aRepository()];
    server.requests.length = 0;
    const result = await git.readFiles!(
      aTarget(at(server, authority.certificate, { repositories: `${one.path}, ${other.path}` })),
      Secret.fromText("a wrong password"),
      EVERYTHING,
      { choose: async (files) => files, read: async () => {} },
      aContext(),
    );
    assert.deepEqual([result.outcome, "code" in result && result.code], ["rejected", "wrong-password"]);
    assert.deepEqual(server.requests, [`GET /${one.path}/info/refs 401`]);
    server.answers.set(one.path, 302);
    const redirected = await attempt(one.path);
    server.answers.delete(one.path);
    assert.deepEqual("code" in redirected.result && redirected.result.code, "redirected");
  });

  test("reports the limit at which it stopped", async () => {
    const { path, commit } = aRepository();
    commit({ "a.env": "A=1", "b.env": "B=1", "c.env": "C=1" });
    assert.equal((await reading(path, { maxFiles: 2 })).limit, "files");
    const few = await reading(path, { maxTotalBytes: 8_000 });
    assert.equal(few.limit, null);
    commit({ "random.bin": randomBytes(50_000).toString("base64") });
    const cut = await reading(path, { maxTotalBytes: 8_000 });
    assert.deepEqual([cut.limit, cut.unread, cut.read], ["bytes", [`git:${path}`], []]);
  });

  test("sends nothing to a forbidden address, whatever the settings of this machine say", async () => {
    const { path } = aRepository();
    server.requests.length = 0;
    const { result } = await attempt(path, {}, { network: networkPolicy() });
    assert.deepEqual("code" in result && result.code, "address-forbidden");
    assert.deepEqual(server.requests, []);
  });

  for (const repositories of [
    "",
    "../etc",
    "a/../../b",
    "--upload-pack=x",
    "-x",
    "a b",
    "a;b",
    "a:b",
    "https://x/y",
    "/a",
  ]) {
    test(`refuses the repository "${repositories}"`, async () => {
      const { result } = await attempt(repositories);
      assert.deepEqual("code" in result && result.code, "bad-input");
    });
  }

  test("removes its clones even after a cancellation, and the clones of killed processes", async () => {
    const { path, commit } = aRepository();
    commit({ "a.env": "A=1" });
    // In a container, the process that was killed may have had this process's id.
    const abandoned = ["strongroom-git-999999999-abcdef", `strongroom-git-${process.pid}-killed`];
    for (const name of abandoned) mkdirSync(join(tmpdir(), name), { recursive: true });
    const mine = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`strongroom-git-${process.pid}-`));
    await reading(path);
    assert.deepEqual(mine(), []);
    for (const name of abandoned) assert.ok(!readdirSync(tmpdir()).includes(name), name);
    const abort = new AbortController();
    const running = git.readFiles!(
      aTarget(at(server, authority.certificate, { repositories: path })),
      Secret.fromText(server.login.password),
      EVERYTHING,
      {
        choose: async (files) => {
          abort.abort();
          return files;
        },
        read: async () => {},
      },
      aContext({ signal: abort.signal }),
    );
    assert.equal((await running).outcome, "unreachable");
    for (let tries = 0; mine().length > 0 && tries < 100; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(mine(), []);
  });
});
