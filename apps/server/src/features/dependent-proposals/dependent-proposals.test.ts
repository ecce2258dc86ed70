// Tests the proposed dependents of an account: from files of a real host, other entries of its login, and what runs as it.
import {
  addDependent,
  listFindings,
  listProposedDependents,
  rotateAccount,
  updateDependent,
} from "@strongroom/contract";
import type { AccountId, ProposedDependent } from "@strongroom/contract";
import {
  makeAuthority,
  needs,
  opensslAvailable,
  startFakeWinrm,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { aDiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { aPassword, aScannedHost } from "#features/scans/testing/scanned-host.ts";
import type { ScannedHost } from "#features/scans/testing/scanned-host.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { eventually } from "#testing/waiting.ts";

describe("proposed dependents", needs(unixUsersAvailable()), () => {
  let world: DiscoveryWorld;
  let host: ScannedHost;
  before(async () => {
    world = await aDiscoveryWorld();
    host = await aScannedHost(world, { sudo: "ALL" });
  });
  after(async () => {
    await host.stop();
    await world.app.close();
  });

  /** Scans the host's files. A failed scan would only show as a missing proposal. */
  async function scanFiles(): Promise<void> {
    const { status, error_message: message } = await host.scanned();
    assert.equal(status, "completed", message ?? "");
  }
  const proposedFor = (id: AccountId, as = host.owner.token) =>
    host.app.call(listProposedDependents, { params: { id }, as });
  const proposals = async (id: AccountId): Promise<ProposedDependent[]> => {
    const reply = await proposedFor(id);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.proposed;
  };

  test("a file with the account's password is added as it is proposed, and the rotation updates it", async () => {
    const { app, owner, safe, sshd } = host;
    const used = await sshd.addUser("active", { hasHome: true });
    const login = { hostname: sshd.host, port: sshd.port, username: used.username, password: used.password };
    const account = await anAccount(app, owner, safe, {
      system_type: "Linux",
      connection_method: "SSH",
      ...login,
    });
    const path = host.write("app/backup.conf", `user = ${used.username}\npassword = ${used.password}\n`, 0o640);
    host.write("app/other.conf", `password = ${aPassword()}\n`);
    await scanFiles();
    const [file, ...others] = await proposals(account.id);
    assert.ok(file !== undefined);
    assert.deepEqual(others, []);
    assert.deepEqual([file.kind, file.name, file.place, file.detail], ["file", path, sshd.host, "Line 2, mode 640"]);
    const found = (await app.call(listFindings, { as: owner.token })).body.data.find(
      ({ id }) => id === file.finding_id,
    );
    assert.equal(found?.finding_data.file_path, path);
    assert.ok(!JSON.stringify(file).includes(used.password));

    const added = await app.call(addDependent, {
      params: { id: account.id },
      body: { name: "Backup", config: file.config! },
      as: owner.token,
    });
    assert.equal(added.status, 201, added.text);
    assert.deepEqual(await proposals(account.id), []);
    const rotated = await app.call(rotateAccount, { params: { id: account.id }, as: owner.token });
    assert.equal(rotated.status, 202, rotated.text);
    await eventually(async () => (readFileSync(path, "utf8").includes(used.password) ? null : true));
  });

  test("a file is proposed again after its dependent was changed in the database", async () => {
    const { app, owner, safe } = host;
    const login = { hostname: "db7.corp.example", port: 5432, username: "app", password: aPassword() };
    const account = await anAccount(app, owner, safe, { ...login, name: "Reporting" });
    host.write("app/reporting.conf", `password = ${login.password}\n`);
    await scanFiles();
    const [file] = await proposals(account.id);
    const body = { name: "Reporting", config: file!.config! };
    const added = await app.call(addDependent, { params: { id: account.id }, body, as: owner.token });
    assert.equal(added.status, 201, added.text);
    assert.deepEqual(await proposals(account.id), []);
    await app.database.pool.query("update account_dependents set name = 'Other' where id = $1", [added.body.id]);
    const params = { id: account.id, dependentId: added.body.id };
    assert.equal((await app.call(updateDependent, { params, as: owner.token })).status, 409);
    const again = await eventually(async () => (await proposals(account.id))[0] ?? null);
    assert.deepEqual(again, file);
  });

  test("the account that scans log in with cannot update its own file, and the proposal says so", async () => {
    host.write("self/login.conf", `password = ${host.user.password}\n`);
    await scanFiles();
    const own = (await proposals(host.account.id)).find(({ kind }) => kind === "file");
    assert.ok(own !== undefined);
    assert.deepEqual([own.config, own.holds_password], [null, true]);
    assert.match(own.obstacle ?? "", /Choose another credential for the target/);
  });

  test("another entry of the same login is proposed, one with another password or host is not", async () => {
    const { app, owner, safe } = host;
    const login = { hostname: "db1.corp.example", port: 5432, username: "app", password: aPassword() };
    const account = await anAccount(app, owner, safe, { ...login, name: "App" });
    const twin = await anAccount(app, owner, safe, { ...login, hostname: "DB1.corp.example", name: "App again" });
    await anAccount(app, owner, safe, { ...login, hostname: "db2.corp.example", name: "App elsewhere" });
    await anAccount(app, owner, safe, { ...login, password: aPassword(), name: "App before" });
    await scanFiles();
    const found = await proposals(account.id);
    assert.deepEqual(
      found.map(({ name, config }) => [name, config]),
      [["App again", { kind: "account", account_id: twin.id }]],
    );
  });

  test("only users who may retrieve and manage the account see proposals", async () => {
    const { app, owner, safe } = host;
    const account = await anAccount(app, owner, safe, { name: "Reserved" });
    const [member, stranger] = [await aPerson(app), await aPerson(app)];
    await aMember(app, owner, safe, member, ["list", "update_properties", "manage_secret"]);
    assert.equal((await proposedFor(account.id, member.token)).status, 403);
    assert.equal((await proposedFor(account.id, stranger.token)).status, 404);
  });

  test("a user with a safe does not learn which files of other users contain a password", async () => {
    const { app, owner, safe } = host;
    const password = aPassword();
    host.write("hidden/app.conf", `password = ${password}\n`);
    const login = { hostname: "db3.corp.example", username: "app", password };
    const known = await anAccount(app, owner, safe, { ...login, name: "Known" });
    const guesser = await aPerson(app, "manager");
    const guess = await anAccount(app, guesser, await aSafe(app, guesser), { ...login, name: "Guess" });
    await scanFiles();
    assert.equal((await proposals(known.id)).length, 1);
    assert.deepEqual((await proposedFor(guess.id, guesser.token)).body.proposed, []);
  });

  test("logins on scanned hosts that trust the account's SSH key are proposed with the host's key", async () => {
    const { app, owner, safe, sshd } = host;
    const folder = mkdtempSync(join(tmpdir(), "strongroom-key-"));
    try {
      const file = join(folder, "id");
      assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file]).status, 0);
      const publicKey = readFileSync(`${file}.pub`, "utf8");
      const [own, deploy, other] = await Promise.all([1, 2, 3].map(() => sshd.addUser("active", { hasHome: true })));
      for (const [user, line] of [
        [own!, publicKey],
        [deploy!, `restrict ${publicKey}`],
        [other!, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJQ6oHXvZyUnHcVHhCMlqWcMIC2NGzUvBKXdaQg0ZyZ4 other\n"],
      ] as const) {
        mkdirSync(join(user.home, ".ssh"));
        writeFileSync(join(user.home, ".ssh/authorized_keys"), line);
      }
      const at = { hostname: sshd.host, port: sshd.port };
      const key = { system_type: "Linux", connection_method: "SSH", ...at, username: own!.username } as const;
      const account = await anAccount(app, owner, safe, { ...key, password: readFileSync(file, "utf8") });
      await world.scanned(host.target);
      // The index of known secrets is made by a job or before a scan of files.
      await scanFiles();
      const proposed = await proposals(account.id);
      const hostKey = await sshd.hostKey();
      assert.deepEqual(
        proposed.map(({ kind, name, place }) => [kind, name, place]),
        [["authorized-key", deploy!.username, sshd.host]],
      );
      const [found] = proposed;
      assert.match(found!.detail ?? "", /authorized_keys:1, restrict$/);
      assert.deepEqual(found!.config, {
        kind: "authorized-key",
        host: sshd.host,
        port: sshd.port,
        username: deploy!.username,
        host_key: hostKey,
      });
      const body = { name: "Deploy", config: found!.config };
      const added = await app.call(addDependent, { params: { id: account.id }, body, as: owner.token });
      assert.equal(added.status, 201, added.text);
      assert.deepEqual(await proposals(account.id), []);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test(
    "services of Windows hosts are listed with what to do, for local accounts and for accounts of a domain",
    needs(opensslAvailable()),
    async () => {
      const { app, owner, safe, linuxTarget, aTarget, scanned } = world;
      const authority = await makeAuthority();
      const server = await startFakeWinrm(await authority.issue(["127.0.0.1"]));
      try {
        server.addAccount("backup", "not the scanner's");
        server.addAccount("scanner", "the scanner's own", true);
        const winrm = { protocol: "winrm", ca: authority.certificate };
        const at = { hostname: server.host, port: server.port };
        const scanner = await anAccount(app, owner, safe, {
          ...at,
          system_type: "Windows",
          connection_method: "WinRM",
          username: "scanner",
          password: "the scanner's own",
          additional_params: winrm,
        });
        const target = await aTarget({
          ...linuxTarget(scanner, server),
          targetType: "windows",
          connectionMethod: "winrm",
        });
        await scanned(target);
        const local = await anAccount(app, owner, safe, { ...at, username: "backup", name: "Backup" });
        const namesOf = (list: ProposedDependent[]) => list.map(({ kind, name }) => `${kind} ${name}`);
        const uses = await proposals(local.id);
        assert.deepEqual(namesOf(uses), ["scheduled-task \\Nightly", "service Backup"]);
        assert.ok(uses.every(({ holds_password: holds, obstacle }) => holds && /webhook/.test(obstacle ?? "")));
        const domain = await anAccount(app, owner, safe, {
          hostname: "dc1.corp.example",
          username: "CORP\\svc_reports",
          name: "Reports",
          additional_params: { protocol: "active-directory" },
        });
        const services = await proposals(domain.id);
        assert.deepEqual(namesOf(services), ["scheduled-task \\Mail", "service Reports"]);
        assert.equal(services[1]?.detail, "CORP\\svc_reports");
      } finally {
        await server.stop();
      }
    },
  );
});
