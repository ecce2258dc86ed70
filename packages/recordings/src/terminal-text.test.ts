import assert from "node:assert/strict";
import { test } from "node:test";
import type { CastEvent } from "./asciicast.ts";
import { terminalText, type TerminalText } from "./terminal-text.ts";

type Step = string | CastEvent;

/** Each inner list is a chunk; text is output a second after the event before. */
async function textOf(chunks: readonly (readonly Step[])[], size = { cols: 80, rows: 24 }): Promise<TerminalText> {
  let at = 0;
  const lines: TerminalText["lines"][number][] = [];
  const marks: TerminalText["marks"][number][] = [];
  // oxlint-disable-next-line typescript/require-await
  async function* made() {
    for (const chunk of chunks) {
      const events = chunk.map((step): CastEvent => {
        at += 1000;
        return typeof step === "string" ? { at, code: "o", data: step } : { ...step, at };
      });
      yield { header: size, events };
    }
  }
  for await (const text of terminalText(made())) {
    lines.push(...text.lines);
    marks.push(...text.marks);
  }
  return { lines, marks };
}

const shown = ({ lines }: TerminalText) => lines.map(({ text }) => text);
const marked = ({ marks }: TerminalText) => marks.map(({ kind, text }) => `${kind}: ${text}`);

test("lines have the time of the chunk in which they were shown, without colours", async () => {
  const { lines } = await textOf([["\u001b[1;31mone\u001b[0m\r\ntw"], ["o\r\n"], ["three"]]);
  assert.deepEqual(lines, [
    { at: 1000, text: "one" },
    { at: 2000, text: "two" },
    { at: 3000, text: "three" },
  ]);
});

test("text is found as the screen showed it, not as it was sent", async () => {
  const text = await textOf([["sec\u001b[31mr\u001b[0met\b\b\b\b\b\bs3cret\r\nab\u001b[2Dxy\r\n"]]);
  assert.deepEqual(shown(text), ["s3cret", "xy"]);
});

test("a line that wraps is one line", async () => {
  const long = "word ".repeat(40).trim();
  assert.deepEqual(shown(await textOf([[`${long}\r\n`]], { cols: 20, rows: 5 })), [long]);
});

