// Tests starting and stopping with `npm start`: output, one-line refusals, and no leftover processes.
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import { currentSession, readHealth } from "@strongroom/contract";
import assert from "node:assert/strict";
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { buildWeb } from "./testing/browser.ts";
import { runSql } from "./testing/database.ts";
import { ask, firstAdmin, send, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { endWhatStillRuns, folderOf, isRoot, ordinaryUser, processesOf, runStart } from "./testing/start-script.ts";
import type { StartOptions, Started } from "./testing/start-script.ts";

const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

before(() => buildWeb());
after(endWhatStillRuns);

/** Expects a start to fail with a one-line reason and a non-zero status. */
async function refusal(dataFolder: string, options: StartOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await runStart(dataFolder, options).ended;
  assert.equal(status, 1, stdout + stderr);
  assert.doesNotMatch(stdout, /Strongroom is at/);
  const lines = stderr.trimEnd().split("\n");
  assert.equal(lines.length, 1, stderr);
  assert.match(stderr, /^Strongroom did not start: .*\.\n$/);
  return lines[0] ?? "";
}

async function stopped(started: Started): Promise<void> {
  started.kill("SIGTERM");
  assert.equal((await started.ended).status, 0);
}

describe("first and later starts", () => {
  const folder = folderOf(self);
  after(folder.remove);
  let admin: Person;

  test("the first start prints the address and a one-time setup link that works", async (t) => {
    const started = runStart(folder.path);
    const { url, setupLink, afterMs } = await started.ready;
    t.diagnostic(`ready after ${Math.round(afterMs)} ms`);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(setupLink ?? "", new RegExp(`^${url}/signup#setup_token=[\\w-]{16,}$`));
    assert.equal((await fetch(`${url}/health/ready`)).status, 200);
    const page = await fetch(url);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<div id="root">/);
    admin = await firstAdmin({ url, setupLink });
    await stopped(started);
  });

  test("the next start prints only the address and keeps all data", async (t) => {
    const started = runStart(folder.path);
    const { url, setupLink, afterMs } = await started.ready;
    t.diagnostic(`ready after ${Math.round(afterMs)} ms`);
    assert.equal(setupLink, null);
    await tokenOf({ url }, admin);
    await stopped(started);
  });

  test("only the owner can read the root key", () => {
    assert.equal(statSync(join(folder.path, "root.key")).mode & 0o777, 0o600);
  });
});

describe("a failing start prints the reason in one line and exits with status 1", () => {
  const folder = folderOf(self);
  after(folder.remove);

  before(async () => {
    const started = runStart(folder.path);
    await firstAdmin(await started.ready);
    await stopped(started);
  });

  test("reports a port that is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    const { port } = await new Promise<AddressInfo>((resolve) =>
      other.once("listening", () => resolve(other.address() as AddressInfo)),
    );
    const why = await refusal(folder.path, { env: { PORT: String(port) } });
    assert.match(why, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
    other.close();
  });

  for (const port of ["eighty", "70000", "-1", "3000.5"]) {
    test(`reports PORT=${port}`, async () => {
      assert.match(await refusal(folder.path, { env: { PORT: port } }), /The environment variable PORT is invalid: /);
    });
  }

  test("reports a read-only data folder", async () => {
    const parent = folderOf(self);
    chmodSync(parent.path, 0o555);
    const why = await refusal(join(parent.path, "data"), { as: ordinaryUser });
    assert.match(why, /The data folder .*\/data cannot be /);
    chmodSync(parent.path, 0o755);
    parent.remove();
  });

  test("reports a key file that others can read", async () => {
    const key = join(folder.path, "root.key");
    chmodSync(key, 0o644);
    assert.match(await refusal(folder.path), /Other users can read the key file .*root\.key\. Run chmod 600 on it\.$/);
    chmodSync(key, 0o600);
  });

  test("reports the key file of a different installation", async () => {
    const other = folderOf(self);
    const started = runStart(other.path);
    await started.ready;
    await stopped(started);
    const key = join(folder.path, "root.key");
    renameSync(key, `${key}.kept`);
    copyFileSync(join(other.path, "root.key"), key);
    chmodSync(key, 0o600);
    assert.match(await refusal(folder.path), /root\.key/);
    renameSync(`${key}.kept`, key);
    other.remove();
  });

  test("reports a missing key file", async () => {
    const key = join(folder.path, "root.key");
    renameSync(key, `${key}.kept`);
    assert.match(await refusal(folder.path), /root\.key/);
    assert.equal(existsSync(key), false, "no new key is made for what an older one sealed");
    renameSync(`${key}.kept`, key);
  });

  test("reports a database of a newer version", async () => {
    const started = runStart(folder.path);
    await started.ready;
    const later = "insert into schema_migrations (version, name, checksum) values (9999, 'later', 'x')";
    await runSql({ dataFolder: folder.path }, later);
    await stopped(started);
    assert.match(
      await refusal(folder.path),
      /This database is at version 9999 but this Strongroom supports only \d+\./,
    );
  });

  test("reports a DATABASE_URL without a server", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const env = { DATABASE_URL: `postgres://someone:a-password@127.0.0.1:${port}/strongroom` };
    assert.doesNotMatch(await refusal(folder.path, { env }), /a-password/);
  });

  test("leaves no process behind", () => {
    assert.deepEqual(processesOf(folder.path), []);
  });
});

