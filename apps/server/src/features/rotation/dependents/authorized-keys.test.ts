// Tests that the new key of a rotated account replaces the old one in other logins that trust it, on a real sshd.
import { addDependent, listDependents, retrieveAccount, rotateAccount, updateDependent } from "@strongroom/contract";
import type { AccountId, Dependent, InputOf } from "@strongroom/contract";
import { needs, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

type Config = NonNullable<InputOf<typeof addDependent>["body"]>["config"];

describe("keys that other logins trust", needs(unixUsersAvailable()), () => {
  let app: Awaited<ReturnType<typeof testApp>>;
  let sshd: Sshd;
  let owner: TestPerson;
  let folder: string;
  before(async () => {
    [app, sshd] = await Promise.all([testApp(), startSshd({ config: ["AuthorizedKeysFile .ssh/authorized_keys"] })]);
    owner = await aPerson(app, "manager");
    folder = mkdtempSync(join(tmpdir(), "strongroom-keys-"));
  });
  after(async () => {
    await app?.close();
    await sshd?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function aKey(): { privateKey: string; publicKey: string } {
    const file = join(mkdtempSync(join(folder, "key-")), "id");
    assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file]).status, 0);
    return { privateKey: readFileSync(file, "utf8"), publicKey: readFileSync(`${file}.pub`, "utf8").trim() };
  }

  /** A login whose authorized keys are these lines. */
  async function aLogin(...lines: string[]) {
    const user = await sshd.addUser("active", { hasHome: true });
    const ssh = join(user.home, ".ssh");
    const file = join(ssh, "authorized_keys");
    mkdirSync(ssh, { mode: 0o700 });
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    const { uid, gid } = statSync(user.home);
    for (const path of [ssh, file]) chownSync(path, uid, gid);
    const { host, port } = sshd;
    const config = { kind: "authorized-key", host, port, username: user.username } as const satisfies Config;
    return {
      username: user.username,
      config,
      keys: () => readFileSync(file, "utf8"),
      write: (text: string) => writeFileSync(file, text),
    };
  }

  async function anAccountWithKey() {
    const { privateKey, publicKey } = aKey();
    const login = await aLogin(publicKey);
    const safe = await aSafe(app, owner);
    const fields = { system_type: "Linux", connection_method: "SSH", hostname: sshd.host, port: sshd.port } as const;
    const account = await anAccount(app, owner, safe, { ...fields, username: login.username, password: privateKey });
    return { account, safe, privateKey, publicKey, blob: publicKey.split(" ")[1]! };
  }

  const add = (id: AccountId, config: Config, as = owner) =>
    app.call(addDependent, { params: { id }, body: { name: "Trusts the key", config }, as: as.token });
  const dependents = async (id: AccountId): Promise<Dependent[]> =>
    (await app.call(listDependents, { params: { id }, as: owner.token })).body.dependents;
  const rotate = async (id: AccountId) => {
    const reply = await app.call(rotateAccount, { params: { id }, as: owner.token });
    assert.equal(reply.status, 202, reply.text);
  };
  const secretOf = async (id: AccountId): Promise<string> =>
    (await app.call(retrieveAccount, { params: { id }, body: {}, as: owner.token })).body.password;
  /** Waits until the account's dependents are in these states, in the order in which they were added. */
  const become = (id: AccountId, ...states: Dependent["state"][]) =>
    eventually(async () => {
      const found = await dependents(id);
      return found.every(({ state }, index) => state === states[index]) ? found : null;
    });

  /** Waits until the account's only dependent has a message like this. */
  const says = (id: AccountId, pattern: RegExp) =>
    eventually(async () => {
      const [only] = await dependents(id);
      return only?.state === "waiting" && pattern.test(only.message ?? "") ? only : null;
    });

  function logsIn(username: string, privateKey: string): boolean {
    const file = join(mkdtempSync(join(folder, "login-")), "id");
    writeFileSync(file, privateKey);
    chmodSync(file, 0o600);
    const options = ["BatchMode=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "IdentitiesOnly=yes"];
    const at = ["-p", String(sshd.port), `${username}@${sshd.host}`, "true"];
    return spawnSync("ssh", [...options.flatMap((each) => ["-o", each]), "-i", file, ...at]).status === 0;
  }

  test("after a rotation, every login trusts the new key only, with its options and all other lines", async () => {
    const { account, privateKey, publicKey, blob } = await anAccountWithKey();
    const others = aKey().publicKey;
    const restricted = await aLogin("# a comment", `restrict,from="127.0.0.1",pty ${publicKey} deploy`, others);
    const twice = await aLogin(publicKey, `no-pty ${publicKey} again\r`);
    for (const { config } of [restricted, twice]) assert.equal((await add(account.id, config)).status, 201);
    assert.deepEqual(
      (await dependents(account.id)).map(({ state }) => state),
      ["current", "current"],
    );
    await rotate(account.id);
    await eventually(async () => (restricted.keys().includes(blob) || twice.keys().includes(blob) ? null : true));
    const found = await become(account.id, "current", "current");
    const next = await secretOf(account.id);
    for (const { username } of [restricted, twice]) {
      assert.deepEqual([logsIn(username, privateKey), logsIn(username, next)], [false, true]);
    }
    const lines = restricted.keys().split("\n");
    assert.deepEqual([lines[0], lines[2], lines.length], ["# a comment", others, 4]);
    assert.match(lines[1]!, /^restrict,from="127\.0\.0\.1",pty ssh-ed25519 \S+ deploy$/);
    const hostKey = await sshd.hostKey();
    for (const { config } of found)
      assert.deepEqual(config?.kind === "authorized-key" ? config.host_key : null, hostKey);
  });

  test("a login that does not trust the old key needs attention, and is right again after a person adds the new one", async () => {
    const { account, privateKey } = await anAccountWithKey();
    const lost = await aLogin(aKey().publicKey);
    assert.equal((await add(account.id, lost.config)).status, 201);
    await rotate(account.id);
    const failed = await says(account.id, /^Neither the old nor the new key logs in as/);
    assert.equal(logsIn(lost.username, privateKey), false);
    const file = join(mkdtempSync(join(folder, "new-")), "id");
    writeFileSync(file, await secretOf(account.id), { mode: 0o600 });
    lost.write(spawnSync("ssh-keygen", ["-y", "-f", file], { encoding: "utf8" }).stdout);
    const params = { id: account.id, dependentId: failed.id };
    assert.equal((await app.call(updateDependent, { params, as: owner.token })).status, 200);
    await become(account.id, "current");
  });

  test("an update that was interrupted after any of its steps can be repeated", async () => {
    const { account, privateKey, publicKey, blob } = await anAccountWithKey();
    const added = await aLogin(publicKey);
    const retired = await aLogin(publicKey);
    for (const { config } of [added, retired]) assert.equal((await add(account.id, config)).status, 201);
    const before = added.keys();
    await rotate(account.id);
    await eventually(async () => (added.keys().includes(blob) || retired.keys().includes(blob) ? null : true));
    await become(account.id, "current", "current");
    const next = await secretOf(account.id);
    // As if the process had died after the new key was added, and after the old one was removed, but before the result was stored.
    const newLine = retired.keys().trim();
    added.write(`${before}${newLine}\n`);
    await app.database.pool.query("update account_dependents set version = 1, state = 'waiting', next_at = now()");
    await eventually(async () => (added.keys().includes(blob) ? null : true));
    await become(account.id, "current", "current");
    for (const { username, keys } of [added, retired]) {
      assert.equal(keys().trim(), newLine);
      assert.deepEqual([logsIn(username, privateKey), logsIn(username, next)], [false, true]);
    }
  });

  test("a host that presents a different key from before gets no key", async () => {
    const { account, publicKey, blob } = await anAccountWithKey();
    const login = await aLogin(publicKey);
    const host_key = { type: "ssh-ed25519", fingerprint: `SHA256:${"A".repeat(43)}` };
    assert.equal((await add(account.id, { ...login.config, host_key })).status, 201);
    await rotate(account.id);
    await says(account.id, /host key/i);
    assert.ok(login.keys().includes(blob));
    assert.equal(login.keys().trim().split("\n").length, 1);
  });

  test("a host that cannot be reached during the rotation gets the new key later", async () => {
    const { account, privateKey, publicKey } = await anAccountWithKey();
    const login = await aLogin(publicKey);
    const door = createServer((client) => {
      const host = connect(sshd.port, sshd.host);
      client.pipe(host).pipe(client);
      for (const socket of [client, host]) socket.on("error", () => client.destroy());
    });
    door.listen(0, "127.0.0.1");
    await once(door, "listening");
    const { port } = door.address() as AddressInfo;
    door.close();
    assert.equal((await add(account.id, { ...login.config, port })).status, 201);
    await rotate(account.id);
    await says(account.id, /refused/i);
    assert.equal(logsIn(login.username, privateKey), true);
    door.listen(port, "127.0.0.1");
    try {
      await become(account.id, "current");
      const next = await secretOf(account.id);
      assert.deepEqual([logsIn(login.username, privateKey), logsIn(login.username, next)], [false, true]);
    } finally {
      door.close();
    }
  });

  test("a login whose command is forced keeps the old key, and the reason is shown", async () => {
    const { account, publicKey, blob } = await anAccountWithKey();
    const login = await aLogin(`command="exit 7" ${publicKey}`);
    assert.equal((await add(account.id, login.config)).status, 201);
    await rotate(account.id);
    await says(account.id, /commands that change the keys of .* failed/);
    assert.ok(login.keys().includes(blob));
  });

  test("only users who may retrieve the key can add such a login", async () => {
    const { account, safe, publicKey } = await anAccountWithKey();
    const { config } = await aLogin(publicKey);
    const [member, stranger] = [await aPerson(app), await aPerson(app)];
    await aMember(app, owner, safe, member, ["list", "update_properties", "manage_secret"]);
    assert.equal((await add(account.id, config, member)).status, 403);
    assert.equal((await add(account.id, config, stranger)).status, 404);
  });

  test("an account with a password has no key to replace", async () => {
    const user = await sshd.addUser("active", { hasHome: true });
    const fields = { system_type: "Linux", connection_method: "SSH", hostname: sshd.host, port: sshd.port } as const;
    const { username, password } = user;
    const account = await anAccount(app, owner, await aSafe(app, owner), { ...fields, username, password });
    const other = await sshd.addUser("active", { hasHome: true });
    const config = { kind: "authorized-key", host: sshd.host, port: sshd.port, username: other.username } as const;
    assert.equal((await add(account.id, config)).status, 201);
    await rotate(account.id);
    await says(account.id, /^The account has no SSH key\.$/);
  });
});
