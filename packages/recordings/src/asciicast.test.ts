import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { CAST_CODES, CastError, castHeaderLine, CastReader, CastWriter, type CastEvent } from "./asciicast.ts";

/** The example from the format's description. */
const PUBLISHED = String.raw`{"version": 3, "term": {"cols": 80, "rows": 24, "type": "xterm-256color"}, "timestamp": 1504467315, "title": "Demo", "env": {"SHELL": "/bin/zsh"}}
# event stream follows the header
[0.248, "o", "\u001b[1;31mHello \u001b[32mWorld!\u001b[0m\n"]
[1.001, "o", "That was ok\rThis is better."]
[3.500, "m", ""]
[0.143, "o", "Now... "]
# terminal window resized to 90 cols and 30 rows
[2.050, "r", "90x30"]
[1.541, "o", "Bye!"]
[0.887, "x", "0"]
`;

const HEADER = `{"version":3,"term":{"cols":80,"rows":24}}\n`;

function read(text: string | Uint8Array): { reader: CastReader; events: CastEvent[] } {
  const reader = new CastReader();
  const events = reader.push(Buffer.from(text));
  return { reader, events: [...events, ...reader.end()] };
}

const rejects = (text: string | Uint8Array, message: RegExp) =>
  assert.throws(
    () => read(text),
    (error: unknown) => error instanceof CastError && message.test(error.message),
  );

test("the reader reads the format's published example", () => {
  const { reader, events } = read(PUBLISHED);
  assert.deepEqual(reader.header, {
    cols: 80,
    rows: 24,
    type: "xterm-256color",
    timestamp: 1504467315,
    title: "Demo",
  });
  assert.deepEqual(events, [
    { at: 248, code: "o", data: "\u001b[1;31mHello \u001b[32mWorld!\u001b[0m\n" },
    { at: 1249, code: "o", data: "That was ok\rThis is better." },
    { at: 4749, code: "m", data: "" },
    { at: 4892, code: "o", data: "Now... " },
    { at: 6942, code: "r", data: "90x30" },
    { at: 8483, code: "o", data: "Bye!" },
    { at: 9370, code: "x", data: "0" },
  ]);
});

test("the writer writes the published example's events as valid asciicast", () => {
  const { reader, events } = read(PUBLISHED);
  const writer = new CastWriter();
  assert.ok(reader.header);
  const written = castHeaderLine(reader.header) + events.map((event) => writer.line(event)).join("");
  const again = read(written);
  assert.deepEqual(again.events, events);
  assert.deepEqual(again.reader.header, reader.header);
  assert.deepEqual(
    written
      .split("\n")
      .slice(1, -1)
      .map((line) => (JSON.parse(line) as [number])[0]),
    [0.248, 1.001, 3.5, 0.143, 2.05, 1.541, 0.887],
  );
});

const anyEvent = fc.record({
  after: fc.integer({ min: 0, max: 100_000 }),
  code: fc.constantFrom(...CAST_CODES.filter((code) => code !== "r" && code !== "x")),
  data: fc.string({ unit: "binary" }),
});

test("events that the writer wrote are read back whatever their text and wherever the bytes are split", () => {
  fc.assert(
    fc.property(fc.array(anyEvent), fc.array(fc.nat(400)), (made, cuts) => {
      let at = 0;
      const events = made.map(({ after, code, data }) => ({ at: (at += after), code, data: data.toWellFormed() }));
      const writer = new CastWriter();
      const bytes = Buffer.from(castHeaderLine({ cols: 1, rows: 1 }) + events.map((e) => writer.line(e)).join(""));
      const reader = new CastReader();
      const found: CastEvent[] = [];
      let from = 0;
      for (const cut of [...cuts, bytes.length]) {
        found.push(...reader.push(bytes.subarray(from, from + cut)));
        from += cut;
      }
      assert.deepEqual([...found, ...reader.end()], events);
    }),
  );
});

test("rounding errors of intervals do not add up", () => {
  const writer = new CastWriter();
  const lines = Array.from({ length: 3000 }, (_, index) => writer.line({ at: (index + 1) / 3, code: "o", data: "x" }));
  const { events } = read(HEADER + lines.join(""));
  assert.equal(events.at(-1)?.at, 1000);
});

test("an event whose time runs backwards gets the time of the event before it", () => {
  const writer = new CastWriter();
  writer.line({ at: 5000, code: "o", data: "" });
  assert.equal(writer.line({ at: 10, code: "o", data: "" }), `[0.000,"o",""]\n`);
});

test("unknown event codes and comments are ignored, and their time counts", () => {
  const { events } = read(`${HEADER}[1.5,"z","what"]\n# [1,"o","no"]\n\n[0.5,"o","yes"]`);
  assert.deepEqual(events, [{ at: 2000, code: "o", data: "yes" }]);
});

test("the reader rejects text that is not asciicast v3", () => {
  rejects("", /no header/);
  rejects("# comment\n", /not JSON/);
  rejects(`{"version":2,"width":80,"height":24}\n`, /v3/);
  rejects(`[1,"o","x"]\n`, /v3/);
  rejects(`{"version":3}\n`, /size/);
  rejects(`${HEADER}{}\n`, /three elements/);
  rejects(`${HEADER}[1,"o"]\n`, /three elements/);
  rejects(`${HEADER}[-1,"o","x"]\n`, /interval/);
  rejects(`${HEADER}["1","o","x"]\n`, /interval/);
  rejects(`${HEADER}[1e999,"o","x"]\n`, /interval/);
  rejects(`${HEADER}[1,"o",7]\n`, /data/);
  rejects(`${HEADER}[1,"x","true"]\n`, /exit status/);
  rejects(`${HEADER}[1,"o","x"\n`, /Line 2 is not JSON/);
  rejects(Buffer.concat([Buffer.from(HEADER), Buffer.from([0xff, 0x0a])]), /UTF-8/);
  rejects(Buffer.concat([Buffer.from(HEADER), Buffer.from([0xe2, 0x82])]), /UTF-8/);
});

test("the reader rejects impossible terminal sizes", () => {
  for (const size of ["0x24", "80x0", "1001x24", "80x501", "9999x9999", "80", "80x24x1", "-1x5", "8.5x3"]) {
    rejects(`${HEADER}[1,"r","${size}"]\n`, /size/);
  }
  for (const term of [`{"cols":0,"rows":24}`, `{"cols":1e9,"rows":24}`, `{"cols":"80","rows":24}`, "null", "[]"]) {
    rejects(`{"version":3,"term":${term}}\n`, /size/);
  }
});

test("the reader's memory is bounded by its longest line", () => {
  const endless = new CastReader();
  endless.push(Buffer.from(HEADER));
  const piece = Buffer.alloc(64 * 1024, "a");
  assert.throws(() => {
    for (let count = 0; count < 100; count++) endless.push(piece);
  }, /too long/);
  assert.throws(() => new CastReader().push(Buffer.alloc(70_000, " ")), /Line 1 is too long/);
});

test("times beyond a year are rejected", () => {
  rejects(`${HEADER}[31000000,"o","x"]\n[31000000,"o","x"]\n`, /more than a year/);
});

test("deeply nested lines are rejected without a crash", () => {
  rejects(`${HEADER}${"[".repeat(1_000_000)}\n`, /not JSON|three elements/);
});
