// What the environment may say, and the one line that each mistake gets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "./config.ts";
import { StartError } from "./start-error.ts";

test("without any setting the server listens on loopback, port 3000, with a key file in its data folder", () => {
  const config = readConfig({});
  assert.deepEqual([config.host, config.port, config.seal], ["127.0.0.1", 3000, "key-file"]);
  assert.equal(config.keyFile, `${config.dataFolder}/root.key`);
  assert.equal(config.allowLoopbackTargets, false);
});

test("an empty variable counts as not set", () => {
  assert.equal(readConfig({ PORT: "", DATABASE_URL: "" }).port, 3000);
});

test("a public address is taken with or without its last slash, so that links are right", () => {
  for (const text of ["https://vault.example.com", "https://vault.example.com/", "https://vault.example.com//"]) {
    assert.equal(readConfig({ STRONGROOM_PUBLIC_URL: text }).publicUrl, "https://vault.example.com");
  }
});

test("loopback targets are for development, or for those who say so", () => {
  assert.equal(readConfig({ NODE_ENV: "development" }).allowLoopbackTargets, true);
  assert.equal(readConfig({ STRONGROOM_ALLOW_LOOPBACK: "1" }).allowLoopbackTargets, true);
});

test("a value that makes no sense is one line that names its variable", () => {
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
