// Tests of the masked lines around a secret.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { contextOf, maskedLine } from "./masked-context.ts";

describe("a line beside a secret", () => {
  for (const [line, shown] of [
    ["[database]", "[database]"],
    ["  host = db1.internal", "  host = ••••"],
    ["export TOKEN=abc", "export TOKEN=••••"],
    ['"password": "abc",', '"password": ••••'],
    ["", ""],
    ["mysql -u root -psecret shop", "••••"],
    ["MIIEpAIBAAKCAQEAx1y2z3==", "••••"],
    ["Zm9vYmFyYmF6cXV4==", "••••"],
    ["-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----"],
    ["aB3dE5fG7hJ9kL=x", "••••"],
    ["12345678: x", "••••"],
  ] as const) {
    test(`${JSON.stringify(line)} becomes ${JSON.stringify(shown)}`, () => assert.equal(maskedLine(line), shown));
  }

  test("never shows a value of a setting", () => {
    const value = fc.stringMatching(/^[A-Za-z0-9+/_-]{12,40}$/);
    const name = fc.stringMatching(/^[a-z_]{3,12}$/);
    fc.assert(
      fc.property(name, fc.constantFrom("=", ": ", " = "), value, (key, sign, secret) => {
        const shown = maskedLine(`${key}${sign}${secret}`);
        assert.ok(!shown.includes(secret) && (shown === "••••" || shown.startsWith(key)));
      }),
    );
  });
});

test("the context shows two lines on each side, and the preview on the secret's own line", () => {
  const lines = ["[db]", "host = a", "password = secret-value", "port = 1", "x = 2", "y = 3"];
  const found = { line: 3, endLine: 3, preview: "se••••", keyName: "password" };
  assert.deepEqual(
    contextOf(lines, found).map(({ line, text }) => `${line} ${text}`),
    ["1 [db]", "2 host = ••••", "3 password = se••••", "4 port = ••••", "5 x = ••••"],
  );
});
