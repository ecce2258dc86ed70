// Tests parts of the prompt engine: Telnet options, lines and patterns, and Cisco hashes.
import assert from "node:assert/strict";
import { PassThrough, Duplex } from "node:stream";
import { test } from "node:test";
import fc from "fast-check";
import { ciscoType8, ciscoType9 } from "./change-password.ts";
import { isLine, linesOf } from "./console.ts";
import { TelnetStream } from "./telnet.ts";

/** The text output and the replies when `pieces` arrive. */
async function through(pieces: readonly (readonly number[])[]): Promise<{ text: number[]; answers: number[] }> {
  const [arriving, answered] = [new PassThrough(), new PassThrough()];
  const telnet = new TelnetStream(Duplex.from({ readable: arriving, writable: answered }));
  const text: number[] = [];
  telnet.on("data", (chunk: Buffer) => text.push(...chunk));
  for (const piece of pieces) arriving.write(Buffer.from(piece));
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const answers = [...((answered.read() as Buffer | null) ?? [])];
  telnet.destroy();
  return { text, answers };
}

test("RFC 854: options are answered once and removed from the text, however the bytes are split", async () => {
  const bytes = [
    65, 255, 251, 1, 255, 253, 24, 255, 250, 24, 1, 255, 240, 66, 255, 255, 13, 0, 67, 255, 251, 1, 255, 253, 24,
  ];
  const expected = { text: [65, 66, 255, 13, 67], answers: [255, 253, 1, 255, 252, 24] };
  assert.deepEqual(await through([bytes]), expected);
  assert.deepEqual(await through(bytes.map((byte) => [byte])), expected);
});

test("RFC 1143: withdrawing an option is confirmed, and an option that was already refused is not answered again", async () => {
  const { answers } = await through([[255, 251, 1, 255, 252, 1, 255, 252, 1, 255, 254, 3, 255, 252, 31]]);
  assert.deepEqual(answers, [255, 253, 1, 255, 254, 1]);
});

test("a pattern matches whole lines, consists of text and stars, and takes linear time", () => {
  assert.ok(isLine("*(config)#", "sw1(config)#") && isLine("*#", "#") && isLine("a*b*c", "a-b-b-c"));
  assert.ok(!isLine("Password:", "Password: x") && !isLine("a*a", "a") && !isLine("*#", "# "));
  assert.ok(!isLine("*a".repeat(100) + "b", "a".repeat(100_000)));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "b", "*"), { maxLength: 8 }),
      fc.array(fc.constantFrom("a", "b")),
      (p, l) => {
        const [pattern, line] = [p.join(""), l.join("")];
        assert.equal(isLine(pattern, line), new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(line));
      },
    ),
  );
});

test("the screen as text contains no colours or controls, and an overwritten line has its final content", () => {
  assert.deepEqual(linesOf("a\u001b[1;31mb\r\r\nold\rnew \r\n\u0007$ "), ["ab", "new", "$"]);
});

test("Cisco's type 8 and 9 hashes match the examples of hashcat (modes 9200 and 9300)", async () => {
  assert.equal(
    await ciscoType8("hashcat", "TnGX/fE4KGHOVU"),
    "$8$TnGX/fE4KGHOVU$pEhnEvxrvaynpi8j4f.EMHr6M.FzU8xnZnBr/tJdFWk",
  );
  assert.equal(
    await ciscoType9("hashcat", "2MJBozw/9R3UsU"),
    "$9$2MJBozw/9R3UsU$2lFhcKvpghcyw8deP25GOfyZaagyUOGBymkryvOdfo6",
  );
  assert.match(await ciscoType9("x"), /^\$9\$[./0-9A-Za-z]{14}\$[./0-9A-Za-z]{43}$/);
});
