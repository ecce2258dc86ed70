import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readCheckpoint, verifyAudit } from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import { readKeyFile } from "@strongroom/keys";
import { openDatabase } from "@strongroom/server/kernel/db/database.ts";
import { readMigrations } from "@strongroom/server/kernel/db/migrate.ts";
import { startEmbedded } from "@strongroom/server/kernel/embedded/embedded.ts";
import { openLog } from "@strongroom/server/kernel/log.ts";
import type { RunningServer } from "../../../../e2e/testing/server.ts";
import { aDependent, updatedMessage } from "../../testing/a-dependent.ts";
import type { AddedDependent } from "../../testing/a-dependent.ts";
import { ADMIN, anInstallation, call, reveal, signIn, storeSecret } from "../../testing/a-strongroom.ts";

const SECRET = "canary-of-a-stored-secret";

const installation = anInstallation();
/** Copies the key file into the folder, as an operator does before a restore. */
function putKeyInto(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyFileSync(join(installation.dataFolder, "root.key"), join(folder, "root.key"));
}
const isRoot = process.geteuid?.() === 0;
const backup = join(installation.folder, "backup");
let server: RunningServer;
let admin: string;
let credential: CredentialId;
let dependent: AddedDependent;

before(async () => {
  server = await installation.start();
  admin = await installation.setUp(server);
  credential = await storeSecret(server, admin, SECRET);
  dependent = await aDependent(server, admin);
});
after(() => installation.remove());

/** Writes through the API until stopped; returns the number of stored secrets. */
function writing(): () => Promise<number> {
  const over = new AbortController();
  let stored = 0;
  const work = (async () => {
    for (; !over.signal.aborted; stored++) await storeSecret(server, admin, `secret number ${stored}`);
  })();
  return async () => {
    over.abort();
    await work;
    return stored;
  };
}

test("a backup made during writes is restored elsewhere, reveals its secrets, and its audit trail verifies", async () => {
  const stop = writing();
  const made = await installation.run(["backup", backup]);
  const stored = await stop();
  assert.equal(made.status, 0, made.stderr);
  assert.ok(stored > 0, "writes continued during the backup");
  assert.match(made.stdout, /^Backed up \d+ files, \d+ MB, as of \S+Z\.\n$/);

  const key = readKeyFile(join(installation.dataFolder, "root.key"));
  assert.match(made.stderr, new RegExp(`useless without the root key ${key.id}`));

  const restoredFolder = join(installation.folder, "restored");
  const env = { STRONGROOM_DATA: restoredFolder };
  const early = await installation.run(["restore", backup], { env });
  assert.equal(early.status, 1);
  assert.match(
    early.stderr,
    new RegExp(`needs the root key ${key.id}\\. Put its key file at ${restoredFolder}/root\\.key`),
  );
  assert.ok(!existsSync(join(restoredFolder, "postgres")), "nothing was started");

  putKeyInto(restoredFolder);
  const done = await installation.run(["restore", backup], { env });
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, new RegExp(`It authenticates with the root key ${key.id}\\.`));
  const restored = await installation.start({ STRONGROOM_DATA: restoredFolder });
  const token = await signIn(restored, ADMIN);
  assert.equal(await reveal(restored, token, credential), SECRET);
  assert.match(await updatedMessage(restored, token, dependent), /127\.0\.0\.1/, "its row is authentic");

  await until(async () => (await call(restored, readCheckpoint, { as: token })).body.pending === 0);
  const { body: report } = await call(restored, verifyAudit, { as: token });
  assert.deepEqual([report.is_intact, report.findings], [true, []]);
  assert.ok(report.checked > 3);
  await restored.stop();
});

test("the backup is audited before it is made, and so is the restore", async () => {
  const events = async (data: string): Promise<string[]> => {
    const ran = await installation.run(["audit", "export"], { env: { STRONGROOM_DATA: data } });
    assert.equal(ran.status, 0, ran.stderr);
    return [...ran.stdout.matchAll(/"event":"(backup\.[a-z]+)"/g)].map(([, event]) => event ?? "");
  };
  assert.deepEqual(await events(installation.dataFolder), ["backup.started", "backup.completed"]);
  assert.deepEqual(await events(join(installation.folder, "restored")), ["backup.started", "backup.restored"]);
});

test("a backup contains neither the root key nor a stored secret", async () => {
  const keyText = readFileSync(join(installation.dataFolder, "root.key"), "utf8").split("\n")[2] ?? "";
  assert.equal(keyText.length, 43);
  const needles = [keyText, Buffer.from(keyText, "base64url"), SECRET, ADMIN.password];
  for (const entry of readdirSync(backup, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    for (const needle of needles) assert.ok(!bytes.includes(needle), path);
    assert.equal(statSync(path).mode & 0o077, 0, path);
  }
});

test("a restore uses an existing key file, and keeps the newer checkpoint beside it", async () => {
  const again = join(installation.folder, "again");
  mkdirSync(join(again, "audit"), { recursive: true });
  copyFileSync(join(installation.dataFolder, "root.key"), join(again, "root.key"));
  await server.stop();
  copyFileSync(join(installation.dataFolder, "audit", "checkpoint"), join(again, "audit", "checkpoint"));
  const ran = await installation.run(["restore", backup], { env: { STRONGROOM_DATA: again } });
  assert.equal(ran.status, 0, ran.stderr);

  const cutBack = await installation.start({ STRONGROOM_DATA: again });
  const token = await signIn(cutBack, ADMIN);
  await until(() =>
    /the log ends at \d+ but the checkpoint in the data folder signed \d+ entries/.test(cutBack.output()),
  );
  const { body: report } = await call(cutBack, verifyAudit, { as: token });
  assert.equal(report.is_intact, false, "an auditor sees that entries are gone");
  await cutBack.stop();
});

test("a backup works without a server, and only into a new folder", async () => {
  const offline = join(installation.folder, "offline");
  const made = await installation.run(["backup", offline, "--json"]);
  assert.equal(made.status, 0, made.stderr);
  const said = JSON.parse(made.stdout) as { files: number; root_key: { id: string; provider: string } };
  assert.deepEqual(said.root_key, {
    id: readKeyFile(join(installation.dataFolder, "root.key")).id,
    provider: "key-file",
  });
  assert.ok(!existsSync(join(installation.dataFolder, "postgres", "cluster", "postmaster.pid")));

  for (const target of [offline, join(installation.dataFolder, "inside")]) {
    const refused = await installation.run(["backup", target]);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /is not empty|is inside the data folder/);
  }
});

