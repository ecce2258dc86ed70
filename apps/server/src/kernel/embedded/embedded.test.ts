import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { pino } from "pino";
import { StartError } from "#kernel/start-error.ts";
import { startEmbedded } from "./embedded.ts";
import type { Embedded } from "./embedded.ts";
import { isZombie, serverPid } from "./server-process.ts";
import { startChild, temporaryFolder, until } from "./testing/child.ts";

const temporary = temporaryFolder();
const dataFolder = join(temporary.path, "data");
const cluster = join(dataFolder, "postgres", "cluster");
const pidFile = join(cluster, "postmaster.pid");

const lines: string[] = [];
const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
const running: Embedded[] = [];

async function start(): Promise<Embedded> {
  const embedded = await startEmbedded({ dataFolder, log });
  running.push(embedded);
  return embedded;
}

async function ask<T = unknown>(
  embedded: Embedded,
  question: string,
  as: "application" | "superuser" = "application",
): Promise<T> {
  const client = new pg.Client(as === "application" ? embedded.connection : embedded.administration);
  // If the server ends, the query rejects too, and the test sees it there.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query({ text: question, rowMode: "array" });
    return rows[0]?.[0] as T;
  } finally {
    await client.end();
  }
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return isZombie(pid);
  } catch {
    return true;
  }
};

before(async () => {
  const embedded = await start();
  await ask(embedded, "create table kept (word text)");
  await ask(embedded, "insert into kept values ('kept')");
  await embedded.stop();
});
afterEach(async () => {
  for (const embedded of running.splice(0).toReversed()) await embedded.stop();
});
after(temporary.remove);

