// Users sign in to the gateway with their own SSH key or their password, with the real OpenSSH client.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  addSshKey,
  endUserSessions,
  listOwnSessions,
  listSshKeys,
  removeSshKey,
  resetFactors,
  setUserStatus,
} from "@strongroom/contract";
import type { Role, SshKey } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { codeAt, requireFactorOf, withApp } from "@strongroom/server/features/factors/testing/with-factors.ts";
import { gatewayHostKey } from "@strongroom/server/features/sessions/index.ts";
import { aPendingPerson, aPerson, firstAdmin, signIn, type TestPerson } from "@strongroom/server/testing/people.ts";
import { aMember } from "@strongroom/server/testing/safes.ts";
import { sql } from "kysely";
import { startGatewayWorld, type GatewayWorld } from "../../testing/gateway-world.ts";
import { openssh, type Openssh } from "../../testing/openssh.ts";

describe("a user's own login", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;
  let client: Openssh;
  let admin: TestPerson;
  let count = 0;

  before(async () => {
    world = await startGatewayWorld();
    admin = await firstAdmin(world.app);
    client = openssh(world.sshPort, (await gatewayHostKey(world.app.kernel)).publicLine);
  });
  after(async () => {
    client.remove();
    await world.stop();
  });

  /** A user who may use the account. */
  async function aUser(role: Role = "user"): Promise<TestPerson> {
    const user = await aPerson(world.app, role);
    const { rows } = await sql<{ safe_id: string }>`
      select safe_id from credentials where id = ${world.accountId}`.execute(world.app.database.db);
    await aMember(world.app, world.owner, { id: rows[0]!.safe_id } as never, user, ["list", "use"]);
    return user;
  }

  /** Creates a key pair and adds the public key to the user's profile. */
  async function withKey(user: TestPerson, ...type: string[]): Promise<{ path: string; key: SshKey }> {
    count += 1;
    const path = join(client.folder, `own-${count}`);
    const options = type.length === 0 ? ["-t", "ed25519"] : type;
    execFileSync("ssh-keygen", ["-q", "-N", "", "-f", path, ...options]);
    const body = { name: "laptop", public_key: readFileSync(`${path}.pub`, "utf8"), expires_in_days: 30 };
    const added = await world.app.call(addSshKey, { body, as: user.token });
    assert.equal(added.status, 201, added.text);
    return { path, key: added.body };
  }

  const using = (path: string, methods = "publickey,keyboard-interactive") => [
    "-i",
    path,
    "-o",
    "IdentitiesOnly=yes",
    "-o",
    `PreferredAuthentications=${methods}`,
  ];

  const byKey = (path: string, answers = {}, name = world.accountId) =>
    client.ssh(name, ["echo hello"], { options: using(path), answers });

  const nameFor = ({ email }: TestPerson) => `${email}%${world.user.username}%${world.sshd.host}`;

  const byPassword = (user: TestPerson, answers: Record<string, string>, name = nameFor(user)) =>
    client.ssh(name, ["echo hello"], { options: ["-o", "PreferredAuthentications=keyboard-interactive"], answers });

  const refused = ({ status, stdout }: { status: number | null; stdout: string }) =>
    assert.deepEqual([status, stdout], [255, ""]);

  async function entriesAbout(user: TestPerson): Promise<string[]> {
    const { rows } = await sql<{ event: string; result: string }>`
      select event, result from audit_entries where target_id = ${user.id} and event like 'session.%'
      order by seq`.execute(world.app.database.db);
    return rows.map(({ event, result }) => `${event} ${result}`);
  }

  for (const type of [
    ["-t", "ed25519"],
    ["-t", "ecdsa", "-b", "256"],
    ["-t", "ecdsa", "-b", "521"],
    ["-t", "rsa", "-b", "3072"],
  ]) {
    test(`a registered key (${type.join(" ")}) signs its user in`, async () => {
      const user = await aUser();
      const { path } = await withKey(user, ...type);
      const { status, stdout, stderr } = await byKey(path);
      assert.deepEqual([status, stdout], [0, "hello\n"], stderr);
      const { rows } = await sql<{ user_id: string; client: string }>`
        select user_id, client from sessions order by requested_at desc limit 1`.execute(world.app.database.db);
      assert.deepEqual(rows, [{ user_id: user.id, client: "native" }]);
      const listed = await world.app.call(listSshKeys, { as: user.token });
      assert.equal(listed.body.data[0]!.last_used_from, "127.0.0.1");
    });
  }

  test("the sign-in of a client is audited and ends when the client disconnects", async () => {
    const user = await aUser();
    const { path } = await withKey(user);
    assert.equal((await byKey(path)).status, 0);
    for (let looks = 0; looks < 250; looks += 1) {
      const open = (await world.app.call(listOwnSessions, { as: user.token })).body.data;
      if (open.length === 1) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal((await world.app.call(listOwnSessions, { as: user.token })).body.data.length, 1, "the browser's");
    assert.ok((await entriesAbout(user)).filter((entry) => entry === "session.started success").length >= 2);
  });

  test("a key that no user has registered is refused", async () => {
    const path = join(client.folder, "stranger");
    execFileSync("ssh-keygen", ["-q", "-N", "", "-t", "ed25519", "-f", path]);
    refused(await byKey(path));
  });

  test("a key opens no account of its owner under another user's name", async () => {
    const [user, other] = [await aUser(), await aUser()];
    const { path } = await withKey(user);
    refused(await byKey(path, {}, nameFor(other)));
    assert.equal((await byKey(path, {}, nameFor(user))).status, 0);
  });

  test("the public key of another user does not sign in without its private key", async () => {
    const [victim, attacker] = [await aUser(), await aUser()];
    const known = await withKey(victim);
    const { path } = await withKey(attacker);
    // The client offers the victim's public key and signs with the attacker's private key.
    execFileSync("cp", [`${known.path}.pub`, `${path}.pub`]);
    refused(await byKey(path, {}, nameFor(victim)));
  });

  test("a key that is removed, or has expired, is refused", async () => {
    const user = await aUser();
    const { path, key } = await withKey(user);
    const expired = await withKey(user);
    await sql`update ssh_keys set created_at = now() - interval '9 days', expires_at = now() - interval '1 second'
      where id = ${expired.key.id}`.execute(world.app.database.db);
    refused(await byKey(expired.path));
    assert.equal((await world.app.call(removeSshKey, { params: { id: key.id }, as: user.token })).status, 200);
    refused(await byKey(path));
    assert.ok((await entriesAbout(user)).includes("session.started failure"), "the expired key");
  });

  const byAdmin = ({ id }: TestPerson) => ({ params: { id }, as: admin.token });
  for (const [what, act] of [
    ["disabled", (who: TestPerson) => world.app.call(setUserStatus, { ...byAdmin(who), body: { status: "disabled" } })],
    ["reset", (who: TestPerson) => world.app.call(resetFactors, byAdmin(who))],
    ["ended", (who: TestPerson) => world.app.call(endUserSessions, byAdmin(who))],
  ] as const) {
    test(`the key of a user who is ${what} by an administrator is refused, and its live session ends`, async () => {
      const user = await aUser();
      const { path } = await withKey(user);
      const running = client.ssh(world.accountId, ["echo begun; sleep 60"], { options: using(path) });
      await untilLive(user);
      const asked = performance.now();
      const reply = await act(user);
      assert.equal(reply.status, 200, reply.text);
      assert.equal((await running).status, 255);
      assert.ok(performance.now() - asked < 3000, "ended immediately");
      refused(await byKey(path));
    });
  }

  async function untilLive(user: TestPerson): Promise<void> {
    for (let looks = 0; looks < 500; looks += 1) {
      const { rows } = await sql`
        select from sessions where user_id = ${user.id} and status = 'active'`.execute(world.app.database.db);
      if (rows.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error("no session began");
  }

  test("removing a key ends the live session that was started with it", async () => {
    const user = await aUser();
    const { path, key } = await withKey(user);
    const running = client.ssh(world.accountId, ["echo begun; sleep 60"], { options: using(path) });
    await untilLive(user);
    await world.app.call(removeSshKey, { params: { id: key.id }, as: user.token });
    const { status, stderr } = await running;
    assert.equal(status, 255);
    assert.match(stderr, /SSH key that started it/);
  });

  test("a key alone is not enough for a user with a second factor", async () => {
    const user = await aUser();
    const { path } = await withKey(user);
    const { key, codes } = await withApp(world.app, user);
    refused(await byKey(path));
    refused(await byKey(path, { "Code of your": "000000" }));
    const code = codeAt(world.app, key);
    const right = await byKey(path, { "Code of your": code });
    assert.deepEqual([right.status, right.stdout], [0, "hello\n"], right.stderr);
    refused(await byKey(path, { "Code of your": code }));
    const recovered = await byKey(path, { "Code of your": codes[0]! });
    assert.equal(recovered.status, 0, recovered.stderr);
    refused(await byKey(path, { "Code of your": codes[0]! }));
  });

  test("a key of a user whose role requires a factor that they lack is refused with the reason", async () => {
    const user = await aUser("manager");
    const { path } = await withKey(user);
    await requireFactorOf(world.app, "manager");
    try {
      const { status, stderr } = await byKey(path, { Password: "no" });
      assert.equal(status, 255);
      assert.match(stderr, /Your role requires a second factor/);
    } finally {
      await requireFactorOf(world.app);
    }
  });

  test("a sign-in policy that excludes the client's network refuses keys and passwords", async () => {
    const user = await aUser();
    const { path } = await withKey(user);
    const limit = (networks: string[]) =>
      sql`update sign_in_policy set allowed_networks = ${networks}`.execute(world.app.database.db);
    await limit(["192.0.2.0/24"]);
    try {
      refused(await byKey(path));
      const { status, stderr } = await byPassword(user, { Password: user.password });
      assert.equal(status, 255);
      assert.match(stderr, /Access from your network is not allowed/);
    } finally {
      await limit([]);
    }
  });

  test("a password signs its user in, named by the login or by an answer", async () => {
    const user = await aUser();
    const named = await byPassword(user, { Password: user.password });
    assert.deepEqual([named.status, named.stdout], [0, "hello\n"], named.stderr);
    const asked = await byPassword(user, { Password: user.password, "Email address": user.email }, world.accountId);
    assert.deepEqual([asked.status, asked.stdout], [0, "hello\n"], asked.stderr);
    const options = ["-o", "PreferredAuthentications=password"];
    const plain = await client.ssh(nameFor(user), ["echo hello"], { options, answers: { assword: user.password } });
    assert.deepEqual([plain.status, plain.stdout], [0, "hello\n"], plain.stderr);
  });

  test("a password needs the code of the user's authenticator app", async () => {
    const user = await aUser();
    const { key } = await withApp(world.app, user);
    const wrong = await byPassword(user, { Password: user.password, "Code of your": "000000" });
    refused(wrong);
    assert.match(wrong.stderr, /Incorrect or already used/);
    const right = await byPassword(user, { Password: user.password, "Code of your": codeAt(world.app, key) });
    assert.deepEqual([right.status, right.stdout], [0, "hello\n"], right.stderr);
  });

  test("wrong passwords get one text, count as failed sign-ins and slow the user down", async () => {
    const user = await aUser();
    const known = await byPassword(user, { Password: "a wrong password" });
    const unknown = await byPassword(user, { Password: "a wrong password" }, `nobody@example.com%${world.accountId}%x`);
    const text = /Wrong email address or password[^\n]*/;
    assert.deepEqual(text.exec(known.stderr)?.[0], text.exec(unknown.stderr)?.[0]);
    assert.ok((await entriesAbout(user)).includes("session.started failure"));
    let isSlowed = false;
    for (let tries = 0; tries < 8 && !isSlowed; tries += 1) {
      isSlowed = /Too many attempts/.test((await byPassword(user, { Password: "a wrong password" })).stderr);
    }
    assert.ok(isSlowed);
    // The same counter slows down the sign-in page.
    await assert.rejects(signIn(world.app, user.email));
  });

  test("a user without a local password is refused with a text that says how to connect", async () => {
    const user = await aUser();
    await sql`update users set password_hash = '' where id = ${user.id}`.execute(world.app.database.db);
    const { status, stderr } = await byPassword(user, { Password: "anything at all" });
    assert.equal(status, 255);
    assert.match(stderr, /Users of an identity provider have no password here/);
  });

  test("a user who waits for activation is refused, and their sign-in ends", async () => {
    const user = await aPendingPerson(world.app);
    const { status, stderr } = await byPassword(user, { Password: user.password });
    assert.equal(status, 255);
    assert.match(stderr, /Your account is waiting for activation/);
    assert.equal((await world.app.call(listOwnSessions, { as: user.token })).body.data.length, 1, "the browser's");
  });

  test("an agent with ten other keys does not use up the attempts", async () => {
    const user = await aUser();
    const { path } = await withKey(user);
    const others = Array.from({ length: 10 }, (_, at) => {
      const other = join(client.folder, `offered-${at}`);
      execFileSync("ssh-keygen", ["-q", "-N", "", "-t", "ed25519", "-f", other]);
      return ["-i", other];
    }).flat();
    const options = [...others, ...using(path)];
    const { status, stderr } = await client.ssh(world.accountId, ["true"], { options });
    assert.equal(status, 0, stderr);
  });

  test("a login that is too old starts no more sessions on its connection", async () => {
    const user = await aUser();
    const { path } = await withKey(user);
    const control = join(client.folder, "control");
    const options = [...using(path), "-o", `ControlPath=${control}`, "-o", "ControlPersist=60"];
    const first = await client.ssh(world.accountId, ["echo first"], {
      options: [...options, "-o", "ControlMaster=yes"],
    });
    assert.equal(first.status, 0, first.stderr);
    await sql`update sign_in_sessions set proved_at = 'epoch' where user_id = ${user.id}`.execute(
      world.app.database.db,
    );
    const second = await client.ssh(world.accountId, ["echo second"], { options });
    assert.notEqual(second.stdout, "second\n");
    assert.match(second.stderr, /logged in too long ago/);
    await client.ssh(world.accountId, [], { options: [...options, "-O", "exit"] });
  });
});
