// Hostile input: time grows with length only, and values appear in nothing but `reveal`.
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { inspect } from "node:util";
import { scanText } from "./index.ts";

const PATHS = [
  "a.conf",
  "a.yml",
  "a.json",
  "a.xml",
  "a.sh",
  "a.py",
  "a.sql",
  "a.tf",
  "a.md",
  "a.csv",
  ".pgpass",
  ".netrc",
  "secrets.yaml",
  "users.txt",
  "a.js",
];
const PIECES = [
  "password",
  "=",
  ":",
  "'",
  '"',
  "`",
  "${",
  "}",
  "a",
  "A",
  "1",
  "(",
  ")",
  "<",
  ">",
  "/",
  "\\",
  " ",
  "\t",
  "\n",
  "@",
  "://",
  "x:y@",
  "-p ",
  "''",
  "{{",
  "insert into t (password) values (",
  "IDENTIFIED BY ",
  "kind: Secret\ndata:\n",
  "-----BEGIN ",
  "name: ",
  "value: ",
  "abcDef",
  "key",
  ",",
  "#",
  "Basic ",
  "secrets:\n  ",
  "[admins]\n",
  '"tokens": {',
  "DBI:",
  "array(",
  "Set( $",
  "tokens = [",
  '"a.example.net", ',
  "auth",
  "# x\n",
  "COPY t (password) FROM stdin;\n",
  "| login |\n| --- |\n",
  "SSID",
  "password is ",
  "[users]\nb = ",
  "x|password\n",
  "```\n",
  "| пароль | `",
  "values (md5('",
  "\\040",
  "PuTTY-User-Key-File-3: x\nEncryption: none\nPublic-Lines: 1\n",
  '{"type":"random_password","result":',
  "\n#password=",
  "echo x; ",
  "net use \\\\a ",
  "register=>",
  "catalog a/",
];

test("repeated pieces take time in proportion to their length", () => {
  const piece = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""));
  const cpu = (text: string, path: string) => {
    const before = process.cpuUsage();
    scanText(text, { path });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  fc.assert(
    fc.property(
      piece,
      fc.constantFrom(...PATHS),
      fc.constantFrom("password = ", 'password: "', "postgres://a:", ""),
      (repeated, path, before) => {
        const text = before + repeated.repeat(Math.ceil(20_000 / repeated.length));
        // 20 kB at the slowest bearable speed, with room for compilation of the code.
        assert.ok(cpu(text, path) < 1500, `${path}: ${JSON.stringify(before + repeated)}`);
      },
    ),
    { numRuns: 300 },
  );
});

test("a line of 10 MB is scanned, and a secret at its end is found", () => {
  const unit = '{"name":"value","count":1,"list":[1,2,3]},';
  const text = `[${unit.repeat(Math.ceil(10_000_000 / unit.length))}{"password":"Kj8-plum-92"}]`;
  const [found, ...more] = scanText(Buffer.from(text), { path: "a.json" });
  assert.equal(found?.reveal(), "Kj8-plum-92");
  assert.equal(more.length, 0);
});

test("any text is scanned without an error, within its bounds and without overlaps", () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 12 })))
    .map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, fc.constantFrom(...PATHS), (content, path) => {
      let last = 0;
      for (const { start, end, line, column } of scanText(content, { path, minConfidence: 0 })) {
        assert.ok(start >= last && end > start && end <= content.length && line >= 1 && column >= 1);
        last = end;
      }
    }),
    { numRuns: 500 },
  );
});

// INVARIANT: `reveal` is the only way to read the value.
test("a canary in every syntax appears in no output, error or log", (t) => {
  const canary = "Canary-7f3kQ9xZ";
  const logged: unknown[] = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    t.mock.method(console, method, (...words: unknown[]) => void logged.push(words));
  const texts = [
    `password=${canary}`,
    `"password": "${canary}"`,
    `<password>${canary}</password>`,
    `mysql -uroot -p${canary}`,
    `postgres://u:${canary}@h/d`,
    `IDENTIFIED BY '${canary}'`,
    `password: ${Buffer.from(canary).toString("base64")}`,
  ];
  for (const path of PATHS) {
    for (const text of texts) {
      const findings = scanText(text, { path, minConfidence: 0, fingerprint: () => "f" });
      const shown = [
        JSON.stringify(findings),
        inspect(findings, { depth: 9, showHidden: true }),
        // oxlint-disable-next-line typescript/no-base-to-string -- as a careless log would print it
        String(findings),
        JSON.stringify(findings.map((found) => Object.entries(found))),
      ];
      for (const output of shown) assert.ok(!output.includes(canary.slice(3)), output);
      assert.throws(
        () =>
          scanText(text, {
            path,
            fingerprint: () => {
              throw new Error("no key");
            },
            minConfidence: -1,
          }).map((found) => found) && assert.fail("none"),
        (error: Error) => !inspect(error).includes(canary),
      );
    }
  }
  assert.deepEqual(logged, []);
});
