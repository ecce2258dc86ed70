// Tests of reading files from a real OpenSSH server: list, contents, limits, permissions and the SFTP fallback.
import { Secret } from "@strongroom/keys";
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { aContext, aTarget, needs, startSshd, unixUsersAvailable } from "../../../testing/index.ts";
import type { Sshd } from "../../../testing/index.ts";
import type { FileSearch, ReadFile } from "../../file-search.ts";
import { linux } from "../linux.ts";

const SEARCH: FileSearch = {
  roots: [],
  names: [],
  excludes: [],
  maxFileSize: 1024 * 1024,
  maxTotalBytes: 64 * 1024 * 1024,
  maxFiles: 10_000,
  maxLoadPerCore: null,
  history: false,
  known: [],
};

async function aHost(options: { config?: string[]; sudo?: string } = {}) {
  const sshd = await startSshd(options);
  const { sudo } = options;
  const user = await sshd.addUser("active", { hasHome: true, ...(sudo === undefined ? {} : { sudo }) });
  const write = (name: string, content: string | Buffer, mode = 0o644) => {
    const path = join(user.home, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  async function read(search: Partial<FileSearch> = {}, choose = (paths: ReadFile[]) => paths, timeoutMs = 30_000) {
    const { host, port } = sshd;
    const target = aTarget({ type: "server", host, port, username: user.username });
    using secret = Secret.fromText(user.password);
    const files = new Map<string, ReadFile>();
    const reader = {
      choose: async (list: readonly unknown[]) => choose(list as ReadFile[]),
      read: async (file: ReadFile) => void files.set(file.path, file),
    };
    const wanted = { ...SEARCH, roots: [user.home], ...search };
    const result = await linux.readFiles!(target, secret, wanted, reader, aContext({ timeoutMs }));
    return { result, files };
  }
  return { sshd, user, write, read };
}

type Host = Awaited<ReturnType<typeof aHost>>;

describe("reading files of a real host", needs(unixUsersAvailable()), () => {
  let host: Host;
  let sshd: Sshd;
  before(async () => {
    host = await aHost();
    ({ sshd } = host);
  });
  after(() => sshd.stop());

  test("reads the requested files with their content, owner and mode", async () => {
    const wanted = host.write("a/app.conf", "password = 'x'\n", 0o604);
    const long = host.write(`b/${"long ".repeat(30)}.conf`, "long");
    const quoted = host.write('a/it\'s "odd" $(id).conf', "odd");
    host.write("a/other.txt", "no");
    host.write("skipped/b.conf", "no");
    host.write("a/large.conf", Buffer.alloc(2 * 1024 * 1024));
    const { result, files } = await host.read({ names: ["*.conf"], excludes: [`${host.user.home}/skipped`] });
    assert.ok(result.outcome === "read", result.message);
    assert.deepEqual([...files.keys()].toSorted(), [wanted, long, quoted].toSorted());
    const file = files.get(wanted)!;
    assert.deepEqual([file.content.toString(), file.mode, file.owner], ["password = 'x'\n", "604", "root"]);
    assert.deepEqual([result.way, result.isRoot, result.limit, result.unreadCount], ["tar", false, null, 0]);
    assert.deepEqual(result.facts?.["hostKey"], await sshd.hostKey());
  });

  test("names the files that the login may not read, and those that no longer exist", async () => {
    const hidden = host.write("c/root-only.conf", "x", 0o600);
    const open = host.write("c/open.conf", "y");
    const gone = join(host.user.home, "c/gone.conf");
    const { result, files } = await host.read({ roots: [join(host.user.home, "c")], known: [gone, open, hidden] });
    assert.ok(result.outcome === "read");
    assert.deepEqual([...files.keys()], [open]);
    assert.deepEqual([result.unread, result.unreadCount, result.gone], [[hidden], 1, [gone]]);
  });

  test("reads only the chosen files, within the limits of files and bytes", async () => {
    for (const name of ["1", "2", "3"]) host.write(`d/${name}.conf`, "0123456789");
    const roots = [join(host.user.home, "d")];
    const chosen = await host.read({ roots }, (files) => files.filter(({ path }) => path.endsWith("/2.conf")));
    assert.deepEqual([...chosen.files.keys()], [join(roots[0]!, "2.conf")]);
    const few = await host.read({ roots, maxFiles: 2 });
    assert.deepEqual([few.files.size, few.result.outcome === "read" && few.result.limit], [2, "files"]);
    const small = await host.read({ roots, maxTotalBytes: 25 });
    assert.deepEqual([small.files.size, small.result.outcome === "read" && small.result.limit], [2, "bytes"]);
  });

  test("does not list a host's files again when the reader chooses none", async () => {
    const { result, files } = await host.read({}, () => []);
    assert.deepEqual([files.size, result.outcome], [0, "read"]);
  });

  test("reports a wrong password without reading anything", async () => {
    const { user } = host;
    const before = user.password;
    user.password = "wrong";
    const { result, files } = await host.read();
    user.password = before;
    assert.deepEqual([files.size, result.outcome, "code" in result && result.code], [0, "rejected", "wrong-password"]);
  });
});

describe("reading files as root by a sudo rule", needs(unixUsersAvailable()), () => {
  test("reads files of root when sudo allows find and tar", async () => {
    const host = await aHost({ sudo: "/usr/bin/find, /usr/bin/tar, /bin/tar" });
    try {
      const hidden = host.write("root-only.conf", "x", 0o600);
      const { result, files } = await host.read({ names: ["*.conf"] });
      assert.deepEqual([result.outcome === "read" && result.isRoot, [...files.keys()]], [true, [hidden]]);
    } finally {
      await host.sshd.stop();
    }
  });
});

describe("reading files over SFTP alone", needs(unixUsersAvailable()), () => {
  test("reads the requested files and names the unreadable ones", async () => {
    const host = await aHost({ config: ["ForceCommand internal-sftp"] });
    try {
      const wanted = host.write("a/app.conf", "secret", 0o644);
      const hidden = host.write("a/hidden.conf", "x", 0o600);
      host.write("a/other.txt", "no");
      const gone = join(host.user.home, "gone");
      const { result, files } = await host.read({ names: ["*.conf"], known: [gone, wanted] });
      assert.ok(result.outcome === "read", result.message);
      assert.deepEqual([result.way, result.unread, result.gone], ["sftp", [hidden], [gone]]);
      const file = files.get(wanted)!;
      assert.deepEqual([file.content.toString(), file.mode, file.owner], ["secret", "644", "root"]);
    } finally {
      rmSync(join(host.user.home, "a"), { recursive: true, force: true });
      await host.sshd.stop();
    }
  });
});
