import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { exportAudit, readCheckpoint } from "@strongroom/contract";
import { openDatabase } from "@strongroom/server/kernel/db/database.ts";
import { openLog } from "@strongroom/server/kernel/log.ts";
import { startEmbedded } from "@strongroom/server/kernel/embedded/embedded.ts";
import type { RunningServer } from "../../../../e2e/testing/server.ts";
import { anInstallation, call, storeSecret } from "../../testing/a-strongroom.ts";

const installation = anInstallation();
const file = (name: string): string => join(installation.folder, name);
let server: RunningServer;
let admin: string;

before(async () => {
  server = await installation.start();
  admin = await installation.setUp(server);
  for (const number of [1, 2, 3]) await storeSecret(server, admin, `secret number ${number}`);
  await settled();
});
after(() => installation.remove());

/** Waits until every entry is in the tree. */
async function settled(): Promise<void> {
  const end = Date.now() + 40_000;
  while ((await call(server, readCheckpoint, { as: admin })).body.pending > 0) {
    assert.ok(Date.now() < end, "every entry gets an index");
    await delay(20);
  }
}

async function succeeds(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await installation.run(words);
  assert.equal(status, 0, stderr);
  return stdout;
}

test("`audit verify` accepts the output of `audit export` with the key from `audit key`", async () => {
  writeFileSync(file("key"), await succeeds("audit", "key"));
  await succeeds("audit", "export", file("trail.jsonl"));
  assert.equal(statSync(file("trail.jsonl")).mode & 0o777, 0o600);
  const said = await succeeds("audit", "verify", file("trail.jsonl"), "--key", file("key"));
  assert.match(said, /^Intact: \d+ entries, exactly as signed\./);
  assert.ok(!readFileSync(file("trail.jsonl"), "utf8").includes("secret number"));
});

test("an export to standard output can be piped into the verifier, and equals the server's", async () => {
  const { status, stdout } = await installation.run(["audit", "export"]);
  assert.equal(status, 0);
  const verified = await installation.run(["audit", "verify", "-", "--key", file("key")], { input: stdout });
  assert.equal(verified.status, 0, verified.stdout);
  await settled();
  const fromServer = await fetch(new URL(exportAudit.path, server.url), {
    headers: { authorization: `Bearer ${admin}` },
  });
  const lines = (text: string): string[] => text.split("\n").filter((line) => line.startsWith('{"entry"'));
  const [ours, theirs] = [lines(stdout), lines(await fromServer.text())];
  assert.deepEqual(theirs.slice(0, ours.length), ours);
});

test("the audit trail attributes an export to the command line", async () => {
  await settled();
  await succeeds("audit", "export", file("later.jsonl"));
  const entries = readFileSync(file("later.jsonl"), "utf8").split("\n");
  const own = entries.filter((line) => line.includes('"actor":{"system":"command line"}'));
  assert.ok(own.length >= 2 && own.every((line) => line.includes('"event":"audit.exported"')), own.join("\n"));
});

test("an export refuses to overwrite a file, and the refused export is not audited", async () => {
  await settled();
  const before = await succeeds("audit", "checkpoint");
  const refused = await installation.run(["audit", "export", file("trail.jsonl")]);
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /trail\.jsonl cannot be created \(it already exists\)/);
  await settled();
  assert.equal(await succeeds("audit", "checkpoint"), before);
});

test("a kept checkpoint reveals entries that were cut off after it", async () => {
  await storeSecret(server, admin, "one more secret");
  await settled();
  writeFileSync(file("kept"), await succeeds("audit", "checkpoint"));
  const early = await installation.run([
    "audit",
    "verify",
    file("trail.jsonl"),
    "--key",
    file("key"),
    "--kept",
    file("kept"),
  ]);
  assert.equal(early.status, 1, early.stdout);
  const { checkpoint, verifier_key: key } = JSON.parse(await succeeds("audit", "checkpoint", "--json")) as Record<
    string,
    string
  >;
  assert.deepEqual([checkpoint, `${key}\n`], [readFileSync(file("kept"), "utf8"), readFileSync(file("key"), "utf8")]);
  await succeeds("audit", "export", file("whole.jsonl"));
  await succeeds("audit", "verify", file("whole.jsonl"), "--key", file("key"), "--kept", file("kept"));
});

test("exports the trail without a server, and detects a tampered database", async () => {
  await server.stop();
  await succeeds("audit", "export", file("offline.jsonl"));
  await succeeds("audit", "verify", file("offline.jsonl"), "--key", file("key"));

  const embedded = await startEmbedded({ dataFolder: installation.dataFolder, log: openLog("silent") });
  const connection = { ...embedded.administration, database: "strongroom" };
  const database = openDatabase({ connection, log: openLog("silent"), poolSize: 1 });
  await database.pool.query("set session_replication_role = replica");
  const { rowCount } = await database.pool.query(`
    update audit_entries set canonical = convert_to(replace(convert_from(canonical, 'utf8'), 'Billing', 'Harmless'), 'utf8')
    where id = (select id from audit_entries where event = 'credential.created' order by id limit 1)`);
  await database.close();
  await embedded.stop();
  assert.equal(rowCount, 1);

  await succeeds("audit", "export", file("tampered.jsonl"));
  const found = await installation.run(["audit", "verify", file("tampered.jsonl"), "--key", file("key")]);
  assert.equal(found.status, 1);
  assert.match(found.stdout, /^NOT INTACT: 1 finding in \d+ entries\.\n- entry \d+ was changed/);
});
