// Tests that users cannot reach logins or credentials through findings without permission.
import { changeFindingStatus, listFindings, readFinding, vaultFindings, verifyFinding } from "@strongroom/contract";
import type { SecurityFinding } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { SSH, byId } from "#features/discovery/testing/discovery-world.ts";
import { aPassword, aScannedHost } from "#features/scans/testing/scanned-host.ts";
import type { ScannedHost } from "#features/scans/testing/scanned-host.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";

describe("abuse of findings", needs(unixUsersAvailable()), () => {
  let host: ScannedHost;
  let as: string;
  before(async () => {
    host = await aScannedHost();
    as = host.owner.token;
  });
  after(() => host.stop());

  /** Writes a file with `count` passwords, scans it and returns their findings. */
  async function findingsOfFile(name: string, count: number, before = "") {
    const passwords = Array.from({ length: count }, () => `password = ${aPassword()}\n`);
    const path = host.write(name, `${before}${passwords.join("")}`);
    await host.scanned();
    const found = (await host.findings()).filter(({ finding_data }) => finding_data.file_path === path);
    assert.equal(found.length, count);
    return found;
  }

  test("a file full of guesses cannot be tried against one account", async () => {
    const guesses = await findingsOfFile("guesses/many.conf", 5);
    const login = { username: host.user.username, systemType: "Linux" as const, port: host.sshd.port };
    const replies = [];
    for (const guess of guesses)
      replies.push(await host.app.call(verifyFinding, { ...byId(guess), body: { login }, as }));
    assert.deepEqual(
      replies.map(({ status, body }) => [status, body.liveness ?? (body as { code?: string }).code]),
      [1, 2, 3, 4, 5].map((turn) => (turn <= 3 ? [200, "dead"] : [409, "account.tested-too-often"])),
    );
  });

  test("a member who cannot retrieve the target's credential can neither verify nor vault a finding", async () => {
    const [finding] = await findingsOfFile("member/a.conf", 1);
    const member = await aPerson(host.app, "manager");
    await aMember(host.app, host.owner, host.safe, member, ["list", "add"]);
    const body = { login: { username: "app", systemType: "postgresql" as const } };
    const verified = await host.app.call(verifyFinding, { ...byId(finding!), body, as: member.token });
    assert.equal(verified.status, 403, verified.text);
    const vaulting = { findingIds: [finding!.id], vaultSettings: {}, ...body };
    const { body: result, text } = await host.app.call(vaultFindings, { body: vaulting, as: member.token });
    assert.deepEqual([result.vaulted, result.failed.map(({ id }) => id)], [0, [finding!.id]], text);
    const details = await host.app.call(readFinding, { ...byId(finding!), as });
    assert.equal(details.body.auto_vaulted, false);
  });

  test("a member learns neither the user name nor the id of an account in a safe that they cannot see", async () => {
    const away = await aSafe(host.app, host.owner);
    const password = aPassword();
    const login = { ...SSH, username: "svc-payroll", hostname: "payroll.example.com", password };
    const account = await anAccount(host.app, host.owner, away, login);
    const member = await aPerson(host.app, "manager");
    await aMember(host.app, host.owner, host.safe, member, ["list", "add"]);
    const path = host.write("known/a.conf", `password = ${password}\n`);
    await host.scanned();
    const isOfFile = ({ finding_data }: SecurityFinding) => finding_data.file_path === path;
    const finding = (await host.findings()).find(isOfFile)!;
    assert.deepEqual([finding.account_id, finding.finding_data.username], [account.id, "svc-payroll"]);
    const { body: vaulted } = await host.app.call(vaultFindings, {
      body: { findingIds: [finding.id], vaultSettings: {}, login: {} },
      as,
    });
    assert.equal(vaulted.accounts[0]?.account_id, account.id);
    const details = await host.app.call(readFinding, { ...byId(finding), as: member.token });
    const list = await host.app.call(listFindings, { query: { includeBelowThreshold: "true" }, as: member.token });
    assert.deepEqual([details.status, list.text.includes(finding.id)], [404, false]);
    const shown = list.body.data.find(isOfFile)!;
    assert.equal(shown.class, "password");
    const own = await host.app.call(readFinding, { ...byId(shown), as: member.token });
    for (const text of [own.text, list.text]) {
      assert.ok(!text.includes("svc-payroll") && !text.includes(account.id), text);
    }
    const found = await host.app.call(listFindings, { query: { search: "svc-payroll" }, as: member.token });
    assert.equal(found.body.total, 0);
  });

  test("a changed host in the database sends the secret nowhere", async () => {
    const [finding] = await findingsOfFile("redirect/a.conf", 1, "host = db1.corp\n");
    let connections = 0;
    const trap = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    trap.listen(0, "127.0.0.1");
    await once(trap, "listening");
    const { port } = trap.address() as AddressInfo;
    const change = "update findings set host = '127.0.0.1', port = $2 where id = $1";
    await host.app.database.pool.query(change, [finding!.id, port]);
    const login = { username: "app", systemType: "postgresql" as const };
    const verified = await host.app.call(verifyFinding, { ...byId(finding!), body: { login }, as });
    const vaulting = { findingIds: [finding!.id], vaultSettings: {}, login };
    const vaulted = await host.app.call(vaultFindings, { body: vaulting, as });
    trap.close();
    assert.deepEqual([verified.status, vaulted.body.vaulted, connections], [409, 0, 0], verified.text + vaulted.text);
  });

  test("a file that takes long to search delays no other call", async () => {
    const [finding] = await findingsOfFile("slow/a.conf", 1);
    host.write("slow/a.conf", "password=".repeat(200_000));
    let slowest = 0;
    const started = performance.now();
    let last = started;
    const timer = setInterval(() => {
      slowest = Math.max(slowest, performance.now() - last);
      last = performance.now();
    }, 50);
    const login = { username: "app", systemType: "postgresql" as const };
    const { status, text } = await host.app.call(verifyFinding, { ...byId(finding!), body: { login }, as });
    clearInterval(timer);
    const whole = performance.now() - started;
    assert.equal(status, 409, text);
    // On a busy machine, later scans could run out of time for it.
    host.remove("slow");
    // The search is nearly all of the call: in the server's own thread, it would be one long delay.
    assert.ok(slowest < whole / 2, `${slowest} of ${whole} ms`);
  });

  /** A path on the host with this many characters, of which most have two code units. */
  const longName = (length: number): string => {
    const [begin, end] = [host.pathOf("x/").length - 1, ".conf".length];
    const folders = `${"\u{1F511}".repeat(30)}/`;
    const middle = folders.repeat(Math.ceil(length / folders.length)).slice(0, length - begin - end);
    return `x${middle.toWellFormed().replaceAll("\uFFFD", "k").replaceAll("//", "/k")}.conf`;
  };

  for (const length of [260, 261])
    test(`a name of ${length} code units does not prevent decisions`, async () => {
      const [finding] = await findingsOfFile(longName(length), 1);
      const reply = await host.app.call(changeFindingStatus, { ...byId(finding!), body: { status: "accepted" }, as });
      assert.equal(reply.status, 200, reply.text);
    });

  test("a long name of an unreadable file does not stop the scan", async () => {
    for (const begin of ["y", "yy"]) host.write(`${begin}${longName(1_300)}`, "password = x\n", 0o600);
    const scan = await host.scanned();
    assert.deepEqual([scan.status, scan.coverage.unread_count], ["completed", 2], scan.error_message ?? "");
  });
});
