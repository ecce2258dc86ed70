// Backups and restore drills from the Admin Console, and replacing keys, on a real embedded database.
import {
  createCredential,
  deleteBackup,
  drillBackup,
  listBackups,
  makeBackup,
  readKeys,
  rekey,
  replaceSigningKey,
  revealCredential,
  readCredential,
} from "@strongroom/contract";
import type { Backup, RestoreDrill } from "@strongroom/contract";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "#kernel/db/database.ts";
import { migrate } from "#kernel/db/migrate.ts";
import { startEmbedded } from "#kernel/embedded/embedded.ts";
import type { Embedded } from "#kernel/embedded/embedded.ts";
import { temporaryFolder } from "#kernel/embedded/testing/child.ts";
import { openLog } from "#kernel/log.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

const log = openLog("silent");
const isRoot = process.geteuid?.() === 0;
const canUnshare = isRoot && canRun("unshare", ["--net", "true"]);
const temporary = temporaryFolder();
const dataFolder = join(temporary.path, "data");
let embedded: Embedded;
let app: TestApp;
let admin: TestPerson;
let credential: string;

before(async () => {
  embedded = await startEmbedded({ dataFolder, log });
  const database = openDatabase({ connection: embedded.connection, log, poolSize: 10 });
  await migrate(database, log);
  const given = { database, connection: embedded.connection, drop: () => database.close() };
  app = await testApp({ database: given, dataFolder, embedded });
  admin = await firstAdmin(app);
  const body = { name: "kept", type: "application", value: "a secret value" } as const;
  credential = (await app.call(createCredential, { body, as: admin.token })).body.id;
});
after(async () => {
  await app.close();
  await embedded.stop();
  temporary.remove();
});