test("every line of a long output is found once, in order", async () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index} of a build`);
  const whole = await textOf([[`${lines.join("\r\n")}\r\n`]]);
  assert.deepEqual(shown(whole), lines);
  const piecemeal = await textOf(lines.slice(0, 300).map((line) => [`${line}\r\n`]));
  assert.deepEqual(shown(piecemeal), lines.slice(0, 300));
});

test("repeated identical lines are all found", async () => {
  assert.deepEqual(shown(await textOf([["ok\r\nok\r\n"], ["ok\r\n"]])), ["ok", "ok", "ok"]);
});

test("a typed line is found once it is complete", async () => {
  assert.deepEqual(shown(await textOf([["$ "], ["l"], ["s"], ["\r\nfile\r\n$ "]])), ["$ ls", "file", "$"]);
});

test("text that a clear or a reset erases is found", async () => {
  for (const erase of ["\u001b[H\u001b[2J", "\u001b[H\u001b[J", "\u001bc", "\u001b[3J"]) {
    assert.ok(shown(await textOf([[`one secret${erase}two\r\n`]])).includes("one secret"), JSON.stringify(erase));
  }
});

test("a full-screen program's texts are found once, and the screen before it is not repeated", async () => {
  const text = await textOf([
    ["before\r\n"],
    ["\u001b[?1049h\u001b[H\u001b[2J\u001b[1;1Hfirst row\u001b[2;1Hsecond row\u001b[24;1H"],
    ["\u001b[1;1H\u001b[Lnew row\u001b[24;1H"],
    ["\u001b[5;1Hlast edit\u001b[?1049lafter\r\n"],
  ]);
  assert.deepEqual(shown(text), ["before", "first row", "second row", "new row", "last edit", "after"]);
});

test("a resize neither loses nor repeats lines", async () => {
  const resize: CastEvent = { at: 0, code: "r", data: "40x10" };
  const text = await textOf([["one\r\ntwo\r\n"], [resize], ["three\r\n"]]);
  assert.deepEqual(shown(text), ["one", "two", "three"]);
});

test("commands after a prompt, changes of privilege and errors are marked", async () => {
  const text = await textOf([
    ["ann@db1:~$ ls -la\r\n"],
    ["[ann@db1 ~]$ sudo systemctl restart nginx\r\n"],
    ["root@db1:/# cd /tmp && su - postgres\r\n"],
    ["postgres=# select 1;\r\n"],
    ["bash: frob: command not found\r\n"],
    ["100% done\r\n", "# a comment in a file\r\n", "price: $ 5\r\n"],
  ]);
  assert.deepEqual(marked(text), [
    "command: ls -la",
    "privilege: sudo systemctl restart nginx",
    "privilege: cd /tmp && su - postgres",
    "command: select 1;",
    "error: bash: frob: command not found",
  ]);
});

test("a shell with integration (OSC 133) names its commands and their status", async () => {
  const prompt = "\u001b]133;A\u0007ann@db1:~$ \u001b]133;B\u0007";
  const run = (command: string) => [`${command}\r\n\u001b]133;C\u0007`];
  const { marks } = await textOf([
    [prompt],
    run("make test"),
    ["failed\r\n\u001b]133;D;2\u0007", prompt],
    run("sudo -i"),
    ["\u001b]133;D;0\u0007"],
  ]);
  assert.deepEqual(marks, [
    { at: 2000, kind: "command", text: "make test" },
    { at: 3000, kind: "error", text: "exit status 2" },
    { at: 5000, kind: "privilege", text: "sudo -i" },
  ]);
});

test("file transfers and login messages have their own marks", async () => {
  const { marks } = await textOf([
    ["Last login: Mon Nov 23 10:00:00 2026 from 192.0.2.1\r\n"],
    ["ann@db1:~$ scp -r backup web2:/srv\r\n", "ann@db1:~$ ls scp\r\n", "ann@db1:~$ cd /tmp && curl -O x\r\n"],
  ]);
  assert.deepEqual(
    marks.map(({ kind, text }) => `${kind}: ${text}`),
    [
      "login: Last login: Mon Nov 23 10:00:00 2026 from 192.0.2.1",
      "transfer: scp -r backup web2:/srv",
      "command: ls scp",
      "transfer: cd /tmp && curl -O x",
    ],
  );
});

test("recorded marks keep their kind", async () => {
  const mark = (data: string): CastEvent => ({ at: 0, code: "m", data });
  const { marks } = await textOf([
    [mark("transfer: upload /etc/hosts (120 bytes)"), mark("login: root"), mark("odd: one")],
  ]);
  assert.deepEqual(marks, [
    { at: 1000, kind: "transfer", text: "upload /etc/hosts (120 bytes)" },
    { at: 2000, kind: "login", text: "root" },
    { at: 3000, kind: "note", text: "odd: one" },
  ]);
});

test("unreadable chunks are skipped", async () => {
  // oxlint-disable-next-line typescript/require-await
  async function* chunks() {
    yield { header: { cols: 80, rows: 24 }, events: null };
    yield { header: { cols: 80, rows: 24 }, events: [{ at: 5, code: "o", data: "x\r\n" } as const] };
  }
  const found: string[] = [];
  for await (const text of terminalText(chunks())) found.push(...shown(text));
  assert.deepEqual(found, ["x"]);
});

test("hostile output executes nothing, and reading it ends within bounds", { timeout: 60_000 }, async () => {
  const megabyte = "x".repeat(1_000_000);
  const hostile = [
    megabyte,
    "\n".repeat(100_000),
    ..."LMSTbIZ@PX".split("").map((final) => `x\u001b[2147483647${final}`),
    "\u001b[9999;9999H",
    `\u001b]0;${megabyte}\u0007\u001b]52;c;${megabyte}\u0007`,
    `\u001b]133;B\u0007${"\u001b]133;C\u0007".repeat(1000)}\u001b]133;D;999999999999\u0007`,
    "\u001bP1;1|".repeat(1000),
    "\u001b[?1049h\u001b[?1049l".repeat(2000),
    "a\u001b[2J".repeat(2000),
    "\ud800\udfff\u0000\u0007",
  ];
  const before = process.memoryUsage().heapUsed;
  const { lines } = await textOf(
    hostile.map((one) => [one]),
    { cols: 300, rows: 100 },
  );
  assert.ok(lines.every(({ text }) => text.length <= 4096));
  assert.ok(process.memoryUsage().heapUsed - before < 200 * 1024 * 1024);
});
