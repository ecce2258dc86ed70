// Tests over HTTP of privileges, keys and what they reach, found by scans of real Linux hosts of the company.
import {
  createDiscoveryTarget,
  listDiscoveredKeys,
  readAccountPrivileges,
  readBlastRadius,
} from "@strongroom/contract";
import type { DiscoveredAccount, DiscoveryTarget } from "@strongroom/contract";
import {
  companyKeys,
  linuxHosts,
  needs,
  setupOf,
  startUnixHost,
  unixHostAvailable,
} from "@strongroom/connectors/testing";
import type { UnixHost } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { SSH, aDiscoveryWorld, byId, named } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

const HOSTS = ["web1", "web3", "db2", "ci1"] as const;
type Name = (typeof HOSTS)[number];

describe("privileges of scanned hosts", needs(unixHostAvailable()), () => {
  let world: DiscoveryWorld;
  const hosts: UnixHost[] = [];
  const targets = {} as Record<Name, DiscoveryTarget>;
  let deploy: string;
  before(async () => {
    world = await aDiscoveryWorld();
    const keys = await companyKeys();
    deploy = keys.deploy.fingerprint;
    for (const name of HOSTS) {
      const host = await startUnixHost(name, setupOf(linuxHosts(keys).find((each) => each.name === name)!));
      hosts.push(host);
      const account = await anAccount(world.app, world.owner, world.safe, {
        ...SSH,
        hostname: host.host,
        port: host.port,
        ...host.scanner,
      });
      targets[name] = await world.aTarget(world.linuxTarget(account, host, { name }));
      const scan = await world.scanned(targets[name]);
      assert.equal(scan.status, "completed", scan.metadata?.error_message ?? "");
    }
  });
  after(async () => {
    for (const host of hosts) await host.stop();
    await world.app.close();
  });

  const account = async (host: Name, name: string): Promise<DiscoveredAccount> =>
    named(await world.found(targets[host]), name)!;
  const privilegesOf = async (host: Name, name: string, as = world.owner.token) =>
    world.app.call(readAccountPrivileges, { ...byId(await account(host, name)), as });
  const reach = (query: object, as = world.owner.token) => world.app.call(readBlastRadius, { query, as });

  test("explains the strongest privilege with its path, and says who can open the account", async () => {
    const alice = await privilegesOf("web1", "alice");
    assert.equal(alice.status, 200, alice.text);
    assert.equal(
      alice.body.explanation,
      "alice can run every command as root with sudo through group ops, by a sudo rule in /etc/sudoers.d/ops without a password on 127.0.0.1; no safe that you can see contains it.",
    );
    assert.deepEqual(
      alice.body.privileges.map(({ kind, level, needs_password }) => [kind, level, needs_password]),
      [["sudo-all", "full", false]],
    );
    const deployed = await privilegesOf("web1", "deploy");
    assert.deepEqual(
      deployed.body.opened_by.map(({ fingerprint, opens, holders }) => [
        fingerprint,
        opens,
        holders.map((holder) => String(holder.account_name)).toSorted(),
      ]),
      [[deploy, 2, ["grace", "keeper"]]],
    );
    const keeper = await privilegesOf("db2", "keeper");
    assert.deepEqual(
      keeper.body.holds.map(({ fingerprint, opens, is_encrypted }) => [fingerprint, opens, is_encrypted]),
      [[deploy, 2, false]],
    );
    // The account in the safe opens the scanning account, and root of the host is full control.
    assert.equal((await privilegesOf("db2", "scanner")).body.managed_by.length, HOSTS.length);
  });

  test("the blast radius of a key is each account that it opens and everything those can become", async () => {
    const reply = await reach({ key: deploy });
    assert.equal(reply.status, 200, reply.text);
    const opened = reply.body.nodes.filter(({ kind }) => kind === "account");
    assert.deepEqual(
      opened.map(({ label, target_id }) => `${label} ${target_id}`).toSorted(),
      [`deploy ${targets.web1.id}`, `deploy ${targets.web3.id}`].toSorted(),
    );
    assert.deepEqual([reply.body.systems, reply.body.accounts, reply.body.is_complete], [0, 2, true]);
  });

  test("the blast radius of an account includes its keys and sudo, with the shortest path first", async () => {
    const grace = await account("db2", "grace");
    const reply = await reach({ account: grace.id });
    const steps = reply.body.nodes.map(({ kind, label, distance }) => `${distance} ${kind} ${label}`);
    assert.deepEqual(steps.toSorted(), ["0 account grace", "1 key deploy@ci", "2 account deploy", "2 account deploy"]);
    const builder = await reach({ account: (await account("ci1", "builder")).id });
    const becomes = builder.body.nodes.find(({ label }) => label === "deploy");
    assert.match(becomes?.reason ?? "", /can become deploy with sudo/);
    const runner = await reach({ account: (await account("ci1", "runner")).id });
    const control = runner.body.nodes.find(({ kind }) => kind === "control");
    assert.deepEqual([runner.body.systems, control?.target_id], [1, targets.ci1.id]);
    assert.ok((control?.accounts ?? 0) > 3);
  });

  test("lists the accounts that can become root on a host: those with sudo, and those that can become them", async () => {
    const root = await account("web1", "root");
    const reply = await reach({ account: root.id, direction: "reached_by" });
    const labels = reply.body.nodes.map(({ label }) => label);
    assert.ok(labels.includes("alice") && labels.includes("scanner"), labels.join());
    assert.ok(!labels.includes("bob") && !labels.includes("webapp"), labels.join());
    const deployed = await reach({ account: (await account("web3", "deploy")).id, direction: "reached_by" });
    const found = deployed.body.nodes.map(({ label }) => label);
    for (const name of ["deploy@ci", "keeper", "grace", "erin"])
      assert.ok(found.includes(name), `${name} in ${found.join()}`);
    assert.ok(!found.includes("heidi"));
  });

  test("keys are listed by the number of accounts that they open", async () => {
    const reply = await world.app.call(listDiscoveredKeys, { as: world.owner.token });
    assert.deepEqual(
      reply.body.data.map(({ fingerprint, opens, systems, found_private, is_unprotected }) => [
        fingerprint,
        opens,
        systems,
        found_private,
        is_unprotected,
      ]),
      [[deploy, 2, 2, 1, true]],
    );
    const none = await world.app.call(listDiscoveredKeys, { query: { search: "no such key" }, as: world.owner.token });
    assert.deepEqual(none.body.data, []);
  });

  test("accounts, keys and paths of other safes do not exist for a user", async () => {
    const outsider = await aPerson(world.app, "manager");
    const grace = await account("db2", "grace");
    assert.equal((await privilegesOf("db2", "grace", outsider.token)).status, 404);
    assert.equal((await reach({ account: grace.id }, outsider.token)).status, 404);
    assert.equal((await reach({ key: deploy }, outsider.token)).status, 404);
    assert.deepEqual((await world.app.call(listDiscoveredKeys, { as: outsider.token })).body.data, []);
    // A user who sees only one host learns nothing about the others.
    const own = await aSafe(world.app, world.owner);
    await aMember(world.app, world.owner, own, outsider, ["list", "view_audit"]);
    const host = hosts[HOSTS.indexOf("db2")]!;
    const credential = await anAccount(world.app, world.owner, own, {
      ...SSH,
      hostname: host.host,
      port: host.port,
      ...host.scanner,
    });
    const body = { ...world.linuxTarget(credential, host), safeId: own.id };
    const made = await world.app.call(createDiscoveryTarget, { body, as: world.owner.token });
    assert.equal(made.status, 201, made.text);
    assert.equal((await world.scanned(made.body)).status, "completed");
    const seen = await reach({ key: deploy }, outsider.token);
    assert.deepEqual(
      seen.body.nodes.map(({ kind }) => kind),
      ["key"],
    );
  });

  test("asks for exactly one start", async () => {
    assert.equal((await reach({})).status, 400);
    assert.equal((await reach({ key: deploy, account: (await account("db2", "grace")).id })).status, 400);
    assert.equal((await reach({ key: "SHA256:no" })).status, 400);
  });
});
