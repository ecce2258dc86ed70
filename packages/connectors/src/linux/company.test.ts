// Tests against real Linux hosts: a small part of the scripted company, and hostile hosts.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { needs } from "../../testing/targets/availability.ts";
import { companyKeys, linuxHosts, scanHost, scoreOf } from "../../testing/company/company.ts";
import { factsOf } from "../../testing/company/compare.ts";
import type { CompanyKeys } from "../../testing/company/linux-hosts.ts";
import { startUnixHost, unixHostAvailable } from "../../testing/targets/unix-host.ts";

const FEW = ["web2", "db2", "app1", "nas1"];

describe("the company", { ...needs(unixHostAvailable()), concurrency: 1 }, () => {
  let keys: CompanyKeys;
  before(async () => {
    keys = await companyKeys();
  });

  for (const name of FEW) {
    test(`a scan of ${name} reports every planted fact and no other`, async () => {
      const score = await scoreOf(linuxHosts(keys).find((host) => host.name === name)!);
      assert.deepEqual({ missed: score.missed, wrong: score.wrong }, { missed: [], wrong: [] });
      assert.ok(score.expected > 5);
    });
  }
});

test("a host's setup cannot change this machine", needs(unixHostAvailable()), async () => {
  const file = `/usr/local/strongroom-${process.pid}`;
  await assert.rejects(startUnixHost("careless", `touch ${file}`));
  assert.ok(!existsSync(file));
});

describe("hosts that mean harm", { ...needs(unixHostAvailable()), concurrency: 1 }, () => {
  const stops: (() => Promise<void>)[] = [];
  after(async () => {
    for (const stop of stops) await stop();
  });
  const scanned = async (setup: string) => {
    const host = await startUnixHost("hostile", setup);
    stops.push(host.stop);
    return scanHost(host);
  };

  test("names with escape sequences and SQL, huge files, links and pipes in homes change nothing else", async () => {
    const result = await scanned(`
      useradd -m mallory; cd /home/mallory; mkdir .ssh
      printf "bad\\033[2J:x:1500:1500::/:/bin/sh\\n');drop table users;--:x:1501:1501::/:/bin/sh\\n" >> /etc/passwd
      ln -s /etc/shadow .ssh/authorized_keys
      ln -s /dev/zero .ssh/id_zero; mkfifo .ssh/id_pipe
      printf -- '-----BEGIN OPENSSH PRIVATE KEY-----\\n' > ".ssh/id$(printf '\\nS:root:none:::')"
      head -c 30000000 /dev/zero > .ssh/authorized_keys2
      head -c 3000000 /dev/zero | tr '\\0' a > .ssh/id_long
      chown -R mallory: .ssh`);
    assert.ok(result.outcome === "listed", result.message);
    const names = result.accounts.map(({ name }) => name);
    assert.ok(names.includes("mallory"));
    assert.ok(names.every((name) => !/[\p{Cc}\s]/u.test(name)));
    const root = result.accounts.find(({ name }) => name === "root");
    assert.notEqual(root?.facts["passwordStatus"], "none");
    assert.doesNotMatch(JSON.stringify(result), /\\$(6|y)\\$|drop table users/);
    assert.deepEqual(result.collected?.keys, []);
  });

  test("a sudo that hangs times out, and the scan continues without it", async () => {
    const result = await scanned(`
      useradd -m alice; printf '#!/bin/sh\\nexec sleep 1000\\n' > /usr/local/bin/sudo; chmod 755 /usr/local/bin/sudo`);
    assert.ok(result.outcome === "listed", result.message);
    assert.ok(factsOf(result).includes("account alice"));
    const sudo = result.commands?.find(({ command }) => command.startsWith("sudo"));
    assert.deepEqual([sudo?.success, sudo?.exitCode], [false, 124]);
    assert.match(sudo?.error ?? "", /did not answer within 10 s/);
  });

  test("endless output ends the scan with a clear failure", async () => {
    const result =
      await scanned(`printf '#!/bin/sh\\nyes P:eve:x:1:1::/:/bin/sh\\n' > /usr/local/bin/sudo; chmod 755 /usr/local/bin/sudo
      usermod -s /usr/local/bin/sudo scanner`);
    assert.notEqual(result.outcome, "listed");
    assert.ok(result.message.length < 300);
  });
});
