// Tests of replacing a password in a file at its exact places.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { replaceValue } from "./replace-value.ts";

const BEFORE = "Tr0ub-4dor7Kx9Qz";
const AFTER = "n3W-pAss/w0rd+Yq";

const replaced = (path: string, text: string, values: { before?: string; after?: string } = {}) => {
  const result = replaceValue(Buffer.from(text), { path, before: BEFORE, after: AFTER, ...values });
  return Buffer.isBuffer(result) ? result.toString() : result;
};

describe("the new password takes the place of the old one", () => {
  for (const [path, text, expected] of [
    ["/a/db.conf", `password = ${BEFORE}\n# end\n`, `password = ${AFTER}\n# end\n`],
    ["/a/.env", `DB_PASSWORD="${BEFORE}"\nX=1\n`, `DB_PASSWORD="${AFTER}"\nX=1\n`],
    ["/a/c.json", `{"password": "${BEFORE}", "n": 1}`, `{"password": "${AFTER}", "n": 1}`],
    ["/a/c.yaml", `db:\n  password: "${BEFORE}"\n`, `db:\n  password: "${AFTER}"\n`],
    // {xor} is WebSphere's encoding.
    ["/a/soap.props", "loginPassword={xor}Cy1vKj1yazswLWgUJ2YOJQ==\n", "loginPassword={xor}MWwIci8eLCxwKG8tO3QGLg==\n"],
    // A URL encodes the characters that would end the password.
    ["/a/u.conf", `url = postgresql://u:${BEFORE}@h/d\n`, `url = postgresql://u:${encodeURIComponent(AFTER)}@h/d\n`],
  ] as const) {
    test(`in ${path}`, () => assert.equal(replaced(path, text), expected));
  }
});

test("replaces every place, and nothing that only looks similar", () => {
  const text = `password = ${BEFORE}\nother_password = ${BEFORE}x1\nadmin_password = ${BEFORE}\n`;
  assert.equal(
    replaced("/a/b.conf", text),
    `password = ${AFTER}\nother_password = ${BEFORE}x1\nadmin_password = ${AFTER}\n`,
  );
});

test("never breaks JSON with quotation marks", () => {
  const after = 'qu"ote\\Sl4sh-77';
  const text = replaced("/a/c.json", `{"password": "${BEFORE}"}`, { after })!;
  if (!text.startsWith("The new password has characters")) assert.deepEqual(JSON.parse(text), { password: after });
});

test("a file that has the new password already needs no change", () => {
  assert.equal(replaced("/a/b.conf", `password = ${AFTER}\n`), null);
});

test("a file without either password is left alone, with the reason", () => {
  assert.match(replaced("/a/b.conf", "password = Some-0ther-Value9\n")!, /no longer contains the previous password/);
});

test("bytes that are not UTF-8 stay as they are", () => {
  const rest = Buffer.from([0x23, 0x20, 0xe4, 0xf6, 0xfc, 0x0a]);
  const content = Buffer.concat([rest, Buffer.from(`password = ${BEFORE}\n`), rest]);
  const result = replaceValue(content, { path: "/a/b.conf", before: BEFORE, after: AFTER });
  assert.deepEqual(result, Buffer.concat([rest, Buffer.from(`password = ${AFTER}\n`), rest]));
});
