import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { listAuditEntries, listUsers } from "@strongroom/contract";
import { testDatabase } from "@strongroom/server/kernel/testing/test-database.ts";
import type { RunningServer } from "../../../../e2e/testing/server.ts";
import { ADMIN, anInstallation, call, signIn, useResetLink } from "../../testing/a-strongroom.ts";

const installation = anInstallation({ STRONGROOM_PUBLIC_URL: "https://strongroom.example.com" });
let server: RunningServer;
let admin: string;

before(async () => {
  server = await installation.start();
});
after(() => installation.remove());

const isServing = (): boolean => existsSync(join(installation.dataFolder, "postgres", "cluster", "postmaster.pid"));

test("setup-link prints the first administrator's link while there are no users", async () => {
  const before = await installation.run(["setup-link"]);
  assert.equal(before.status, 0, before.stderr);
  assert.match(before.stdout, /^https:\/\/strongroom\.example\.com\/signup#setup_token=test-setup-token-0123\n$/);

  const fresh = await installation.run(["setup-link"], { env: { STRONGROOM_SETUP_TOKEN: "" } });
  assert.match(fresh.stderr, /The link printed by the server no longer works/);

  admin = await installation.setUp(server);
  const afterwards = await installation.run(["setup-link"]);
  assert.deepEqual([afterwards.status, afterwards.stdout], [1, ""]);
  assert.match(afterwards.stderr, /A user already exists/);
});

test("user add creates a user whose link works exactly once", async () => {
  const ran = await installation.run(["user", "add", "Grace@Example.com", "--role", "manager", "--name", "Grace"]);
  assert.equal(ran.status, 0, ran.stderr);
  const link = ran.stdout.trim();
  assert.match(link, /^https:\/\/strongroom\.example\.com\/reset-password#token=/);
  assert.equal(await useResetLink(server, link, "grace's own password"), 200);
  assert.equal(await useResetLink(server, link, "somebody else's password"), 400);

  const token = await signIn(server, { email: "grace@example.com", password: "grace's own password" });
  const { body } = await call(server, listUsers, { as: token });
  const grace = body.data.find(({ email }) => email === "grace@example.com");
  assert.deepEqual([grace?.role, grace?.name, grace?.status], ["manager", "Grace", "active"]);
});

test("user reset replaces a forgotten password and ends every session", async () => {
  const before = await signIn(server, { email: "grace@example.com", password: "grace's own password" });
  const ran = await installation.run(["user", "reset", "grace@example.com", "--json"]);
  assert.equal(ran.status, 0, ran.stderr);
  const { link, expires_at: expiresAt } = JSON.parse(ran.stdout) as { link: string; expires_at: string };
  assert.ok(Date.parse(expiresAt) > Date.now());
  assert.equal(await useResetLink(server, link, "another password"), 200);
  assert.equal((await call(server, listUsers, { as: before })).status, 401);
  await signIn(server, { email: "grace@example.com", password: "another password" });
});

test("user reset-factors removes lost factors and ends the user's sessions", async () => {
  const grace = { email: "grace@example.com", password: "another password" };
  const before = await signIn(server, grace);
  const ran = await installation.run(["user", "reset-factors", grace.email]);
  assert.deepEqual(
    [ran.status, ran.stdout],
    [0, "0 second factors of grace@example.com removed, and all sessions ended.\n"],
  );
  assert.equal((await call(server, listUsers, { as: before })).status, 401);
  assert.equal((await installation.run(["user", "reset-factors", "nobody@example.com"])).status, 1);
});

test("user disable ends a user's sessions immediately, user enable allows sign-in again", async () => {
  const grace = { email: "grace@example.com", password: "another password" };
  const token = await signIn(server, grace);
  assert.equal((await installation.run(["user", "disable", grace.email])).status, 0);
  assert.equal((await call(server, listUsers, { as: token })).status, 401);
  await assert.rejects(signIn(server, grace));
  const refused = await installation.run(["user", "reset", grace.email]);
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /This user is disabled/);
  assert.equal((await installation.run(["user", "enable", grace.email])).status, 0);
  await signIn(server, grace);
});

test("refuses to disable the last administrator, and reports invalid arguments in one line", async () => {
  const calls = [
    { words: ["user", "disable", ADMIN.email], status: 1, says: /This is the last administrator/ },
    {
      words: ["user", "add", ADMIN.email],
      status: 1,
      says: /A user with the email address admin@example\.com already exists/,
    },
    { words: ["user", "add", "nobody"], status: 1, says: /valid email address/ },
    { words: ["user", "add", "a@example.com", "--role", "root"], status: 2, says: /"root" is not a role/ },
    { words: ["user", "add"], status: 2, says: /Missing argument/ },
    {
      words: ["user", "reset", "nobody@example.com"],
      status: 1,
      says: /There is no user with the email address nobody@example\.com/,
    },
    { words: ["user", "frobnicate"], status: 2, says: /unknown command "user frobnicate"/ },
  ];
  for (const { words, status, says } of calls) {
    const ran = await installation.run(words);
    assert.deepEqual([ran.status, ran.stdout], [status, ""], words.join(" "));
    assert.match(ran.stderr, says);
  }
});

test("the audit trail attributes actions to the command line and does not contain the links", async () => {
  const { body } = await call(server, listAuditEntries, { as: admin });
  const own = body.logs.filter(({ user }) => user.name.includes("command line"));
  assert.deepEqual(own.map(({ event }) => event).toReversed(), [
    "setup.link-issued",
    "setup.link-issued",
    "user.registered",
    "password-reset.link-issued",
    "password-reset.link-issued",
    "factor.reset",
    "user.status-changed",
    "user.status-changed",
  ]);
  assert.ok(own.every(({ event, target }) => event.startsWith("setup.") || target?.name === "grace@example.com"));
  assert.doesNotMatch(JSON.stringify(body), /#token=|setup_token/);
});

test("commands neither stop a running server's database nor leave one running without a server", async () => {
  const listed = await installation.run(["user", "list"]);
  assert.match(listed.stdout, /grace@example\.com +Grace +manager +active/);
  await signIn(server, ADMIN);

  await server.stop();
  assert.equal(isServing(), false);
  const offline = await installation.run(["user", "list", "--json"]);
  assert.equal(offline.status, 0, offline.stderr);
  assert.deepEqual(
    (JSON.parse(offline.stdout) as { email: string }[]).map(({ email }) => email),
    ["grace@example.com", ADMIN.email],
  );
  assert.doesNotMatch(offline.stdout, /argon2/);
  assert.equal(isServing(), false);

  const refused = await installation.run(["user", "disable", ADMIN.email]);
  assert.equal(refused.status, 1);
  assert.equal(isServing(), false, "nor when a command fails");
});

test("a command creates no database", async () => {
  const elsewhere = join(installation.folder, "elsewhere");
  mkdirSync(elsewhere);
  const ran = await installation.run(["user", "list"], { env: { STRONGROOM_DATA: elsewhere } });
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /There is no database in .*elsewhere/);
  assert.ok(!existsSync(join(elsewhere, "postgres")));
});

test("commands work on the server in DATABASE_URL, and report when it does not answer", async () => {
  const own = await testDatabase();
  const { host, port, user, database } = own.connection;
  const urlTo = (name = database) =>
    `postgres:///${name}?host=${encodeURIComponent(String(host))}&port=${port}&user=${user}`;
  const env = { DATABASE_URL: urlTo(), STRONGROOM_DATA: join(installation.folder, "unused") };
  const added = await installation.run(["user", "add", "ada@example.com", "--role", "admin"], { env });
  assert.equal(added.status, 0, added.stderr);
  const listed = await installation.run(["user", "list"], { env });
  assert.match(listed.stdout, /ada@example\.com/);
  assert.ok(!existsSync(join(installation.folder, "unused", "postgres")));
  for (const words of [
    ["backup", join(installation.folder, "no-backup")],
    ["restore", join(installation.folder, "no-backup")],
  ]) {
    const refused = await installation.run(words, { env });
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /pg_dump|pg_restore/);
  }
  const missing = await installation.run(["user", "list"], { env: { ...env, DATABASE_URL: urlTo("nothing") } });
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /^strongroom: Cannot connect to the database \(.*"nothing" does not exist\)\.\n$/);
  await own.drop();
});

test("an invalid setting stops a command with one line that does not show secrets", async () => {
  const ran = await installation.run(["user", "list"], { env: { DATABASE_URL: "mysql://me:hunter2@db/x" } });
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /^strongroom: The environment variable DATABASE_URL is invalid.*\n$/);
  assert.doesNotMatch(ran.stderr, /hunter2/);
  assert.doesNotMatch(readFileSync(join(installation.dataFolder, "postgres", "log", "server.log"), "utf8"), /hunter2/);
});
