// Tests of scans over HTTP, of a real sshd, a real PostgreSQL and hosts that never answer.
import {
  acceptDiscoveryHostKey,
  cancelDiscoveryScan,
  createDiscoveryTarget,
  readDiscoveryScan,
  readDiscoveryTarget,
  rejectDiscoveredAccounts,
  testDiscoveryTarget,
  updateDiscoveryTarget,
} from "@strongroom/contract";
import type { InputOf } from "@strongroom/contract";
import {
  needs,
  postgresqlAvailable,
  startHostile,
  startPostgresql,
  startSshd,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import type { PostgresqlServer, Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { actingOn } from "#features/accounts/testing/acting.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { eventually } from "#testing/waiting.ts";
import { SSH, aDiscoveryWorld, byId, named } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

const DATABASE = {
  system_type: "postgresql",
  connection_method: "SQL",
  database_name: "postgres",
  schema_name: "public",
} as const;

let app: DiscoveryWorld["app"];
let owner: DiscoveryWorld["owner"];
let safe: DiscoveryWorld["safe"];
let linuxTarget: DiscoveryWorld["linuxTarget"];
let aTarget: DiscoveryWorld["aTarget"];
let scan: DiscoveryWorld["scan"];
let ended: DiscoveryWorld["ended"];
let scanned: DiscoveryWorld["scanned"];
let found: DiscoveryWorld["found"];
let anyCredential: DiscoveryWorld["anyCredential"];
before(async () => {
  ({ app, owner, safe, linuxTarget, aTarget, scan, ended, scanned, found, anyCredential } = await aDiscoveryWorld());
});
after(() => app.close());

describe("scans of a real Linux host", needs(unixUsersAvailable()), () => {
  let sshd: Sshd;
  before(async () => {
    sshd = await startSshd();
  });
  after(() => sshd.stop());

  async function aScanner(options: Parameters<Sshd["addUser"]>[1] = { sudo: "ALL" }) {
    const user = await sshd.addUser("active", options);
    const fields = { ...SSH, hostname: sshd.host, port: sshd.port, username: user.username, password: user.password };
    return { user, account: await anAccount(app, owner, safe, fields) };
  }

  test("SCAN-03, DISC-30: a scan stores the accounts of the host with their privileges and without any secret", async () => {
    const { user, account } = await aScanner();
    const other = await sshd.addUser();
    const target = await aTarget(linuxTarget(account, sshd));
    const result = await scanned(target);
    assert.deepEqual([result.status, result.metadata?.error], ["completed", null]);
    assert.equal(result.metadata?.total_connections, 1);
    const list = await found(target);
    assert.equal(result.metadata.accounts_stored, list.length);
    const root = named(list, "root");
    assert.deepEqual(
      [root?.discovery_metadata.is_privileged, root?.status, root?.system_type],
      [true, "pending_approval", "linux"],
    );
    assert.equal(named(list, other.username)?.discovery_metadata.is_privileged, false);
    // The scanning account is in a safe already, so it needs no decision.
    const own = named(list, user.username);
    assert.deepEqual([own?.status, own?.is_managed, own?.discovery_metadata.is_privileged], ["active", true, true]);
    const { rows } = await app.database.pool.query("select found::text as text from discovered_accounts found");
    for (const { text } of rows) {
      assert.doesNotMatch(text, /\$(?:6|y|5|1)\$/, "no password hash is stored");
      assert.ok(!text.includes(user.password) && !text.includes(other.password));
    }
    const shown = await app.call(readDiscoveryTarget, { ...byId(target), as: owner.token });
    assert.deepEqual(shown.body.host_key, await sshd.hostKey(), "the first login pins the host key");
  });

  test("SCAN-14: leaves out system accounts unless they are requested, and stores at most maxAccounts", async () => {
    const { account } = await aScanner();
    const target = await aTarget(linuxTarget(account, sshd));
    await scanned(target);
    assert.equal(named(await found(target), "daemon"), undefined);
    const limited = await scanned(target, { includeSystemAccounts: true, maxAccounts: 1 });
    assert.deepEqual([limited.metadata?.accounts_stored, limited.metadata?.is_complete], [1, false]);
    const all = await scanned(target, { includeSystemAccounts: true });
    assert.equal(all.metadata?.is_complete, true);
    assert.notEqual(named(await found(target), "daemon"), undefined);
  });

  test("a rescan recognises accounts, reports changes and disappearances, and reopens a returned account", async () => {
    const { account } = await aScanner();
    const first = await sshd.addUser();
    const target = await aTarget(linuxTarget(account, sshd));
    await scanned(target);
    const before = named(await found(target), first.username)!;
    const body = { accountIds: [before.id], reason: "A test account" };
    const rejected = await app.call(rejectDiscoveredAccounts, { body, as: owner.token });
    assert.deepEqual([rejected.status, rejected.body.decided], [200, 1]);

    const set = "update discovered_accounts set facts = facts || $1, missing_since = now() where id = $2";
    await app.database.pool.query(set, [JSON.stringify({ shell: "/bin/zsh" }), before.id]);
    await scanned(target);
    const again = named(await found(target), first.username)!;
    assert.equal(again.id, before.id);
    assert.deepEqual([again.status, again.missing_since], ["pending_approval", null]);
    assert.deepEqual(
      again.discovery_metadata.changes.map(({ field, from, to }) => [field, from, to]),
      [
        ["missing", true, false],
        ["shell", "/bin/zsh", "/bin/sh"],
      ],
    );

    await app.database.pool.query(
      "update discovered_accounts set identity = 'gone', account_name = 'gone' where id = $1",
      [before.id],
    );
    await scanned(target);
    assert.notEqual(named(await found(target), "gone")?.missing_since, null);
  });

  test("a rejected login ends the scan immediately, and no later scan sends the same password again", async () => {
    const user = await sshd.addUser();
    const fields = { ...SSH, hostname: "other.example.com", username: user.username, password: "not this one" };
    const account = await anAccount(app, owner, safe, fields);
    const target = await aTarget(linuxTarget(account, sshd));
    const mark = sshd.log().length;
    const failed = await scanned(target);
    assert.deepEqual([failed.status, failed.metadata?.error], ["failed", "wrong-password"]);
    const held = await scanned(target);
    assert.deepEqual([held.metadata?.error, held.metadata?.total_connections], ["credential-rejected", 0]);
    const { host_key: _, is_active: __, ...unchanged } = target;
    for (const isActive of [false, true]) {
      const body = { ...unchanged, isActive } as unknown as InputOf<typeof updateDiscoveryTarget>["body"];
      const changed = await app.call(updateDiscoveryTarget, { ...byId(target), body, as: owner.token });
      assert.deepEqual([changed.status, changed.body.is_active], [200, isActive], changed.text);
    }
    // INVARIANT: enabling a target does not send a rejected login again.
    assert.equal((await scanned(target)).metadata?.error, "credential-rejected");
    const log = await sshd.logged(mark, /Failed password/);
    assert.equal(log.match(/Failed password/g)?.length, 1);

    const right = await actingOn(app).update(owner, account, { password: user.password });
    assert.equal(right.status, 200, right.text);
    assert.equal((await scanned(target)).status, "completed");
  });

  test("a changed host key stops the scan before the password is sent", async () => {
    const { account } = await aScanner();
    const target = await aTarget(linuxTarget(account, sshd));
    await scanned(target);
    await sshd.changeHostKey();
    const mark = sshd.log().length;
    const failed = await scanned(target);
    assert.deepEqual([failed.status, failed.metadata?.error], ["failed", "host-key-changed"]);
    assert.doesNotMatch(sshd.log().slice(mark), /Accepted|Failed password/);

    const shown = await app.call(readDiscoveryTarget, { ...byId(target), as: owner.token });
    const offered = shown.body.offered_host_key!;
    assert.deepEqual(offered, await sshd.hostKey());
    const accept = (fingerprint: string, as = owner.token) =>
      app.call(acceptDiscoveryHostKey, { ...byId(target), body: { fingerprint }, as });
    const manager = await aPerson(app, "manager");
    await aMember(app, owner, safe, manager, ["list", "add"]);
    assert.equal((await accept(`${offered.type} ${offered.fingerprint}`, manager.token)).status, 403);
    assert.equal((await accept("ssh-ed25519 SHA256:another")).status, 409);
    const accepted = await accept(`${offered.type} ${offered.fingerprint}`);
    assert.deepEqual([accepted.status, accepted.body.host_key, accepted.body.offered_host_key], [200, offered, null]);
    assert.equal((await scanned(target)).status, "completed");
  });

  test("the connection test logs in and shows the host key, or says why it could not", async () => {
    const { account } = await aScanner({});
    const { name: _, safeId: __, ...login } = linuxTarget(account, sshd);
    const good = await app.call(testDiscoveryTarget, { body: login, as: owner.token });
    assert.equal(good.body.is_verified, true, good.text);
    assert.deepEqual(good.body.host_key, await sshd.hostKey());
    const closed = { ...login, settings: { port: 1, timeout: 5000 } };
    const bad = await app.call(testDiscoveryTarget, { body: closed, as: owner.token });
    assert.deepEqual([bad.status, bad.body.is_verified], [200, false]);
  });
});

describe("scans of a real PostgreSQL", needs(postgresqlAvailable()), () => {
  let server: PostgresqlServer;
  before(async () => {
    server = await startPostgresql();
  });
  after(() => server.stop());

  test("finds roles and their privileges; predefined roles only when system accounts are requested", async () => {
    const { host: hostname, port, superuser } = server;
    const role = await server.addRole();
    const account = await anAccount(app, owner, safe, { ...DATABASE, hostname, port, ...superuser });
    const target = await aTarget({
      ...linuxTarget(account, server),
      targetType: "database",
      connectionMethod: "database",
    });
    await scanned(target);
    const list = await found(target);
    assert.equal(named(list, "postgres")?.discovery_metadata.is_privileged, true);
    assert.equal(named(list, role.username)?.discovery_metadata.is_privileged, false);
    assert.equal(named(list, "pg_monitor"), undefined);
  });

  test("a credential for another type of system is refused", async () => {
    const { host: hostname, port, superuser } = server;
    const account = await anAccount(app, owner, safe, { ...DATABASE, hostname, port, ...superuser });
    const reply = await app.call(createDiscoveryTarget, { body: linuxTarget(account, server), as: owner.token });
    assert.equal(reply.status, 422);
    assert.match(reply.text, /discovery\.credential-unsuitable/);
  });
});

test("a hostile host that never answers ends the scan at its time limit with a clear failure", async () => {
  const hostile = await startHostile("black-hole");
  try {
    const target = await aTarget(linuxTarget(await anyCredential(), hostile));
    const failed = await scanned(target, { timeout: 5000 });
    assert.deepEqual([failed.status, failed.metadata?.error], ["failed", "timeout"]);
  } finally {
    await hostile.stop();
  }
});

test("SCAN-07: a running scan can be cancelled once; nothing is stored afterwards", async () => {
  const hostile = await startHostile("black-hole");
  try {
    const target = await aTarget(linuxTarget(await anyCredential(), hostile));
    const started = await scan(target, { timeout: 300_000 });
    assert.equal(started.body.status, "pending");
    const second = await scan(target);
    assert.equal(second.status, 409);
    await eventually(async () => {
      const { body } = await app.call(readDiscoveryScan, { ...byId(started.body), as: owner.token });
      return body.status === "running" ? body : null;
    });
    const cancelled = await app.call(cancelDiscoveryScan, { ...byId(started.body), as: owner.token });
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, "cancelled"]);
    const again = await app.call(cancelDiscoveryScan, { ...byId(started.body), as: owner.token });
    assert.equal(again.status, 409);
    await eventually(async () => {
      const { rows } = await app.database.pool.query("select state from job_runs where id = $1", [started.body.id]);
      return rows[0]?.state === "cancelled" ? true : null;
    });
    assert.equal((await ended(started.body)).status, "cancelled");
  } finally {
    await hostile.stop();
  }
});

