import { expect, test } from "vitest";
import { objectionTo } from "./file-actions.tsx";
import { joinPath, parentOf } from "./sftp-client.ts";
import { PacketReader, REPLY, createPacketSplitter, packetOf } from "./sftp-packets.ts";

test("a request has its length, type, and fields in network order", () => {
  const bytes = packetOf(5, 7, "ab", 0x1_0000_0000n, 32);
  expect([...bytes]).toEqual([0, 0, 0, 23, 5, 0, 0, 0, 7, 0, 0, 0, 2, 97, 98, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 32]);
});

test("packets are found wherever the stream is cut", () => {
  const stream = new Uint8Array([...packetOf(REPLY.status, 1, 0), ...packetOf(REPLY.handle, 2, "h")]);
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const split = createPacketSplitter();
    const packets = [...split(stream.subarray(0, cut)), ...split(stream.subarray(cut))];
    expect(packets.map(({ type, reader }) => [type, reader.number()])).toEqual([
      [REPLY.status, 1],
      [REPLY.handle, 2],
    ]);
  }
});

test("a packet of an impossible length is refused", () => {
  expect(() => createPacketSplitter()(new Uint8Array([255, 255, 255, 255, 1]))).toThrow(RangeError);
});

test("a field that is longer than its packet is refused", () => {
  expect(() => new PacketReader(new Uint8Array([0, 0, 0, 9, 1])).bytes()).toThrow(RangeError);
});

test("names carry the kind, size and time of each file", () => {
  const attributes = [0, 0, 0, 0x0d, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0x41, 0xed, 0, 0, 0, 1, 0, 0, 0, 60];
  const reader = new PacketReader(
    new Uint8Array([0, 0, 0, 1, 0, 0, 0, 3, 108, 111, 103, 0, 0, 0, 1, 120, ...attributes]),
  );
  expect(reader.names()).toEqual([
    { name: "log", kind: "folder", size: 2 ** 32 + 2, modifiedAt: new Date("1970-01-01T00:01:00Z") },
  ]);
});

test.each([
  ["/", "etc", "/etc"],
  ["/home/ada", "a.txt", "/home/ada/a.txt"],
])("%s and %s are joined", (folder, name, joined) => {
  expect(joinPath(folder, name)).toBe(joined);
});

test.each([
  ["/home/ada", "/home"],
  ["/home", "/"],
  ["/", "/"],
])("the parent of %s is %s", (folder, parent) => {
  expect(parentOf(folder)).toBe(parent);
});

test.each([
  ["notes.txt", null],
  ["..", "A name cannot be . or .. or contain /"],
  ["../etc/passwd", "A name cannot be . or .. or contain /"],
  ["taken", "This folder already contains this name"],
  ["ä".repeat(128), "The name is too long"],
])("the name %s is answered with %s", (name, objection) => {
  const taken = { name: "taken", kind: "file", size: null, modifiedAt: null } as const;
  expect(objectionTo(name, [taken])).toBe(objection);
});
