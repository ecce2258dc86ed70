// Tests that reading files limits what a hostile host sends: fakes made with ssh2's own server.
import { Secret } from "@strongroom/keys";
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import ssh2, { type Attributes, type ServerChannel, type SFTPWrapper } from "ssh2";
import { aContext, aFileSearch, aTarget } from "../../../testing/factories.ts";
import type { FileSearch, FoundFile } from "../../file-search.ts";
import { linux } from "../linux.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const hostKey = privateKey.export({ type: "pkcs1", format: "pem" }).toString();

interface Host {
  /** Answers a command; absent: the host runs none. */
  run?: (command: string, channel: ServerChannel) => void;
  sftp?: (sftp: SFTPWrapper) => void;
}

/** Reads the files below `/etc` of the host. */
async function readFrom(t: TestContext, host: Host, search: Partial<FileSearch> = {}, timeoutMs = 20_000) {
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    client.on("error", () => {});
    client.on("authentication", (context) =>
      context.method === "password" ? context.accept() : context.reject(["password"]),
    );
    client.on("session", (accept) => {
      const session = accept();
      session.on("exec", (acceptCommand, reject, { command }) => {
        if (host.run === undefined) reject();
        else
          host.run(
            command,
            acceptCommand().on("error", () => {}),
          );
      });
      session.on("sftp", (acceptSftp) => host.sftp?.(acceptSftp()));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const target = aTarget({ type: "server", host: "127.0.0.1", port, username: "scanner" });
  let listed: readonly FoundFile[] = [];
  const read = new Map<string, string>();
  const reader = {
    choose: async (files: readonly FoundFile[]) => (listed = files),
    read: async ({ path, content }: { path: string; content: Buffer }) => void read.set(path, content.toString()),
  };
  using secret = Secret.fromText("a password");
  const wanted = aFileSearch({ roots: ["/etc"], ...search });
  const result = await linux.readFiles!(target, secret, wanted, reader, aContext({ timeoutMs }));
  return { result, listed, read };
}

const FILE: Attributes = { mode: 0o100_644, uid: 0, gid: 0, size: 10, atime: 1, mtime: 1 };
const [OK, END] = [0, 1];

/** Lists each folder with these packets of names, and reads each file as `content`. */
function anSftp(
  packets: (folder: string, count: number) => string[] | null,
  content: (offset: number) => Buffer | null,
) {
  return (sftp: SFTPWrapper) => {
    let opened = 0;
    const folders = new Map<string, { path: string; count: number }>();
    sftp.on("OPENDIR", (id, path) => {
      opened += 1;
      folders.set(String(opened), { path, count: 0 });
      sftp.handle(id, Buffer.from(String(opened)));
    });
    sftp.on("READDIR", (id, handle) => {
      const folder = folders.get(handle.toString())!;
      const names = packets(folder.path, folder.count);
      folder.count += 1;
      if (names === null) sftp.status(id, END);
      else
        sftp.name(
          id,
          names.map((filename) => ({
            filename,
            longname: "-rw-r--r-- 1 root root 10 x",
            attrs: filename.startsWith("d") ? { ...FILE, mode: 0o040_755 } : FILE,
          })),
        );
    });
    sftp.on("OPEN", (id) => sftp.handle(id, Buffer.from("file")));
    sftp.on("FSTAT", (id) => sftp.attrs(id, { ...FILE, size: 0 }));
    sftp.on("READ", (id, _handle, offset, length) => {
      const data = content(offset);
      if (data === null) sftp.status(id, END);
      else sftp.data(id, data.subarray(0, length));
    });
    sftp.on("CLOSE", (id) => sftp.status(id, OK));
    sftp.on("LSTAT", (id) => sftp.status(id, 2));
  };
}

const listOnce = (names: string[]) => (_: string, count: number) => (count === 0 ? names : null);

test("stops reading a file over SFTP that is larger than the host announced", async (t) => {
  let sent = 0;
  const endless = () => {
    sent += 8192;
    return Buffer.alloc(8192, "a");
  };
  const { result, read } = await readFrom(t, { sftp: anSftp(listOnce(["a.conf"]), endless) }, { maxFileSize: 100_000 });
  assert.ok(result.outcome === "read", result.message);
  assert.deepEqual([result.unread, [...read.keys()]], [["/etc/a.conf"], []]);
  assert.ok(sent < 1_000_000, `${sent} bytes`);
});

test("stops listing a folder over SFTP that never ends", async (t) => {
  const name = "d".repeat(200);
  const endless = (_: string, count: number) => Array.from({ length: 100 }, (__, at) => `${name}${count}-${at}`);
  const { result } = await readFrom(t, { sftp: anSftp(endless, () => null) }, {}, 60_000);
  assert.ok(result.outcome === "read", result.message);
  assert.equal(result.limit, "files");
});

test("leaves out names of an SFTP server that are no names", async (t) => {
  const names = ["a.conf", "../../root/b.conf", "c\0.conf", "/d.conf"];
  const content = (offset: number) => (offset === 0 ? Buffer.from("hello") : null);
  const { result, read } = await readFrom(t, { sftp: anSftp(listOnce(names), content) });
  assert.ok(result.outcome === "read", result.message);
  assert.deepEqual([...read], [["/etc/a.conf", "hello"]]);
});

const END_OF_ARCHIVE = Buffer.alloc(1024);

/** One entry of an archive (POSIX ustar). */
function entryOf(name: string, type: "0" | "2", content: string): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(content.length, 11), 124);
  header.write(" ".repeat(8), 148);
  header.write(type, 156);
  header.write("ustar\u000000", 257, "latin1");
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
    148,
  );
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([header, body]);
}

