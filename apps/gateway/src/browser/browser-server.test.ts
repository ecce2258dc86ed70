// Terminals in browsers: real WebSockets, a real sshd and real shells.
import assert from "node:assert/strict";
import { once } from "node:events";
import { statSync } from "node:fs";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Target } from "@strongroom/connectors";
import { needs, startHostile, startSshd, unixUsersAvailable, type Sshd } from "@strongroom/connectors/testing";
import { SIZE, pinnedTarget, startBrowserGateway, type BrowserGateway } from "../../testing/browser-gateway.ts";
import type { Browser } from "../../testing/browser.ts";
import { manualClock, type ManualClock } from "../../testing/manual-clock.ts";

describe("a terminal in a browser", needs(unixUsersAvailable()), () => {
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

  const begin = () => world.begin(target, password);

  test("shows a shell and sends what the user types", async () => {
    const { browser } = await begin();
    browser.type("echo $((40+2))-$USER\n");
    await browser.sees(new RegExp(`42-${target.username}`));
  });

  test("records output before the browser sees it", async () => {
    const { browser } = await begin();
    await browser.sees(/[$] /);
    const held = Promise.withResolvers<void>();
    world.sessions.recorder.hold = held.promise;
    const shown = browser.shown();
    browser.type("echo $((40+2))\n");
    await until(() => world.sessions.recorder.offered().startsWith("e"));
    await roundTrip(browser);
    assert.equal(browser.shown(), shown);
    held.resolve();
    await browser.sees(/42/);
    assert.match(world.sessions.recorder.output(), /42/);
  });

  test("keeps the password out of everything that it sends or records", async () => {
    const { browser } = await begin();
    browser.type("env; exit\n");
    await browser.told("end");
    assert.ok(!browser.shown().includes(password));
    assert.ok(!world.sessions.recorder.output().includes(password));
  });

  test("passes the size of the window to the program, and every change of it", async () => {
    const { browser } = await begin();
    browser.type("stty size\n");
    await browser.sees(/24 80/);
    browser.send({ t: "resize", cols: 132, rows: 43 });
    browser.type("stty size\n");
    await browser.sees(/43 132/);
    assert.deepEqual(world.sessions.recorder.resizes, ["132x43"]);
  });

  test("ends as a logout with the exit status of the shell", async () => {
    const { browser, sessionId } = await begin();
    browser.type("exit 7\n");
    assert.deepEqual(await browser.told("end"), { t: "end", reason: "logout", detail: null, exit: 7 });
    await browser.gone;
    assert.equal(world.sessions.ends.get(sessionId)?.reason, "logout");
    assert.deepEqual(world.sessions.recorder.closed, ["ended"]);
  });

  test("delivers all output of a program that ends immediately", async () => {
    const { browser } = await begin();
    await browser.sees(/[$] /);
    browser.type("stty -echo; seq 1 60000; exit\n");
    await browser.told("end");
    const numbers = browser.shown().match(/^\d+(?=\r?$)/gm) ?? [];
    assert.equal(numbers.length, 60_000);
  });

  test("redeems a ticket once, and only for its own session", async () => {
    const { ticket, sessionId } = world.sessions.issue(target, password);
    const other = await world.open(world.sessions.issue(target, password).sessionId);
    other.send({ t: "ticket", ticket, ...SIZE });
    assert.deepEqual(await other.told("end"), {
      t: "end",
      reason: null,
      detail: "This ticket is not valid.",
      exit: null,
    });
    const first = await world.open(sessionId);
    first.send({ t: "ticket", ticket, ...SIZE });
    await first.told("ready");
    const second = await world.open(sessionId);
    second.send({ t: "ticket", ticket, ...SIZE });
    assert.equal((await second.told("end")).reason, null);
  });

  test("sends nothing to a target with a different host key", async () => {
    const logged = sshd.log().length;
    const wrong = { ...target, knownHostKey: { type: "ssh-ed25519", fingerprint: `SHA256:${"A".repeat(43)}` } };
    const { ticket, sessionId } = world.sessions.issue(wrong, password);
    const browser = await world.open(sessionId);
    browser.send({ t: "ticket", ticket, ...SIZE });
    assert.match((await browser.told("end")).detail ?? "", /ALARM: the host key/);
    assert.equal(world.sessions.ends.get(sessionId)?.reason, "failed");
    assert.doesNotMatch(sshd.log().slice(logged), /Accepted|Failed password/);
  });

  test("refuses a target whose host key is not known", async () => {
    const { ticket, sessionId } = world.sessions.issue({ ...target, knownHostKey: null }, password);
    const browser = await world.open(sessionId);
    browser.send({ t: "ticket", ticket, ...SIZE });
    assert.match((await browser.told("end")).detail ?? "", /is not known yet. Verify the account first/);
  });

  test("starts no session when the recording cannot be started", async () => {
    world.sessions.recorder.isBroken = true;
    const { ticket, sessionId } = world.sessions.issue(target, password);
    const browser = await world.open(sessionId);
    browser.send({ t: "ticket", ticket, ...SIZE });
    assert.match((await browser.told("end")).detail ?? "", /recording of this session could not be started/);
    assert.equal(browser.shown(), "");
    assert.equal(world.sessions.ends.get(sessionId)?.reason, "recorder-failed");
  });

  test("ends when the recorder fails, with its message", async () => {
    const { browser, sessionId } = await begin();
    world.sessions.recorder.fail("The recording could not be stored for 10 s.");
    const end = await browser.told("end");
    assert.deepEqual([end.reason, end.detail], ["recorder-failed", "The recording could not be stored for 10 s."]);
    assert.equal(world.sessions.ends.get(sessionId)?.reason, "recorder-failed");
  });

  test("ends within a second when the permission is revoked", async () => {
    const { browser, sessionId } = await begin();
    world.sessions.revoke(sessionId, { reason: "revoked", detail: "The grant was revoked." });
    const asked = performance.now();
    world.gateway.check();
    assert.equal((await browser.told("end")).reason, "revoked");
    assert.ok(performance.now() - asked < 1000);
    await browser.gone;
    assert.equal(world.gateway.liveSessions, 0);
  });

  test("ends at its last known end time when the database is unavailable", async () => {
    const { ticket, sessionId } = world.sessions.issue(target, password, { endsIn: 20_000 });
    const browser = await world.open(sessionId);
    browser.send({ t: "ticket", ticket, ...SIZE });
    await browser.told("ready");
    world.sessions.database.isAway = true;
    clock.advance(20_000);
    assert.equal((await browser.told("end")).reason, "expired");
    assert.equal(world.sessions.ends.get(sessionId), undefined);
  });

  test("ends 30 s after the database is lost, and stores the end when the database is back", async () => {
    const { browser, sessionId } = await begin();
    world.sessions.database.isAway = true;
    clock.advance(29_000);
    await roundTrip(browser);
    clock.advance(6000);
    assert.equal((await browser.told("end")).reason, "database-lost");
    world.sessions.database.isAway = false;
    await pass(clock, 5000);
    assert.equal(world.sessions.ends.get(sessionId)?.reason, "database-lost");
  });

  test("starts no session while the gateway is drained", async () => {
    world.sessions.database.isDraining = true;
    await pass(clock, 5000);
    const { ticket, sessionId } = world.sessions.issue(target, password);
    const browser = await world.open(sessionId);
    browser.send({ t: "ticket", ticket, ...SIZE });
    assert.match((await browser.told("end")).detail ?? "", /accepts no new sessions/);
  });

  test("shows the last output again when the user reconnects within a minute", async () => {
    const { browser, sessionId, secret } = await begin();
    browser.type("X=before; echo $X-42\n");
    await browser.sees(/before-42/);
    browser.socket.terminate();
    await browser.gone;
    await pass(clock, 59_000);
    const back = await world.open(sessionId);
    back.send({ t: "resume", secret, ...SIZE });
    const ready = await back.told("ready");
    await back.sees(/before-42/);
    back.type("echo again-$X\n");
    await back.sees(/again-before/);
    assert.notEqual(ready.secret, secret);
    const late = await world.open(sessionId);
    late.send({ t: "resume", secret, ...SIZE });
    assert.equal((await late.told("end")).reason, null);
  });

  test("ends when the user does not reconnect within a minute", async () => {
    const { browser, sessionId, secret } = await begin();
    const before = clock.timers();
    browser.socket.terminate();
    await until(() => clock.timers() > before);
    await pass(clock, 61_000);
    await world.gateway.stop();
    assert.match(world.sessions.ends.get(sessionId)?.detail ?? "", /not resumed within 60 s/);
    const late = await world.open(sessionId);
    late.send({ t: "resume", secret, ...SIZE });
    assert.equal((await late.told("end")).detail, "This session has ended. Connect again.");
  });

  test("shows a watcher what the user sees, and notifies the user", async () => {
    const { browser, sessionId } = await begin();
    browser.type("echo early-42\n");
    await browser.sees(/early-42/);
    const watcher = await world.open(sessionId, "watch");
    watcher.send({ t: "ticket", ticket: world.sessions.issueWatch(sessionId) });
    assert.deepEqual(await watcher.told("watching"), { t: "watching", session: sessionId, user: "Ada" });
    assert.deepEqual(await watcher.told("size"), { t: "size", ...SIZE });
    await watcher.sees(/early-42/);
    assert.equal((await browser.told("watchers")).n, 1);
    browser.type("echo late-$((40+2))\n");
    await watcher.sees(/late-42/);
    watcher.socket.close();
    assert.equal((await browser.told("watchers")).n, 0);
  });

  test("disconnects a watcher who types", async () => {
    const { browser, sessionId } = await begin();
    const watcher = await world.open(sessionId, "watch");
    watcher.send({ t: "ticket", ticket: world.sessions.issueWatch(sessionId) });
    await watcher.told("watching");
    watcher.type("echo intruder\n");
    await watcher.gone;
    await roundTrip(browser);
    assert.doesNotMatch(browser.shown(), /intruder/);
  });

  test("refuses a watch ticket of another session", async () => {
    const { sessionId } = await begin();
    const other = await begin();
    const watcher = await world.open(other.sessionId, "watch");
    watcher.send({ t: "ticket", ticket: world.sessions.issueWatch(sessionId) });
    assert.equal((await watcher.told("end")).reason, null);
  });

  test("shows notices", async () => {
    const { browser, sessionId } = await begin();
    world.gateway.notice(sessionId, "Please finish.");
    assert.equal((await browser.told("notice")).text, "Please finish.");
  });

  test("stops reading from the target while the browser reads nothing", async () => {
    const { browser } = await begin();
    browser.socket.pause();
    browser.type("yes\n");
    const before = await settledOutput(world);
    const later = await settledOutput(world);
    assert.equal(later, before);
    // The browser's socket, the gateway's limit, and the windows of SSH.
    assert.ok(before < 8 * 1024 * 1024, `${before} bytes were read`);
    browser.socket.resume();
    browser.type("\x03");
    await browser.sees(/\^C/);
  });

  test("stops reading from the browser while the target reads nothing", async () => {
    const { browser } = await begin();
    browser.type("stty raw -echo; sleep 60\n");
    await browser.sees(/sleep 60/);
    const piece = Buffer.alloc(64 * 1024, "a");
    for (let sent = 0; sent < 32; sent += 1) browser.socket.send(piece);
    for (let sent = 0; sent < 480; sent += 1) browser.socket.send(piece);
    let waiting = -1;
    while (waiting !== browser.socket.bufferedAmount) {
      waiting = browser.socket.bufferedAmount;
      await delay(200);
    }
    // Most of the 32 MB is still in the browser.
    assert.ok(waiting > 20 * 1024 * 1024, `only ${waiting} bytes wait`);
  });

  test("reports a target that is silent, refuses or sends garbage", async () => {
    for (const [misbehaviour, expected] of [
      ["closes", /Connection closed/],
      ["garbage", /more data than a login requires|invalid SSH response/],
      ["endless-line", /more data than a login requires|invalid SSH response/],
    ] as const) {
      const hostile = await startHostile(misbehaviour);
      const { ticket, sessionId } = world.sessions.issue({ ...target, port: hostile.port }, password);
      const browser = await world.open(sessionId);
      browser.send({ t: "ticket", ticket, ...SIZE });
      assert.match((await browser.told("end")).detail ?? "", expected);
      await hostile.stop();
    }
  });
});

