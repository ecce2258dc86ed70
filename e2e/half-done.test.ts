// Kills the server in the middle of a backup, a restore drill and the start of an access review. Afterwards, unfinished work does
// not appear complete, and no files remain.
import {
  createSafe,
  drillBackup,
  listAccessReviews,
  listBackups,
  makeBackup,
  startAccessReview,
} from "@strongroom/contract";
import type { BackupList } from "@strongroom/contract";
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { runSql } from "./testing/database.ts";
import { ask, firstAdmin, send, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

const ENV = { STRONGROOM_LOG_LEVEL: "error" };
const LOOKS = 3000;

/** Polls continuously, because the awaited state lasts less than a second. */
async function until<T>(what: string, look: () => Promise<T | null> | T | null): Promise<T> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const found = await look();
    if (found !== null) return found;
    await delay(10);
  }
  throw new Error(`${what}: it did not come to that`);
}

interface Ground {
  server: RunningServer;
  admin: Person;
  token: string;
}

async function open(): Promise<Ground> {
  const server = await startServer(ENV);
  const admin = await firstAdmin(server);
  return { server, admin, token: await tokenOf(server, admin) };
}

/** Simulates a power cut, in which the database's processes end together with the server. */
async function killed({ server, admin, token }: Ground): Promise<Ground> {
  await server.kill();
  const next = await startServer(ENV, server.dataFolder);
  return { server: next, admin, token };
}

const backupsOf = ({ server: { url }, token }: Ground): Promise<BackupList> => ask(url, listBackups, {}, token);
const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

describe("a killed server", () => {
  let ground: Ground;
  let other: Ground;
  before(async () => {
    [ground, other] = await Promise.all([open(), open()]);
  });
  after(() => Promise.all([ground?.server.close(), other?.server.close()]));

  test("lists no backup and removes the files when killed in the middle of a backup", async () => {
    const folder = join(ground.server.dataFolder, "backups");
    await ask(ground.server.url, makeBackup, {}, ground.token);
    const name = await until("a backup under way", () => {
      const [started] = namesIn(folder);
      // Some of the cluster's files exist, but not the manifest, which is written last.
      return started !== undefined && namesIn(join(folder, started, "postgres/cluster/base")).length > 0
        ? started
        : null;
    });
    const isWhole = existsSync(join(folder, name, "manifest.json"));
    ground = await killed(ground);
    assert.equal(isWhole, false, "it was killed in the middle");
    assert.deepEqual((await backupsOf(ground)).data, []);
    assert.deepEqual(namesIn(folder), []);
  });

  test("reports no success and removes the copy when killed in the middle of a restore drill", async () => {
    await ask(other.server.url, makeBackup, {}, other.token);
    const { name } = await until("a whole backup", async () => {
      const { data, under_way: underWay } = await backupsOf(other);
      return underWay === null ? (data[0] ?? null) : null;
    });
    const folder = join(other.server.dataFolder, "drills");
    await ask(other.server.url, drillBackup, { params: { name } }, other.token);
    await until("a copy under way", () => (namesIn(folder).length > 0 ? true : null));
    other = await killed(other);
    assert.deepEqual(namesIn(folder), []);
    const { data, last_drill: drill } = await backupsOf(other);
    assert.equal(data[0]?.state, "complete", "the backup itself is as good as before");
    assert.deepEqual([drill?.backup, drill?.is_good], [name, null], "the result of the drill is unknown");
  });

  test("keeps neither memberships nor an audit entry when killed while starting an access review", async () => {
    const { server, token } = ground;
    await ask(server.url, createSafe, { body: { name: "A safe", description: null } }, token);
    // At this point, the review's memberships are inserted, and its reviewers are about to be notified.
    const holding = await holdNotices(server);
    const body = {
      name: "Everything",
      scope: { kind: "all" },
      due_at: new Date(Date.now() + 86_400_000).toISOString(),
      unreviewed: "stays",
    } as const;
    const starting = send(server.url, startAccessReview, { body }, token).then(
      ({ status }) => status,
      () => null,
    );
    await until("the start held up", async () => ((await runSql(server, HELD_UP)) > 0 ? true : null));
    ground = await killed(ground);
    await holding.end().catch(() => undefined);
    assert.equal(await starting, null, "it was not answered");
    assert.deepEqual((await ask(ground.server.url, listAccessReviews, {}, token)).reviews, []);
    const orphans = await runSql(ground.server, "select from access_review_items");
    const told = await runSql(ground.server, "select from audit_entries where event = 'access-control.review-started'");
    assert.deepEqual([orphans, told], [0, 0]);
  });
});

const HELD_UP = `select from pg_stat_activity
  where wait_event_type = 'Lock' and query like '%insert into "notices"%' and pid <> pg_backend_pid()`;

/** Blocks notifications until the connection ends. */
async function holdNotices({ dataFolder }: RunningServer): Promise<pg.Client> {
  const client = new pg.Client({ host: join(dataFolder, "postgres/run"), user: "strongroom", database: "strongroom" });
  // The blocking connection ends with the server.
  client.on("error", () => undefined);
  await client.connect();
  await client.query("begin");
  await client.query("lock table notices in share mode");
  return client;
}