/** A host with GNU find and tar. `list` and `archive` answer them. */
const aHost = (list: (channel: ServerChannel) => void, archive: Buffer): Host => ({
  run(command, channel) {
    const end = (output: string | Buffer = "") => {
      channel.resume();
      channel.write(output);
      channel.exit(0);
      channel.end();
    };
    if (command === "sh -s") end("tools:gnu:0:::::2:\n");
    else if (command.includes("xargs")) end();
    else if (command.includes("find ")) list(channel);
    else if (command.includes("tar ")) end(archive);
    else end();
  },
});

const listing = (paths: readonly string[]) => (channel: ServerChannel) => {
  for (const path of paths) channel.write(`${[path, "5", "1.0", "1.0", "1", "644", "root", "root"].join("\0")}\0`);
  channel.exit(0);
  channel.end();
};

test("a file that became a link is unread, and not empty", async (t) => {
  const archive = Buffer.concat([
    entryOf("/etc/a.conf", "2", ""),
    entryOf("/etc/b.conf", "0", "hello"),
    END_OF_ARCHIVE,
  ]);
  const { result, read } = await readFrom(t, aHost(listing(["/etc/a.conf", "/etc/b.conf"]), archive));
  assert.ok(result.outcome === "read", result.message);
  assert.deepEqual([[...read], result.unread], [[["/etc/b.conf", "hello"]], ["/etc/a.conf"]]);
});

test("stops reading a list of files whose name never ends", async (t) => {
  let sent = 0;
  const endless = async (channel: ServerChannel) => {
    channel.write("/");
    for (; !channel.destroyed && sent < 64 * 1024 * 1024; sent += 32_768) {
      if (channel.write(Buffer.alloc(32_768, "n"))) continue;
      await new Promise<void>((resolve) => void channel.once("drain", resolve).once("close", resolve));
    }
  };
  const { result } = await readFrom(
    t,
    aHost((channel) => void endless(channel), END_OF_ARCHIVE),
  );
  assert.ok(result.outcome === "read", result.message);
  assert.equal(result.limit, "files");
  assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes`);
});