test(
  "root refuses to restore into another user's folder, because that user could not start the server",
  { skip: !isRoot && "needs root" },
  async () => {
    const theirs = join(installation.folder, "theirs");
    mkdirSync(theirs);
    chownSync(theirs, 65_534, 65_534);
    const refused = await installation.run(["restore", backup], { env: { STRONGROOM_DATA: theirs } });
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /theirs belongs to another user/);
    assert.deepEqual(readdirSync(theirs), []);
  },
);

test("a backup verifies with its root key; without a MAC it is restored only with the operator's consent", async () => {
  const good = await installation.run(["backup", "verify", backup]);
  assert.equal(good.status, 0, good.stderr);
  assert.match(good.stdout, /Authenticated with the root key [0-9a-f]{32}\./);

  const earlier = join(installation.folder, "earlier");
  cpSync(backup, earlier, { recursive: true });
  const path = join(earlier, "manifest.json");
  const {
    mac: _mac,
    name: _name,
    seal: _seal,
    system_identifier: _id,
    ...rest
  } = JSON.parse(readFileSync(path, "utf8"));
  const manifest = { ...rest, format: "strongroom-backup/1" };
  const checksum = createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
  writeFileSync(path, JSON.stringify({ ...manifest, checksum }));

  const unverified = await installation.run(["backup", "verify", earlier]);
  assert.equal(unverified.status, 1);
  assert.match(unverified.stderr, /cannot be authenticated/);
  const env = { STRONGROOM_DATA: join(installation.folder, "accepted") };
  const refused = await installation.run(["restore", earlier], { env });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /can run commands as this user\. .* add --accept-unauthenticated/);
  const accepted = await installation.run(["restore", earlier, "--accept-unauthenticated"], { env });
  assert.equal(accepted.status, 0, accepted.stderr);
  assert.match(accepted.stderr, /It was not authenticated/);
});

test("refuses to restore over a database, from a damaged backup, and from a folder without a backup", async () => {
  const occupied = await installation.run(["restore", backup]);
  assert.equal(occupied.status, 1);
  assert.match(occupied.stderr, /There is a database in .* move it away first/);

  const damaged = join(installation.folder, "offline");
  const file = join(damaged, "postgres", "cluster", "global", "pg_control");
  const bytes = readFileSync(file);
  bytes[0]! ^= 1;
  writeFileSync(file, bytes);
  const env = { STRONGROOM_DATA: join(installation.folder, "never") };
  putKeyInto(env.STRONGROOM_DATA);
  const refused = await installation.run(["restore", damaged], { env });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /is damaged: postgres\/cluster\/global\/pg_control/);

  rmSync(join(damaged, "manifest.json"));
  const unfinished = await installation.run(["restore", damaged], { env });
  assert.match(unfinished.stderr, /is not a complete backup/);
  assert.ok(!existsSync(join(env.STRONGROOM_DATA, "postgres", "cluster")));
});

test("commands refuse a database of a different version, but a backup works before and after an upgrade", async () => {
  const atVersion = async (version: number): Promise<void> => {
    const embedded = await startEmbedded({ dataFolder: installation.dataFolder, log: openLog("silent") });
    const database = openDatabase({ connection: embedded.connection, log: openLog("silent"), poolSize: 1 });
    await database.pool.query(
      "update schema_migrations set version = $1 where version = (select max(version) from schema_migrations)",
      [version],
    );
    await database.close();
    await embedded.stop();
  };
  const known = (await readMigrations()).at(-1)!.version;
  const versions: [version: number, says: RegExp, folder: string][] = [
    // Gives the newest migration the number 0, so that the one before it is the newest.
    [0, /Restart the server, which migrates it/, "older"],
    [known + 100, /Use the newer Strongroom/, "newer"],
  ];
  for (const [version, says, folder] of versions) {
    await atVersion(version);
    const refused = await installation.run(["user", "list"]);
    assert.deepEqual([refused.status, refused.stdout], [1, ""]);
    assert.match(refused.stderr, says);
    const made = await installation.run(["backup", join(installation.folder, folder)]);
    assert.equal(made.status, 0, made.stderr);
  }
  const env = { STRONGROOM_DATA: join(installation.folder, "from-newer") };
  putKeyInto(env.STRONGROOM_DATA);
  const newer = await installation.run(["restore", join(installation.folder, "newer")], { env });
  assert.equal(newer.status, 1);
  assert.match(newer.stderr, /This backup is of version \d+, but this Strongroom only supports \d+/);
  assert.ok(!existsSync(join(env.STRONGROOM_DATA, "postgres", "cluster")));
  const older = await installation.run(["restore", join(installation.folder, "older")], { env });
  assert.equal(older.status, 0, older.stderr);
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 40_000; !(await isSo()); await delay(50))
    assert.ok(Date.now() < end, "it never happened");
}
