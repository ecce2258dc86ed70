// Tests the settings and the one-line message for each invalid one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "./config.ts";
import { StartError } from "./start-error.ts";

test("defaults to loopback, port 3000 and a key file in the data folder", () => {
  const config = readConfig({});
  assert.deepEqual([config.host, config.port, config.seal], ["127.0.0.1", 3000, "key-file"]);
  assert.equal(config.keyFile, `${config.dataFolder}/root.key`);
  assert.equal(config.allowLoopbackTargets, false);
});

test("an empty variable counts as unset", () => {
  assert.equal(readConfig({ PORT: "", DATABASE_URL: "" }).port, 3000);
});

test("accepts a public URL with or without a trailing slash", () => {
  for (const text of ["https://vault.example.com", "https://vault.example.com/", "https://vault.example.com//"]) {
    assert.equal(readConfig({ STRONGROOM_PUBLIC_URL: text }).publicUrl, "https://vault.example.com");
  }
});

test("allows loopback targets in development or by setting", () => {
  assert.equal(readConfig({ NODE_ENV: "development" }).allowLoopbackTargets, true);
  assert.equal(readConfig({ STRONGROOM_ALLOW_LOOPBACK: "1" }).allowLoopbackTargets, true);
});

test("reports an invalid value in one line with its variable", () => {
  const wrong: Record<string, string> = {
    PORT: "eighty",
    DATABASE_URL: "mysql://db",
    STRONGROOM_SEAL: "wax",
    STRONGROOM_SETUP_TOKEN: "short",
    STRONGROOM_ALLOW_LOOPBACK: "maybe",
    STRONGROOM_PUBLIC_URL: "https://u:p@vault.example.com/?a=b",
    STRONGROOM_TRUST_PROXY: "10.0.0.0/99",
    STRONGROOM_RATE_LIMIT: "-1",
    SMTP_URL: "https://mail",
  };
  for (const [name, value] of Object.entries(wrong)) {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error) => error instanceof StartError && error.message.includes(name) && !error.message.includes("\n"),
      name,
    );
  }
  for (const name of ["true", "proxy.example.com", "10.0.0.0/8/8"]) {
    assert.throws(() => readConfig({ STRONGROOM_TRUST_PROXY: name }), StartError, name);
  }
});