describe("the embedded database", () => {
  test("is reachable only through a private socket, with an ordinary role", async () => {
    const embedded = await start();
    assert.equal(embedded.adopted, false);
    assert.equal(await ask(embedded, "select word from kept"), "kept");
    assert.equal(await ask(embedded, "show listen_addresses", "superuser"), "");
    assert.equal(statSync(embedded.connection.host!).mode & 0o777, 0o700);
    assert.equal(await ask(embedded, "select rolsuper from pg_roles where rolname = current_user"), false);
    await assert.rejects(ask(embedded, "copy kept from program 'id'"), /permission denied/);
    await assert.rejects(ask(embedded, "select pg_read_file('/etc/hostname')"), /permission denied/);
  });

  test("flushes acknowledged data, and sorts text independently of the machine", async () => {
    const embedded = await start();
    for (const setting of ["fsync", "full_page_writes", "synchronous_commit", "data_checksums"]) {
      assert.equal(await ask(embedded, `show ${setting}`), "on", setting);
    }
    assert.equal(
      await ask(
        embedded,
        "select datlocprovider::text || ' ' || datlocale from pg_database where datname = current_database()",
      ),
      "b C.UTF-8",
    );
    assert.ok(Number(await ask(embedded, "show max_connections")) <= 60);
  });

  test("never runs as root and does not inherit our environment", async () => {
    process.env["STRONGROOM_TEST_CANARY"] = "must not leak";
    const embedded = await start();
    delete process.env["STRONGROOM_TEST_CANARY"];
    const pid = serverPid(cluster)!;
    assert.notEqual(statSync(cluster).uid, 0);
    if (process.platform === "linux") {
      assert.notEqual(statSync(`/proc/${pid}`).uid, 0);
      assert.ok(!readFileSync(`/proc/${pid}/environ`, "utf8").includes("CANARY"));
    }
    assert.equal(await ask(embedded, "select 1"), 1);
  });

  test("does not log the text or row values of a failing statement", async () => {
    const embedded = await start();
    await ask(embedded, "create table if not exists pairs (name text primary key)");
    await ask(embedded, "insert into pairs values ('canary-5f1e') on conflict do nothing");
    await assert.rejects(ask(embedded, "insert into pairs values ('canary-5f1e')"), /duplicate key/);
    await assert.rejects(ask(embedded, "select 1 / 0 from pairs where name = 'canary-5f1e'"), /division by zero/);
    const written = readFileSync(join(dataFolder, "postgres", "log", "server.log"), "utf8");
    assert.match(written, /duplicate key value/);
    assert.match(written, /division by zero/);
    assert.doesNotMatch(written, /canary-5f1e/);
  });

  test("has ended when stop returns, so the next start needs no recovery", async () => {
    const embedded = await start();
    const pid = serverPid(cluster)!;
    await Promise.all([embedded.stop(), embedded.stop()]);
    assert.ok(isGone(pid));
    assert.equal(existsSync(pidFile), false);
  });

  test("a live server is adopted, and keeps running while one Strongroom uses it", async () => {
    for (const leaver of ["first", "second"] as const) {
      const both = { first: await start(), second: await start() };
      assert.deepEqual([both.first.adopted, both.second.adopted], [false, true]);
      const pid = serverPid(cluster)!;
      const stayer = leaver === "first" ? both.second : both.first;
      const client = new pg.Client(stayer.connection);
      await client.connect();
      await both[leaver].stop();
      // The same connection as before.
      assert.deepEqual((await client.query("select word from kept")).rows, [{ word: "kept" }]);
      assert.equal(serverPid(cluster), pid);
      await client.end();
      await stayer.stop();
      assert.ok(isGone(pid));
    }
  });

  test("an adopted server keeps running for a Strongroom whose connection to it is cut", async () => {
    const first = await start();
    const second = await start();
    const pid = serverPid(cluster)!;
    await first.stop();
    const cut =
      "count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'strongroom supervisor'";
    assert.equal(await ask(second, `select ${cut}`, "superuser"), "1");
    await until("it watches the server again", async () => {
      const watching = "count(*) from pg_stat_activity where application_name = 'strongroom supervisor'";
      return (await ask(second, `select ${watching}`, "superuser")) === "1";
    });
    assert.equal(serverPid(cluster), pid);
    await second.stop();
    assert.ok(isGone(pid));
  });

  test("restarts when the server dies after the Strongroom that started it has stopped", async () => {
    const first = await start();
    const second = await start();
    await first.stop();
    const pid = serverPid(cluster)!;
    process.kill(pid, "SIGKILL");
    await until("the second one's server answers", async () => {
      return await ask(second, "select word from kept").then(
        (word) => word === "kept",
        () => false,
      );
    });
    assert.notEqual(serverPid(cluster), pid);
    await second.stop();
    assert.equal(serverPid(cluster), null);
  });

  test("stops when its last user is killed, leaving no process and no pipe", async () => {
    const [first, second] = [startChild(dataFolder, "hold"), startChild(dataFolder, "hold")];
    await Promise.all([first.ready, second.ready]);
    const pid = serverPid(cluster)!;
    await first.kill();
    const outsider = await start();
    await outsider.stop();
    assert.deepEqual([serverPid(cluster), isGone(pid)], [pid, false]);
    await second.kill();
    await until("the server has ended", () => isGone(pid));
    await until("its guardian has ended", () => readdirSync(outsider.connection.host!).length === 0);
  });

  test("ends with its guardian, and is restarted", { skip: process.platform !== "linux" }, async () => {
    const embedded = await start();
    const pid = serverPid(cluster)!;
    process.kill(Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]), "SIGKILL");
    await until("the server has ended", () => isGone(pid));
    await until("another server answers", async () => {
      return await ask(embedded, "select word from kept").then(
        (word) => word === "kept",
        () => false,
      );
    });
    await embedded.stop();
    assert.equal(serverPid(cluster), null);
  });

  test("four concurrent starts on a new folder share one server", async () => {
    const fresh = join(temporary.path, "raced");
    const children = Array.from({ length: 4 }, () => startChild(fresh, "hold"));
    const ready = await Promise.all(children.map((child) => child.ready));
    assert.equal(ready.filter((each) => !each.adopted).length, 1);
    for (const child of children.toSorted(() => 0.5 - Math.random())) await child.stop();
    assert.equal(serverPid(join(fresh, "postgres", "cluster")), null);
  });

  test("stops with a Strongroom that is killed, even without setpriv, and the next start finds everything", async () => {
    const programs = join(temporary.path, "programs");
    mkdirSync(programs);
    for (const name of ["sh", "id", "test", "mkfifo", "rm", "sleep"]) {
      symlinkSync(findProgram(name), join(programs, name));
    }
    for (const PATH of [process.env["PATH"], programs]) {
      const child = startChild(dataFolder, "hold", { env: { PATH } });
      await child.ready;
      const pid = serverPid(cluster)!;
      await child.kill();
      await until("the server has ended", () => isGone(pid), 10_000);
      const embedded = await start();
      assert.deepEqual([embedded.adopted, await ask(embedded, "select word from kept")], [false, "kept"]);
      await embedded.stop();
    }
  });

  test(
    "a server without a guardian is adopted, and stopped by the last user",
    { skip: process.platform !== "linux" },
    async () => {
      const embedded = await start();
      const [program = "", ...args] = readFileSync(`/proc/${serverPid(cluster)}/cmdline`, "utf8")
        .split("\0")
        .slice(0, -1);
      await embedded.stop();
      const { uid, gid } = statSync(cluster);
      const guarded = args.findIndex((argument) => argument.startsWith("strongroom.users="));
      args.splice(guarded - 1, 2);
      const orphan = spawn(program, args, { uid, gid, cwd: "/", env: {}, stdio: "ignore" });
      const second = await start();
      assert.deepEqual([second.adopted, serverPid(cluster)], [true, orphan.pid]);
      const third = await start();
      await second.stop();
      assert.equal(await ask(third, "select word from kept"), "kept");
      await third.stop();
      assert.ok(isGone(orphan.pid!));
    },
  );

  const answersAgain = (embedded: Embedded) =>
    until("it answers again", async () => {
      return await ask(embedded, "select word from kept").then(
        (word) => word === "kept",
        () => false,
      );
    });

  test("restarts after a kill, which it logs", async () => {
    const embedded = await start();
    const pid = serverPid(cluster)!;
    process.kill(pid, "SIGKILL");
    await answersAgain(embedded);
    assert.notEqual(serverPid(cluster), pid);
    assert.ok(lines.some((line) => line.includes("ended unexpectedly")));
  });

  test("restarts after at most 2 s, however often it was killed", async () => {
    const embedded = await start();
    const before = lines.length;
    const restarts = () => lines.slice(before).filter((line) => line.includes("is running again")).length;
    for (let kills = 1; kills <= 8; kills++) {
      process.kill(serverPid(cluster)!, "SIGKILL");
      await answersAgain(embedded);
      // Killed before the supervisor sees it answer, the database counts as not started: such delays grow to 30 s.
      await until("the supervisor has logged the restart", () => restarts() === kills);
    }
    // How long a start takes depends on the load of the machine; the delay before it does not.
    const delays = lines
      .slice(before)
      .map((line) => (JSON.parse(line) as { delay_ms?: number }).delay_ms)
      .filter((each) => each !== undefined);
    assert.deepEqual(delays, [0, 250, 1000, 2000, 2000, 2000, 2000, 2000], lines.slice(before).join(""));
  });

  test("keeps the pid file of a live server that does not answer yet", async () => {
    const child = startChild(dataFolder, "hold");
    await child.ready;
    const pid = serverPid(cluster)!;
    const written = readFileSync(pidFile, "utf8");
    process.kill(pid, "SIGSTOP");
    const starting = start();
    const early = await Promise.race([starting, delay(1500, "still waiting")]);
    assert.equal(early, "still waiting");
    assert.equal(readFileSync(pidFile, "utf8"), written);
    process.kill(pid, "SIGCONT");
    assert.equal((await starting).adopted, true);
    await child.stop();
  });

  test("waits for a zombie server to disappear", { skip: process.platform !== "linux" }, async () => {
    await leavePidFile();
    using dead = await aZombie();
    namePid(dead.zombie);
    const starting = start();
    assert.equal(await Promise.race([starting, delay(300, "still waiting")]), "still waiting");
    assert.ok(existsSync(pidFile));
    dead.parent.kill();
    const embedded = await starting;
    assert.deepEqual([embedded.adopted, await ask(embedded, "select word from kept")], [false, "kept"]);
  });

  test(
    "explains in one sentence that a container has no init process",
    { skip: process.platform !== "linux" },
    async () => {
      await leavePidFile();
      using dead = await aZombie();
      namePid(dead.zombie);
      await assert.rejects(
        start(),
        (error) => error instanceof StartError && /not reaped it: .*--init/.test(error.message),
      );
    },
  );

  test(
    "a stale pid file whose number now belongs to a different program does not prevent the start",
    { skip: process.platform !== "linux" },
    async () => {
      await leavePidFile();
      namePid(process.pid);
      const embedded = await start();
      assert.deepEqual([embedded.adopted, await ask(embedded, "select word from kept")], [false, "kept"]);
    },
  );

  test("limits the size of its log while the server writes", async () => {
    const file = join(dataFolder, "postgres", "log", "server.log");
    writeFileSync(file, "x".repeat(6 * 1024 * 1024), { flag: "a" });
    await start();
    assert.ok(statSync(file).size < 100_000);
    assert.ok(statSync(`${file}.1`).size > 6_000_000);
    assert.match(readFileSync(file, "utf8"), /ready to accept connections/);
  });

  test("works in a data folder whose path is too long for a socket", async () => {
    const deep = join(temporary.path, "d".repeat(60), "e".repeat(60), "data");
    const embedded = await startEmbedded({ dataFolder: deep, log });
    assert.ok(!embedded.connection.host!.startsWith(deep));
    assert.equal(statSync(embedded.connection.host!).mode & 0o777, 0o700);
    assert.equal(await ask(embedded, "select 1"), 1);
    await embedded.stop();
  });
});

/** Leaves a pid file as after a crash, which names a server that no longer exists. */
async function leavePidFile(): Promise<void> {
  const embedded = await start();
  copyFileSync(pidFile, `${pidFile}.copy`);
  await embedded.stop();
  copyFileSync(`${pidFile}.copy`, pidFile);
}

/** Dispose of it to end its parent, which would otherwise outlive a failed test. */
async function aZombie() {
  // The shell becomes a program that never reaps its child.
  const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 600"], { stdio: ["ignore", "pipe", "ignore"] });
  const [said] = (await once(parent.stdout, "data")) as [Buffer];
  const zombie = Number(said.toString());
  await until("it is a zombie", () => isZombie(zombie));
  return { parent, zombie, [Symbol.dispose]: () => void parent.kill() };
}

function namePid(pid: number): void {
  writeFileSync(pidFile, readFileSync(pidFile, "utf8").replace(/^\d+/, String(pid)));
}

function findProgram(name: string): string {
  const folder = process.env["PATH"]!.split(delimiter).find((each) => existsSync(join(each, name)));
  return join(folder!, name);
}
