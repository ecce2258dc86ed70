// Tests that a failed start prints one sentence without a stack, with unusable databases and disks.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { startTemporaryServer } from "@strongroom/server/kernel/testing/temporary-server.ts";
import type { TemporaryServer } from "@strongroom/server/kernel/testing/temporary-server.ts";
import { startServer } from "./testing/server.ts";

let temporary: TemporaryServer;
const folder = mkdtempSync(join(tmpdir(), "strongroom-failing-"));
before(async () => {
  // The database server may run as a different user from the one that runs the tests.
  chmodSync(folder, 0o755);
  temporary = await startTemporaryServer();
});
after(async () => {
  await temporary.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the output of a start that is expected to fail, which is one line. */
async function sentenceOf(env: Record<string, string>, dataFolder = join(folder, "data")): Promise<string> {
  const outcome = await startServer(env, dataFolder).then(
    async (server) => {
      await server.stop();
      return "it started";
    },
    (error: Error) => error.message,
  );
  const printed = outcome.split("\n").slice(1).join("\n").trim();
  assert.match(printed, /^Strongroom did not start: .*\.$/, outcome);
  assert.equal(printed.split("\n").length, 1, outcome);
  return printed;
}

const urlOf = (database: string): string => {
  const { host = "", port = 5432 } = temporary.connection;
  return `postgres://strongroom@${encodeURIComponent(host)}:${port}/${database}`;
};

async function query(text: string): Promise<void> {
  const client = new pg.Client(temporary.connection);
  await client.connect();
  await client.query(text);
  await client.end();
}

test("a start fails with one sentence for a database with an encoding other than UTF8", async () => {
  await query("create database latin encoding 'LATIN1' template template0 locale_provider libc locale 'C'");
  assert.match(await sentenceOf({ DATABASE_URL: urlOf("latin") }), /has the encoding LATIN1.*encoding 'UTF8'/);
});

test("a start fails with one sentence for a read-only database", async () => {
  await query("create database readonly");
  await query("alter database readonly set default_transaction_read_only = on");
  assert.match(
    await sentenceOf({ DATABASE_URL: urlOf("readonly") }),
    /The database is read-only\. Connect to the primary/,
  );
});

test("a start fails with one sentence for a database that does not exist, and for an address where nothing listens", async () => {
  assert.match(
    await sentenceOf({ DATABASE_URL: urlOf("nowhere") }),
    /does not exist\. Create it with the encoding UTF8/,
  );
  const closed = await sentenceOf({ DATABASE_URL: "postgres://strongroom@127.0.0.1:1/strongroom" });
  assert.match(closed, /Nothing is listening at the address in DATABASE_URL/);
});

test("a start fails with one sentence when a pooler refuses it", async (context) => {
  const fields = ["SFATAL", "C08P01", "Mno more connections allowed (max_client_conn)"];
  const body = Buffer.from(`${fields.join("\0")}\0\0`);
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeInt32BE(body.length + 4, 1);
  const pooler = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(Buffer.concat([head, body])));
  });
  await new Promise<void>((resolve) => pooler.listen(0, "127.0.0.1", resolve));
  context.after(() => pooler.close());
  const { port } = pooler.address() as AddressInfo;
  const said = await sentenceOf({ DATABASE_URL: `postgres://strongroom@127.0.0.1:${port}/strongroom` });
  assert.match(said, /no more connections allowed \(max_client_conn\)/);
});

test("a start fails with one sentence for a full disk", async (context) => {
  const small = join(folder, "small");
  try {
    execFileSync("mkdir", [small]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=6m,mode=755", "tmpfs", small], { stdio: "ignore" });
  } catch {
    return context.skip("needs to mount a small file system");
  }
  context.after(() => execFileSync("umount", [small]));
  assert.match(
    await sentenceOf({ STRONGROOM_TEST_DATA: "" }, join(small, "data")),
    /No space left on device|disk is full/,
  );
});