test("a user whose targets never answer does not keep other users' scans waiting", async () => {
  const hostile = await startHostile("black-hole", "0.0.0.0");
  try {
    const running: string[] = [];
    for (let number = 1; number <= 6; number += 1) {
      const at = { host: `127.0.0.${number}`, port: hostile.port };
      const started = await scan(await aTarget(linuxTarget(await anyCredential(), at)), { timeout: 300_000 });
      running.push(started.body.id);
    }
    const inState = async (status: string) => {
      const { rows } = await app.database.pool.query(
        "select count(*)::integer as count from discovery_scans where id = any($1) and status = $2",
        [running, status],
      );
      return rows[0].count as number;
    };
    await eventually(async () => ((await inState("running")) === 4 ? true : null));
    assert.equal(await inState("pending"), 2);
    const other = await aPerson(app);
    const safe = await aSafe(app, other);
    const credential = await anAccount(app, other, safe, { ...SSH, hostname: "scanned.example.com" });
    const target = await aTarget(linuxTarget(credential, { host: "127.0.0.1", port: 1 }, { safeId: safe.id }), other);
    const { body } = await scan(target, {}, other);
    assert.equal((await ended(body, other)).metadata?.error, "refused");
    for (const id of running) await app.call(cancelDiscoveryScan, { ...byId({ id }), as: owner.token });
  } finally {
    await hostile.stop();
  }
});
