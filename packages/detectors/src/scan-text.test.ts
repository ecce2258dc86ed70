// The engine's interface: positions, offsets, masks and the one way to a value.
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { inspect } from "node:util";
import { scanText } from "./index.ts";

const SECRET = "Tr0ub4dor-und-3";
const fingerprint = (value: string) => createHmac("sha256", "key").update(value).digest("base64url");

test("a password in an ini file is found with its exact span", () => {
  const text = `[client]\nuser = app\npassword = ${SECRET}\n`;
  const [found, ...more] = scanText(text, { path: "/etc/app.ini", fingerprint });
  assert.ok(found);
  assert.equal(more.length, 0);
  assert.equal(found.class, "password");
  assert.equal(found.line, 3);
  assert.equal(found.column, 12);
  assert.equal(text.slice(found.start, found.end), SECRET);
  assert.equal(found.keyName, "password");
  assert.equal(found.reveal(), SECRET);
  assert.equal(found.fingerprint, fingerprint(SECRET));
});

test("offsets of bytes count bytes, and the value is decoded", () => {
  const bytes = Buffer.from(`# Größe\npassword=Zür1ch-öst-77\n`);
  const [found] = scanText(bytes, { path: "app.properties" });
  assert.ok(found);
  assert.equal(bytes.subarray(found.start, found.end).toString(), "Zür1ch-öst-77");
  assert.equal(found.reveal(), "Zür1ch-öst-77");
});

test("a part of a file may end within a character, and a file may mix encodings", () => {
  const whole = Buffer.from(`# Größe\npassword=Zür1ch-öst-77\n# ü`);
  for (const bytes of [whole.subarray(0, -1), Buffer.concat([whole, Buffer.from([0xfc, 0x20, 0x61])])]) {
    const [found] = scanText(bytes, { path: "app.properties" });
    assert.ok(found);
    assert.equal(bytes.subarray(found.start, found.end).toString(), "Zür1ch-öst-77");
    assert.equal(found.reveal(), "Zür1ch-öst-77");
  }
});

test("several findings after other characters have exact offsets", () => {
  const bytes = Buffer.from(
    Array.from({ length: 20 }, (_, n) => `# Größe 密码\npassword${n}=Zür1ch-öst-${n}7\n`).join(""),
  );
  const found = scanText(bytes, { path: "app.properties" });
  assert.deepEqual(
    found.map(({ start, end }) => bytes.subarray(start, end).toString()),
    Array.from({ length: 20 }, (_, n) => `Zür1ch-öst-${n}7`),
  );
});

test("UTF-16 content is read, and its offsets count bytes", () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`x=1\npassword=${SECRET}\n`, "utf16le")]);
  const [found] = scanText(bytes, { path: "app.ini" });
  assert.ok(found);
  assert.equal(bytes.subarray(found.start, found.end).toString("utf16le"), SECRET);
});

test("binary content has no findings", () => {
  assert.deepEqual(scanText(Buffer.from("ELF\0\0password=hunter-2-x\0"), { path: "a.conf" }), []);
});

test("a private key is found with the fingerprint of its public key", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }) as string;
  const [found] = scanText(`some text\n${pem}`, { path: "id" });
  assert.ok(found);
  assert.equal(found.class, "private_key");
  assert.equal(found.endLine, 4);
  assert.match(found.publicKey ?? "", /^SHA256:[\w+/]{43}$/);
  assert.equal(found.reveal(), pem);
});

test("a PEM block with a placeholder body is no key", () => {
  const text = "-----BEGIN RSA PRIVATE KEY-----\nPUT YOUR KEY HERE\n-----END RSA PRIVATE KEY-----";
  assert.deepEqual(scanText(text, { path: "key.pem" }), []);
});

test("a finding shows its value in no way but reveal", () => {
  const [found] = scanText(`password=${SECRET}`, { path: ".env", fingerprint });
  assert.ok(found);
  const cloned = structuredClone({ ...found });
  for (const shown of [
    JSON.stringify(found),
    inspect(found, { showHidden: true, depth: 9 }),
    // oxlint-disable-next-line typescript/no-base-to-string -- as a careless log would print it
    String(found),
    JSON.stringify(cloned),
    inspect(Object.entries(found)),
  ])
    assert.ok(!shown.includes(SECRET) && !shown.includes(SECRET.slice(2)), shown);
});