function canRun(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const list = async () => (await app.call(listBackups, { as: admin.token })).body;
/** Polls slowly and for a long time: 1,700 files are copied and hashed, perhaps on a busy machine. */
async function idle() {
  for (let looks = 0; looks < 400; looks++) {
    await delay(200);
    const now = await list();
    if (now.under_way === null) return now;
  }
  throw new Error("the work does not end");
}

async function backedUp(): Promise<Backup> {
  const known = new Set((await list()).data.map(({ name }) => name));
  const reply = await app.call(makeBackup, { as: admin.token });
  assert.equal(reply.status, 202, reply.text);
  const { data, last_error: error } = await idle();
  const made = data.find(({ name }) => !known.has(name));
  assert.ok(made !== undefined && error === null, String(error));
  return made;
}

async function drilled({ name }: Backup): Promise<RestoreDrill> {
  const reply = await app.call(drillBackup, { params: { name }, as: admin.token });
  assert.equal(reply.status, 202, reply.text);
  await idle();
  const drill = (await list()).data.find((each) => each.name === name)?.last_drill;
  assert.ok(drill != null && drill.ended_at !== null);
  return drill;
}

const saidOf = (drill: RestoreDrill) =>
  drill.findings.map(({ what, is_good: isGood, says }) => `${what} ${isGood}: ${says}`);
const reveal = () => app.call(revealCredential, { params: { id: credential }, body: {}, as: admin.token });

let backup: Backup;

test("a backup is made while the server runs", async () => {
  backup = await backedUp();
  assert.equal(backup.state, "complete");
  assert.ok(backup.size_bytes > 1_000_000 && backup.files > 100);
  assert.equal(backup.root_key_id, app.kernel.keys.rootKeyId);
  assert.match((await list()).warning ?? "", /STRONGROOM_BACKUPS/);
});

test("replacing the root key takes effect in this process before the reply, ends no session and is audited with the administrator's id", async () => {
  const keys = (await app.call(readKeys, { as: admin.token })).body;
  assert.deepEqual([keys.provider, keys.rekey_obstacle, keys.problem], ["key-file", null, null]);
  const reply = await app.call(rekey, { as: admin.token });
  assert.equal(reply.status, 200, reply.text);
  assert.notEqual(reply.body.root_key_id, keys.root_key_id);
  assert.equal(app.kernel.keys.rootKeyId, reply.body.root_key_id);
  assert.equal((await reveal()).body.value, "a secret value");
  const { rows } = await app.database.pool.query(
    "select event, actor_id from audit_entries where event like 'seal.rekey%' order by id",
  );
  assert.deepEqual(rows, [
    { event: "seal.rekey-started", actor_id: admin.id },
    { event: "seal.rekeyed", actor_id: admin.id },
  ]);
  assert.equal((await app.call(replaceSigningKey, { as: admin.token })).status, 200);
  assert.equal((await app.call(readKeys, { as: admin.token })).status, 200);
});

test("a drill starts a copy of the backup, verifies its audit trail and opens its secrets, and the live database does not change", async () => {
  const later = { name: "later", type: "application", value: "another secret" } as const;
  await app.call(createCredential, { body: later, as: admin.token });
  const before = (await app.call(readKeys, { as: admin.token })).body;
  const drill = await drilled(backup);
  assert.equal(drill.is_good, true, saidOf(drill).join("\n"));
  assert.deepEqual(
    drill.findings.map(({ what }) => what),
    ["authenticity", "files", "database", "keys", "audit", "secrets"],
  );
  assert.match(saidOf(drill).at(-1) ?? "", /1 stored secret open/);
  assert.ok(!existsSync(join(dataFolder, "drills")), "nothing is left of the drill");
  // The backup is older than the current root key. The drill read the backup's key and did not activate it.
  assert.notEqual(backup.root_key_id, before.root_key_id);
  assert.deepEqual((await app.call(readKeys, { as: admin.token })).body, before);
  assert.equal((await reveal()).body.value, "a secret value");
});

test("a drill detects a damaged backup, a backup can be deleted, and paths outside the backup folder are refused", async () => {
  const folder = join(app.config.backupFolder, backup.name);
  appendFileSync(join(folder, "postgres/cluster/PG_VERSION"), "x");
  const drill = await drilled(backup);
  assert.equal(drill.is_good, false);
  assert.match(saidOf(drill).join("\n"), /files false: .*PG_VERSION does not match its checksum/);

  assert.equal((await app.call(deleteBackup, { params: { name: backup.name }, as: admin.token })).status, 200);
  assert.ok(!existsSync(folder));
  for (const name of ["..", "../data", "20260101T000000Z", "20260101T000000Z/../../data"]) {
    const gone = await app.call(deleteBackup, { params: { name }, as: admin.token });
    assert.equal(gone.status, 404, name);
  }
  assert.ok(existsSync(join(dataFolder, "postgres")));
});

test("a drill refuses a backup that was changed, made by an earlier version, or renamed", async () => {
  const genuine = await backedUp();
  const { backupFolder } = app.config;
  const marker = join(temporary.path, "marker");
  const manifestIn = (folder: string) => join(folder, "manifest.json");
  const change = (folder: string, isAuthenticable: boolean): void => {
    const settings = "postgres/cluster/postgresql.auto.conf";
    appendFileSync(join(folder, settings), `archive_mode = on\narchive_command = 'touch ${marker}; false'\n`);
    const { mac, name, seal, system_identifier, ...rest } = JSON.parse(readFileSync(manifestIn(folder), "utf8"));
    const file = rest.files.find((each: { path: string }) => each.path === settings);
    file.size = statSync(join(folder, settings)).size;
    file.sha256 = createHash("sha256")
      .update(readFileSync(join(folder, settings)))
      .digest("hex");
    if (isAuthenticable) {
      writeFileSync(manifestIn(folder), JSON.stringify({ ...rest, mac, name, seal, system_identifier }));
      return;
    }
    const earlier = { ...rest, format: "strongroom-backup/1" };
    const checksum = createHash("sha256").update(JSON.stringify(earlier)).digest("hex");
    writeFileSync(manifestIn(folder), JSON.stringify({ ...earlier, checksum }));
  };
  const attacks: [name: string, state: Backup["state"], how: (folder: string) => void, says: RegExp][] = [
    [
      "20260101T000001Z",
      "damaged",
      (folder) => change(folder, true),
      /authenticity false: .*changed after it was made/,
    ],
    ["20260101T000002Z", "unauthenticated", (folder) => change(folder, false), /authenticity false: .*earlier version/],
    ["20260101T000003Z", "damaged", () => {}, /authenticity false: This is the backup .* under another name/],
  ];
  for (const [name, state, how, says] of attacks) {
    const folder = join(backupFolder, name);
    cpSync(join(backupFolder, genuine.name), folder, { recursive: true });
    how(folder);
    const listed = (await list()).data.find((each) => each.name === name)!;
    assert.equal(listed.state, state);
    const drill = await drilled(listed);
    assert.equal(drill.is_good, false);
    assert.match(saidOf(drill).join("\n"), says);
    assert.equal(drill.findings.length, 1, "nothing else was looked at");
  }
  assert.ok(!existsSync(marker), "no command ran");
});

test(
  "a drill's database runs as a different OS user than the live one and without network access",
  { skip: !isRoot && "needs root" },
  async () => {
    const genuine = await backedUp();
    const seen: { uid: number; interfaces: string }[] = [];
    const drills = join(dataFolder, "drills");
    const watching = setInterval(() => {
      for (const pid of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
        try {
          if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(drills)) continue;
          seen.push({ uid: statSync(`/proc/${pid}`).uid, interfaces: readFileSync(`/proc/${pid}/net/dev`, "utf8") });
        } catch {
          // The process has exited.
        }
      }
    }, 5);
    try {
      assert.equal((await drilled(genuine)).is_good, true);
    } finally {
      clearInterval(watching);
    }
    assert.ok(seen.length > 0, "the drill's server was seen");
    const live = statSync(join(dataFolder, "postgres")).uid;
    for (const { uid, interfaces } of seen) {
      assert.notEqual(uid, live);
      assert.notEqual(uid, 0);
      if (canUnshare)
        assert.deepEqual(
          [...interfaces.matchAll(/^\s*(\w+):/gm)].map(([, name]) => name),
          ["lo"],
        );
    }
  },
);

test("a manager cannot use backups, and with DATABASE_URL the list says how to make backups instead", async (context) => {
  const manager = await aPerson(app, "manager");
  assert.equal((await app.call(listBackups, { as: manager.token })).status, 403);
  assert.equal((await app.call(rekey, { as: manager.token })).status, 403);

  const elsewhere = await testApp({ config: { databaseUrl: "postgres://elsewhere.example/strongroom" } });
  context.after(() => elsewhere.close());
  const other = await firstAdmin(elsewhere);
  const { body } = await elsewhere.call(listBackups, { as: other.token });
  assert.match(body.instead ?? "", /pg_dump/);
  assert.equal((await elsewhere.call(makeBackup, { as: other.token })).status, 409);
  const keys = (await elsewhere.call(readKeys, { as: other.token })).body;
  assert.match(keys.rekey_obstacle ?? "", /other machines/);
  assert.equal((await elsewhere.call(rekey, { as: other.token })).status, 409);
  assert.equal((await elsewhere.call(readCredential, { params: { id: credential }, as: other.token })).status, 404);
});