describe("the socket for browsers", () => {
  let world: BrowserGateway;
  beforeEach(async () => {
    world = await startBrowserGateway(manualClock());
  });
  afterEach(() => world.stop());

  const ID = "00000000-0000-4000-8000-000000000000";

  test("is private to the user of the gateway", () => {
    assert.equal(statSync(world.path).mode & 0o777, 0o600);
  });

  test("refuses first messages that it does not understand", async () => {
    for (const frame of [
      {},
      { t: "resize", ...SIZE },
      { t: "ticket", ticket: "x", ...SIZE, more: 1 },
      { t: "ticket", ticket: "x", cols: 0, rows: 5 },
    ]) {
      const browser = await world.open(ID);
      browser.send(frame);
      assert.match((await browser.told("end")).detail ?? "", /did not understand/);
      await browser.gone;
    }
    const browser = await world.open(ID);
    browser.type("garbage");
    assert.match((await browser.told("end")).detail ?? "", /did not understand/);
  });

  test("cuts off messages larger than a megabyte", async () => {
    const browser = await world.open(ID);
    browser.socket.send(Buffer.alloc(1024 * 1024 + 1));
    await browser.gone;
    assert.equal(world.gateway.liveSessions, 0);
  });

  test("limits the connections of one address that have no ticket", async () => {
    const open = await Promise.all(Array.from({ length: 20 }, () => world.open(ID, "terminal", "192.0.2.1")));
    await assert.rejects(world.open(ID, "terminal", "192.0.2.1"), /503/);
    await world.open(ID, "terminal", "192.0.2.2");
    for (const { socket } of open) socket.terminate();
  });

  test("limits connections that present no ticket", async () => {
    const open = await Promise.all(Array.from({ length: 200 }, () => world.open(ID)));
    await assert.rejects(world.open(ID), /503/);
    open[0]?.socket.terminate();
    for (const { socket } of open) socket.terminate();
  });

  test("answers other paths with 404", async () => {
    await assert.rejects(world.open("not-an-id"), /404/);
  });
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Waits for one round trip to the gateway and back. */
async function roundTrip({ socket }: Browser): Promise<void> {
  const answered = once(socket, "pong");
  socket.ping();
  await answered;
}

/** Advances the clock and runs the reports to the database that are due in that time. */
async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 5000) {
    clock.advance(Math.min(5000, milliseconds - passed));
    await turn();
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let looks = 0; looks < 500 && !isTrue(); looks += 1) await delay(20);
  assert.ok(isTrue());
}

/** The number of recorded bytes, once it has not changed for 200 ms. */
async function settledOutput({ sessions }: BrowserGateway): Promise<number> {
  let [bytes, same] = [-1, 0];
  while (same < 10) {
    const now = sessions.recorder.outputBytes();
    [bytes, same] = now === bytes ? [bytes, same + 1] : [now, 0];
    await delay(20);
  }
  return bytes;
}
