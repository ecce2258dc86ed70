import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lastFatal, serverLog } from "./server-log.ts";

const isRoot = process.geteuid?.() === 0;
const user = { name: "nobody", uid: 65534, gid: 65534, isDropped: isRoot, mayEnterAnyFolder: false };

test("a link in the server user's folder gives that user no access to any other file", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "server-log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const secret = join(folder, "root.key");
  writeFileSync(secret, "secret", { mode: 0o600 });
  const { uid } = statSync(secret);
  symlinkSync(secret, join(folder, "server.log"));

  const log = serverLog(folder, user);
  for (const use of [() => log.open(), () => log.since(0)]) {
    assert.throws(use, { name: "StartError", message: /server\.log is a link\. Remove it and start again\.$/ });
  }
  assert.equal(statSync(secret).uid, uid);
});

test("a rotated log replaces a link and leaves the link's target unchanged", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "server-log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const secret = join(folder, "root.key");
  writeFileSync(secret, "secret", { mode: 0o600 });
  const { uid } = statSync(secret);
  symlinkSync(secret, join(folder, "server.log.1"));
  writeFileSync(join(folder, "server.log"), Buffer.alloc(6 * 1024 * 1024, "x"));

  serverLog(folder, user).rotate();

  assert.equal(readFileSync(secret, "utf8"), "secret");
  assert.equal(statSync(secret).uid, uid);
  assert.equal(statSync(join(folder, "server.log")).size, 0);
});

test("a connection that another start's server refused does not explain why a server ended", () => {
  const refused = "2026-11-26 04:00:00 UTC [12] FATAL:  the database system is starting up\n";
  const locked = '2026-11-26 04:00:00 UTC [11] FATAL:  lock file "postmaster.pid" already exists\n';
  assert.equal(lastFatal(locked + refused), 'lock file "postmaster.pid" already exists');
  assert.equal(lastFatal(refused), null);
});
