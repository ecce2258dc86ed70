// The description of SFTP traffic, byte by byte and with hostile packets.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TrafficError } from "#gateway/core/ports.ts";
import { createSftpLog, type FileOperation } from "./sftp-log.ts";

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
};
const packet = (type: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat([Buffer.from([type]), ...parts]);
  return Buffer.concat([number(body.length), body]);
};
const open = (id: number, path: string | Buffer, flags: number) =>
  packet(3, number(id), text(path), number(flags), number(0));
const handle = (id: number, name: string) => packet(102, number(id), text(name));
const status = (id: number, code: number) => packet(101, number(id), number(code), text("no"), text("en"));

function aLog() {
  const operations: FileOperation[] = [];
  const log = createSftpLog((operation) => operations.push(operation));
  return { log, operations };
}

describe("SFTP traffic", () => {
  test("logs an upload with its size, however its bytes are split", () => {
    const { log, operations } = aLog();
    const write = packet(6, number(2), text("h"), Buffer.alloc(8), text(Buffer.alloc(30_000)));
    const sent = Buffer.concat([packet(1, number(3)), open(1, "/etc/motd", 0x1a)]);
    const lines = [...sent].flatMap((_, index) => log.input(sent.subarray(index, index + 1)));
    log.output(handle(1, "h"));
    for (let at = 0; at < write.length; at += 7) lines.push(...log.input(write.subarray(at, at + 7)));
    lines.push(...log.input(packet(4, number(3), text("h"))));
    assert.deepEqual(lines, ["upload /etc/motd", "uploaded /etc/motd (30000 bytes)"]);
    assert.deepEqual(operations.at(-1), { action: "uploaded", path: "/etc/motd", bytes: 30_000 });
  });

  test("logs the number of bytes that a download delivered", () => {
    const { log } = aLog();
    log.input(open(1, "a", 1));
    log.output(handle(1, "h"));
    log.input(packet(5, number(2), text("h"), Buffer.alloc(8), number(32_768)));
    log.output(packet(103, number(2), text(Buffer.alloc(1234))));
    assert.deepEqual(log.input(packet(4, number(3), text("h"))), ["downloaded a (1234 bytes)"]);
  });

  test("logs the bytes of files that are open when the session ends", () => {
    const { log, operations } = aLog();
    log.input(open(1, "half.iso", 0x1a));
    log.output(handle(1, "h"));
    log.input(packet(6, number(2), text("h"), Buffer.alloc(8), text(Buffer.alloc(5000))));
    assert.deepEqual(log.end(), ["uploaded half.iso (5000 bytes), not closed"]);
    assert.deepEqual(operations.at(-1), { action: "uploaded", path: "half.iso", bytes: 5000 });
    assert.deepEqual(log.end(), []);
  });

  test("logs the operation that the target refused", () => {
    const { log } = aLog();
    assert.deepEqual(log.input(packet(13, number(9), text("/etc/shadow"))), ["remove /etc/shadow"]);
    assert.deepEqual(log.output(status(9, 3)), ["remove /etc/shadow: refused (status 3)"]);
  });

  test("logs both paths of renames and links, in extensions too", () => {
    const { log } = aLog();
    assert.deepEqual(log.input(packet(18, number(1), text("a"), text("b"))), ["rename a to b"]);
    const extended = packet(200, number(2), text("posix-rename@openssh.com"), text("c"), text("d"));
    assert.deepEqual(log.input(extended), ["rename c to d"]);
  });

  test("escapes control characters, backslashes and invalid UTF-8 in paths", () => {
    const { log } = aLog();
    const paths = ["\u001b]0;owned\u0007", "a\\u{41}", Buffer.from([0x61, 0xff]), "a\u202eb"];
    const lines = paths.flatMap((path, id) => log.input(packet(14, number(id), text(path))));
    assert.deepEqual(lines, [
      "make folder \\u{1b}]0;owned\\u{7}",
      "make folder a\\u{5c}u{41}",
      "make folder a\\u{ff}",
      "make folder a\\u{202e}b",
    ]);
  });

  test("each response is matched to its own request", () => {
    const { log } = aLog();
    const stat = packet(17, number(1), text("/no/such/file"));
    log.input(stat);
    assert.throws(() => log.input(open(1, "/etc/shadow", 1)), TrafficError);
    const later = aLog().log;
    later.input(stat);
    assert.deepEqual(later.output(status(1, 2)), []);
    assert.deepEqual(later.input(open(1, "/etc/shadow", 1)), ["download /etc/shadow"]);
  });

  test("the entry of a file that was read and written contains both sizes", () => {
    const { log } = aLog();
    log.input(open(1, "db", 3));
    log.output(handle(1, "h"));
    log.input(packet(6, number(2), text("h"), Buffer.alloc(8), text("x")));
    log.input(packet(5, number(3), text("h"), Buffer.alloc(8), number(500)));
    log.output(packet(103, number(3), text(Buffer.alloc(500))));
    assert.deepEqual(log.input(packet(4, number(4), text("h"))), [
      "uploaded db (1 bytes)",
      "downloaded db (500 bytes)",
    ]);
  });

  test("an unknown extension is logged by name", () => {
    const { log } = aLog();
    const copy = packet(200, number(1), text("copy-file"), text("/etc/shadow"), text("/tmp/x"));
    assert.deepEqual(log.input(copy), ["extension copy-file"]);
    assert.deepEqual(log.input(packet(200, number(2), text("statvfs@openssh.com"), text("/"))), []);
  });

  test("a later version of the protocol is refused", () => {
    const { log } = aLog();
    log.input(packet(1, number(6)));
    assert.deepEqual(aLog().log.output(packet(2, number(3))), []);
    assert.throws(() => log.output(packet(2, number(6))), TrafficError);
  });

  test("refuses impossible packets, endless names and floods of requests", () => {
    assert.throws(() => aLog().log.input(number(0)), TrafficError);
    assert.throws(() => aLog().log.input(number(0xffff_ffff)), TrafficError);
    assert.throws(() => aLog().log.input(packet(13, number(1), number(50), Buffer.from("short"))), TrafficError);
    assert.throws(() => aLog().log.input(packet(13, number(1), text("x".repeat(5000)))), TrafficError);
    const { log } = aLog();
    assert.throws(() => {
      for (let id = 0; id < 20_000; id += 1) log.input(packet(13, number(id), text("x")));
    }, TrafficError);
  });
});
