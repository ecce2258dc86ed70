import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { listAuditEntries, listUsers } from "@strongroom/contract";
import { testDatabase } from "@strongroom/server/kernel/testing/test-database.ts";
import type { RunningServer } from "../../../../e2e/testing/server.ts";
import { ADMIN, aPlace, call, signIn, useResetLink } from "../../testing/a-strongroom.ts";

const place = aPlace({ STRONGROOM_PUBLIC_URL: "https://strongroom.example.com" });
let server: RunningServer;
let admin: string;

before(async () => {
  server = await place.start();
});
after(() => place.remove());

const isServing = (): boolean => existsSync(join(place.dataFolder, "postgres", "cluster", "postmaster.pid"));

test("setup-link prints the link of the first administrator while there is no user", async () => {
  const before = await place.run(["setup-link"]);
  assert.equal(before.status, 0, before.stderr);
  assert.match(before.stdout, /^https:\/\/strongroom\.example\.com\/signup#setup_token=test-setup-token-0123\n$/);

  const fresh = await place.run(["setup-link"], { env: { STRONGROOM_SETUP_TOKEN: "" } });
  assert.match(fresh.stderr, /The link that the server printed no longer does/);

  admin = await place.setUp(server);
  const afterwards = await place.run(["setup-link"]);
  assert.deepEqual([afterwards.status, afterwards.stdout], [1, ""]);
  assert.match(afterwards.stderr, /There is a user already/);
});

test("user add makes an account that opens with the link it prints, and only once", async () => {
  const ran = await place.run(["user", "add", "Grace@Example.com", "--role", "manager", "--name", "Grace"]);
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
  const ran = await place.run(["user", "reset", "grace@example.com", "--json"]);
  assert.equal(ran.status, 0, ran.stderr);
  const { link, expires_at: expiresAt } = JSON.parse(ran.stdout) as { link: string; expires_at: string };
  assert.ok(Date.parse(expiresAt) > Date.now());
  assert.equal(await useResetLink(server, link, "another password"), 200);
  assert.equal((await call(server, listUsers, { as: before })).status, 401);
  await signIn(server, { email: "grace@example.com", password: "another password" });
});

test("user reset-factors takes away what somebody lost, and ends their sessions", async () => {
  const grace = { email: "grace@example.com", password: "another password" };
  const before = await signIn(server, grace);
  const ran = await place.run(["user", "reset-factors", grace.email]);
  assert.deepEqual(
    [ran.status, ran.stdout],
    [0, "0 second factors of grace@example.com removed, and every session ended.\n"],
  );
  assert.equal((await call(server, listUsers, { as: before })).status, 401);
  assert.equal((await place.run(["user", "reset-factors", "nobody@example.com"])).status, 1);
});

test("user disable ends somebody's sessions at once, user enable lets them in again", async () => {
  const grace = { email: "grace@example.com", password: "another password" };
  const token = await signIn(server, grace);
  assert.equal((await place.run(["user", "disable", grace.email])).status, 0);
  assert.equal((await call(server, listUsers, { as: token })).status, 401);
  await assert.rejects(signIn(server, grace));
  const refused = await place.run(["user", "reset", grace.email]);
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /This user is disabled/);
  assert.equal((await place.run(["user", "enable", grace.email])).status, 0);
  await signIn(server, grace);
});

test("the last administrator is not disabled, and what makes no sense is refused in one line", async () => {
  const calls = [
    { words: ["user", "disable", ADMIN.email], status: 1, says: /This is the last administrator/ },
    { words: ["user", "add", ADMIN.email], status: 1, says: /There is a user admin@example\.com already/ },
    { words: ["user", "add", "nobody"], status: 1, says: /valid email address/ },
    { words: ["user", "add", "a@example.com", "--role", "root"], status: 2, says: /"root" is no role/ },
    { words: ["user", "add"], status: 2, says: /Something is missing/ },
    { words: ["user", "reset", "nobody@example.com"], status: 1, says: /There is no user nobody@example\.com/ },
    { words: ["user", "frobnicate"], status: 2, says: /there is no command "user frobnicate"/ },
  ];
  for (const { words, status, says } of calls) {
    const ran = await place.run(words);
    assert.deepEqual([ran.status, ran.stdout], [status, ""], words.join(" "));
    assert.match(ran.stderr, says);
  }
});

test("what the command line did is in the trail as its own, and no link is", async () => {
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

test("commands neither stop the database of a running server nor leave one behind without a server", async () => {
  const listed = await place.run(["user", "list"]);
  assert.match(listed.stdout, /grace@example\.com +Grace +manager +active/);
  await signIn(server, ADMIN);

  await server.stop();
  assert.equal(isServing(), false);
  const offline = await place.run(["user", "list", "--json"]);
  assert.equal(offline.status, 0, offline.stderr);
  assert.deepEqual(
    (JSON.parse(offline.stdout) as { email: string }[]).map(({ email }) => email),
    ["grace@example.com", ADMIN.email],
  );
  assert.doesNotMatch(offline.stdout, /argon2/);
  assert.equal(isServing(), false);

  const refused = await place.run(["user", "disable", ADMIN.email]);
  assert.equal(refused.status, 1);
  assert.equal(isServing(), false, "nor when a command fails");
});

test("a command makes no database where there is none", async () => {
  const elsewhere = join(place.folder, "elsewhere");
  mkdirSync(elsewhere);
  const ran = await place.run(["user", "list"], { env: { STRONGROOM_DATA: elsewhere } });
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /There is no database in .*elsewhere/);
  assert.ok(!existsSync(join(elsewhere, "postgres")));
});

test("with DATABASE_URL commands work on that server, and say so when it does not answer", async () => {
  const own = await testDatabase();
  const { host, port, user, database } = own.connection;
  const urlTo = (name = database) =>
    `postgres:///${name}?host=${encodeURIComponent(String(host))}&port=${port}&user=${user}`;
  const env = { DATABASE_URL: urlTo(), STRONGROOM_DATA: join(place.folder, "unused") };
  const added = await place.run(["user", "add", "ada@example.com", "--role", "admin"], { env });
  assert.equal(added.status, 0, added.stderr);
  const listed = await place.run(["user", "list"], { env });
  assert.match(listed.stdout, /ada@example\.com/);
  assert.ok(!existsSync(join(place.folder, "unused", "postgres")));
  for (const words of [
    ["backup", join(place.folder, "no-backup")],
    ["restore", join(place.folder, "no-backup")],
  ]) {
    const refused = await place.run(words, { env });
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /pg_dump|pg_restore/);
  }
  const missing = await place.run(["user", "list"], { env: { ...env, DATABASE_URL: urlTo("nothing") } });
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /^strongroom: The database does not answer \(.*"nothing" does not exist\)\.\n$/);
  await own.drop();
});

test("a setting that makes no sense stops a command with one line, and a secret in it is not shown", async () => {
  const ran = await place.run(["user", "list"], { env: { DATABASE_URL: "mysql://me:hunter2@db/x" } });
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /^strongroom: The environment variable DATABASE_URL is not usable.*\n$/);
  assert.doesNotMatch(ran.stderr, /hunter2/);
  assert.doesNotMatch(readFileSync(join(place.dataFolder, "postgres", "log", "server.log"), "utf8"), /hunter2/);
});