describe("stopping", () => {
  const folder = folderOf(self);
  after(folder.remove);

  test("Ctrl-C stops every process, and the command exits with status 0", async () => {
    const started = runStart(folder.path);
    await started.ready;
    assert.notDeepEqual(processesOf(folder.path), [], "the search finds what runs");
    started.interrupt();
    const { status, stderr } = await started.ended;
    assert.equal(status, 0, stderr);
    assert.deepEqual(processesOf(folder.path), []);
  });

  test("SIGTERM stops every process, and the command exits with status 0", async () => {
    const started = runStart(folder.path);
    await started.ready;
    started.kill("SIGTERM");
    const { status, stderr } = await started.ended;
    assert.equal(status, 0, stderr);
    assert.deepEqual(processesOf(folder.path), []);
  });

  test("the server and its database end when the start script is killed", async () => {
    const started = runStart(folder.path);
    await started.ready;
    started.kill("SIGKILL");
    await started.ended;
    await untilGone(folder.path);
  });

  const needsProc = process.platform === "linux" ? false : "finds the server's process in /proc";
  test(
    "the start script ends when the server is killed, and the next start recovers everything",
    { skip: needsProc },
    async () => {
      const started = runStart(folder.path);
      const { url, setupLink } = await started.ready;
      const admin = await firstAdmin({ url, setupLink });
      process.kill(serverPid(folder.path), "SIGKILL");
      assert.notEqual((await started.ended).status, 0);
      // Restart without a delay, because the killed server's database may still be running.
      const next = runStart(folder.path);
      const again = await next.ready;
      assert.equal(again.setupLink, null);
      await tokenOf(again, admin);
      await stopped(next);
      assert.deepEqual(processesOf(folder.path), []);
    },
  );
});

describe("a start as an ordinary user", () => {
  test("works, and everything it creates belongs to that user", async () => {
    const folder = folderOf(ordinaryUser);
    const dataFolder = join(folder.path, "data");
    const started = runStart(dataFolder, { as: ordinaryUser });
    const { url, setupLink } = await started.ready;
    await tokenOf({ url }, await firstAdmin({ url, setupLink }));
    for (const path of ["", "root.key", "postgres", "postgres/cluster"]) {
      assert.equal(statSync(join(dataFolder, path)).uid, ordinaryUser.uid, path);
    }
    await stopped(started);
    assert.deepEqual(processesOf(dataFolder), []);
    folder.remove();
  });

  test("refuses a folder created by root in one line", { skip: isRoot ? false : "only root can" }, async () => {
    const folder = folderOf(ordinaryUser);
    const dataFolder = join(folder.path, "data");
    mkdirSync(dataFolder);
    chownSync(dataFolder, 0, 0);
    assert.match(await refusal(dataFolder, { as: ordinaryUser }), /The data folder .* cannot be /);
    folder.remove();
  });
});

describe("a start with DATABASE_URL", needs(postgresqlAvailable()), () => {
  const folder = folderOf(self);
  let postgresql: PostgresqlServer;
  let env: { DATABASE_URL: string };
  let password: string;

  before(async () => {
    postgresql = await startPostgresql();
    const role = await postgresql.addRole();
    password = role.password;
    await postgresql.sql(`create database strongroom owner ${role.username} template template0`);
    env = { DATABASE_URL: `postgres://${role.username}:${password}@127.0.0.1:${postgresql.port}/strongroom` };
  });
  after(async () => {
    await postgresql?.stop();
    folder.remove();
  });

  test("uses that PostgreSQL server and starts no embedded one", async () => {
    const first = runStart(folder.path, { env });
    const { url, setupLink } = await first.ready;
    const admin = await firstAdmin({ url, setupLink });
    const token = await tokenOf({ url }, admin);
    assert.equal((await ask(url, currentSession, {}, token)).user.email, admin.email);
    assert.equal((await ask(url, readHealth)).status, "healthy");
    assert.equal(existsSync(join(folder.path, "postgres")), false);
    await stopped(first);

    const second = runStart(folder.path, { env });
    const again = await second.ready;
    assert.equal((await send(again.url, currentSession, {}, token)).status, 200, "the session outlives the process");
    second.kill("SIGTERM");
    const { status, stdout, stderr } = await second.ended;
    assert.equal(status, 0);
    assert.equal((stdout + stderr).includes(password), false, "the password of the URL is not printed");
  });

  test("refuses a wrong password and a missing database in one line", async () => {
    const wrong = { DATABASE_URL: env.DATABASE_URL.replace(password, "not-the-password") };
    assert.doesNotMatch(await refusal(folder.path, { env: wrong }), /not-the-password/);
    const elsewhere = { DATABASE_URL: env.DATABASE_URL.replace(/strongroom$/, "elsewhere") };
    assert.match(await refusal(folder.path, { env: elsewhere }), /elsewhere/);
  });
});

/** Finds the server, which is a child of the start script. */
function serverPid(dataFolder: string): number {
  const server = processesOf(dataFolder).find((each) => each.includes("apps/server/src/main.ts"));
  assert.ok(server !== undefined);
  return Number.parseInt(server, 10);
}

const PATIENCE_MS = 20_000;

/** Polls, because only a parent is notified when a process ends. */
async function untilGone(dataFolder: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    if (processesOf(dataFolder).length === 0) return;
    await delay(50);
  }
  assert.deepEqual(processesOf(dataFolder), []);
}
