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

  /** `lastlog` runs after everything about accounts, privileges and keys. */
  const atLastlog = (script: string) => `
    useradd -m alice; echo 'alice ALL=(ALL) ALL' > /etc/sudoers.d/alice
    cat > /usr/local/bin/lastlog <<'END'\n#!/bin/sh\n${script}\nEND
    chmod 755 /usr/local/bin/lastlog`;
  const KILL_SSHD = `p=$$
while [ "$p" -gt 1 ]; do
  case "$(cat /proc/$p/comm)" in sshd*) kill -9 "$p"; exit ;; esac
  p=$(awk '/^PPid/ { print $2 }' "/proc/$p/status")
done`;

  for (const [name, script, reason] of [
    ["the time limit", "exec sleep 1000", /^Timed out after 5 s/],
    // The server needs a moment to send what it has read from the script.
    ["a lost connection", `sleep 1\n${KILL_SSHD}`, /closed the connection during the list/],
  ] as const) {
    test(`a list that ends at ${name} is kept and marked incomplete`, async () => {
      const host = await startUnixHost("partial", atLastlog(script));
      stops.push(host.stop);
      const progress: number[] = [];
      const result = await scanHost(host, { timeoutMs: 5000, onListed: (accounts) => progress.push(accounts) });
      assert.ok(result.outcome === "listed", result.message);
      assert.deepEqual([result.isComplete, result.isPartial], [false, true]);
      assert.match(result.message, reason);
      assert.equal(result.accounts.find(({ name }) => name === "alice")?.isPrivileged, true);
      assert.ok((progress.at(-1) ?? 0) >= result.accounts.length);
      const last = result.commands?.find(({ command }) => command === "lastlog");
      assert.deepEqual([last?.success, last?.exitCode], [false, null]);
      assert.equal(result.commands?.find(({ command }) => command === "getent passwd")?.success, true);
    });
  }

  test("endless output ends the scan with a clear failure", async () => {
    const result =
      await scanned(`printf '#!/bin/sh\\nyes P:eve:x:1:1::/:/bin/sh\\n' > /usr/local/bin/sudo; chmod 755 /usr/local/bin/sudo
      usermod -s /usr/local/bin/sudo scanner`);
    assert.notEqual(result.outcome, "listed");
    assert.ok(result.message.length < 300);
  });
});
