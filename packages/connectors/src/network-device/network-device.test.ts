// Tests devices with prompts: a real telnetd with the machine's login and passwd, and a fake Cisco IOS over SSH.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { assertChange, tryChange, type Changeable } from "../../testing/capabilities.ts";
import { assertResult, connectorSuite, tryOut, type Rows, type Trial } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startCuttingProxy } from "../../testing/targets/cutting-proxy.ts";
import { startFakeIos, type FakeIos } from "../../testing/targets/fake-ios.ts";
import { startTcp } from "../../testing/targets/hostile.ts";
import { startTelnetd, telnetdAvailable, type Telnetd } from "../../testing/targets/telnetd.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { networkDevice } from "./network-device.ts";

const aSecret = () => randomBytes(12).toString("base64url");

const IOS = { protocol: "network-device", device: "cisco-ios" };
const TELNET = { protocol: "telnet", device: "unix", allow_clear_text: true };
type Place = { host: string; port: number };
const at = (
  { host, port }: Place,
  username: string,
  additionalParams: Target["additionalParams"],
): Partial<Target> => ({
  type: "server",
  host,
  port,
  username,
  additionalParams,
});

const account = (target: Partial<Target>, secret: string, candidate = aSecret()): Changeable => ({
  target,
  secret,
  candidate,
});
const change = (changing: Changeable) => tryChange(networkDevice, changing, { timeoutMs: 15_000 });

async function overTelnet(): Promise<Rows> {
  const server = await startTelnetd();
  const [user, locked, expired, admin] = await Promise.all([
    server.addUser(),
    server.addUser("locked"),
    server.addUser("expired"),
    server.addAdministrator(),
  ]);
  const trial = (username: string, secret: string, expect: Trial["expect"]): Trial => ({
    target: at(server, username, TELNET),
    secret,
    expect,
  });
  const anAccount = async (candidate = aSecret()): Promise<Changeable> => {
    const { username, password } = await server.addUser();
    return account(at(server, username, TELNET), password, candidate);
  };
  const sameAgain = async () => {
    const { target, secret } = await anAccount();
    return account(target, secret, secret);
  };
  return {
    good: trial(user.username, user.password, VERIFIED),
    wrong: trial(user.username, "not-the-password", WRONG_PASSWORD),
    locked: {
      ...trial(locked.username, locked.password, WRONG_PASSWORD),
      note: "login answers the same for a locked account",
    },
    expired: trial(expired.username, expired.password, { outcome: "rejected", code: "account-expired" }),
    encryption: [
      {
        name: "Telnet without TLS, not explicitly allowed",
        target: at(server, user.username, { ...TELNET, allow_clear_text: false }),
        secret: user.password,
        expect: { outcome: "misconfigured", code: "insecure-authentication" },
      },
    ],
    elsewhere: (host, port) => at({ host, port }, user.username, TELNET),
    changes: {
      account: anAccount,
      refusals: [
        { name: "too short", change: () => anAccount("x1"), expect: { outcome: "refused", code: "password-rules" } },
        { name: "the same", change: sameAgain, expect: { outcome: "refused", code: "reused" } },
        {
          name: "characters that cannot be typed",
          change: () => anAccount("new\nline-and-more"),
          expect: { outcome: "unsent", code: "bad-input" },
        },
      ],
      // Every wrong password costs three seconds on this target; a test below cuts at every line.
      isCuttable: false,
    },
    reconciles: {
      account: anAccount,
      able: { username: admin.username, secret: admin.password },
      unable: { username: user.username, secret: user.password },
    },
    stop: () => server.stop(),
  };
}

async function overSsh(): Promise<Rows> {
  const device = await startFakeIos();
  const aUser = (level: 1 | 15 = 15) => {
    const [username, secret] = [`u${randomBytes(4).toString("hex")}`, aSecret()];
    device.setUser(username, secret, level);
    return { username, secret, target: at(device, username, IOS) };
  };
  const anAccount = (level: 1 | 15 = 15) => {
    const { target, secret } = aUser(level);
    return account(target, secret);
  };
  const good = aUser();
  const refusing = (answer: string) => async () => {
    device.answerOnce("username", (channel) => channel.write(answer));
    return anAccount();
  };
  return {
    good: { ...good, expect: VERIFIED },
    wrong: { ...good, secret: aSecret(), expect: WRONG_PASSWORD },
    locked: { ...good, secret: aSecret(), expect: WRONG_PASSWORD, note: "the fake has no lockout" },
    expired: { ...good, secret: aSecret(), expect: WRONG_PASSWORD, note: "the fake has no expiry" },
    encryption: [],
    elsewhere: (host, port) => at({ host, port }, good.username, IOS),
    changes: {
      account: async () => anAccount(),
      refusals: [
        {
          name: "a command that the device does not support",
          change: refusing("% Invalid input detected.\r\nsw1(config)#"),
          expect: { outcome: "refused", code: "not-changeable" },
        },
        {
          name: "a command that its AAA server forbids",
          change: refusing("Command authorization failed.\r\n\r\nsw1(config)#"),
          expect: { outcome: "refused", code: "no-permission" },
        },
      ],
      // Cutting at each SSH packet takes minutes: tests below end the session at every relevant step.
      isCuttable: false,
    },
    reconciles: { account: async () => anAccount(1), able: aUser(), unable: aUser(1) },
    stop: () => device.stop(),
  };
}

describe("Network device by prompts", { concurrency: 3 }, () => {
  const named = (name: string) => ({ ...networkDevice, name: `${networkDevice.name} (${name})` });
  connectorSuite({
    connector: named("Telnet to a Unix"),
    needs: needs(telnetdAvailable()),
    start: overTelnet,
  });
  connectorSuite({ connector: named("SSH to a fake IOS"), needs: {}, start: overSsh });

  describe("a Unix account over Telnet", { ...needs(telnetdAvailable()), concurrency: 8 }, () => {
    let server: Telnetd;
    before(async () => {
      server = await startTelnetd();
    });
    after(() => server?.stop());

    test("reports an account that must change its password", async () => {
      const { username, password } = await server.addUser("must-change");
      const result = await tryOut(networkDevice, { target: at(server, username, TELNET), secret: password });
      assertResult(result, { outcome: "rejected", code: "must-change" });
    });

    // The lines are: name, password, `passwd`, the current password, and the new password twice.
    for (const [line, outcome] of ["unsent", "unsent", "unsent", "unsent", "unknown", "unknown"].entries()) {
      test(`a change whose connection is cut after line ${line + 1} is reported as ${outcome}, and one of the passwords logs in`, async (t) => {
        const { username, password } = await server.addUser();
        const proxy = await startCuttingProxy(server);
        t.after(() => proxy.stop());
        let lines = 0;
        void proxy.cut({ fault: "reset", at: (bytes) => bytes.includes("\r") && lines++ === line });
        const changing = account(at(proxy, username, TELNET), password);
        assert.equal((await change(changing)).outcome, outcome);
        const target = at(server, username, TELNET);
        // A passwd that lost its terminal may still be running when the first password is tried.
        const outcomes: string[] = [];
        for (const secret of [changing.candidate, password, changing.candidate])
          if (!outcomes.includes("verified")) outcomes.push((await tryOut(networkDevice, { target, secret })).outcome);
        assert.ok(outcomes.includes("verified"), outcomes.join(", "));
      });
    }
  });

  describe("a fake Cisco IOS over SSH", { concurrency: 1 }, () => {
    let device: FakeIos;
    before(async () => {
      device = await startFakeIos();
    });
    after(() => device?.stop());
    const anAccount = () => {
      const [name, secret] = [`u${randomBytes(4).toString("hex")}`, aSecret()];
      device.setUser(name, secret);
      return { name, ...account(at(device, name, IOS), secret) };
    };

    test("sets the new password as its hash, saves it, and never types it in clear text", async () => {
      const { name, ...changing } = anAccount();
      const saved = device.saved();
      const result = await change(changing);
      assert.deepEqual([result.outcome, "facts" in result && result.facts], ["changed", { isSaved: true }]);
      assert.ok(device.accepts(name, changing.candidate) && !device.accepts(name, changing.secret));
      assert.equal(device.saved(), saved + 1);
      assert.ok(!device.typed().some((line) => line.includes(changing.candidate)));
      const again = await change({ ...changing, secret: changing.candidate });
      assert.equal(again.outcome, "changed", "repeating it is harmless");
    });

    test("the outcome is unknown when the session ends or hangs at the change command", async () => {
      device.answerOnce("configure", (channel) => channel.close());
      assertChange(await change(anAccount()), { outcome: "unsent", code: "connection-lost" });
      device.answerOnce("username", (channel) => channel.close());
      assertChange(await change(anAccount()), { outcome: "unknown" });
      device.answerOnce("username", () => {});
      assertChange(await tryChange(networkDevice, anAccount(), { timeoutMs: 6_000 }), { outcome: "unknown" });
    });

    test("a session that ends or hangs while saving still counts as changed, and the message says so", async () => {
      device.answerOnce("write", (channel) => channel.close());
      const result = await change(anAccount());
      assert.deepEqual([result.outcome, "facts" in result && result.facts], ["changed", { isSaved: false }]);
      assert.match(result.message, /restart may restore the old password/);
      device.answerOnce("write", () => {});
      const hung = await tryChange(networkDevice, anAccount(), { timeoutMs: 7_000 });
      assert.deepEqual([hung.outcome, "facts" in hung && hung.facts], ["changed", { isSaved: false }]);
    });

    for (const username of ["-admin", "admin secret 0 x", "admin\nend", "admin?", ""]) {
      test(`sends no user name that a device could misread: ${JSON.stringify(username)}`, async () => {
        const result = await change(account(at(device, username, IOS), aSecret()));
        assertChange(result, { outcome: "unsent", code: "bad-input" });
      });
    }
  });

  describe("a misbehaving device", { concurrency: 4 }, () => {
    /** A Telnet server that sends a list of texts, one after each line that it receives. */
    const impostor = async (t: { after: (work: () => Promise<void>) => void }, texts: readonly string[]) => {
      const server = await startTcp((socket) => {
        const left = [...texts];
        const say = () => socket.write(left.shift() ?? "");
        socket.on("data", (chunk: Buffer) => chunk.includes("\r") && say());
        say();
      });
      t.after(() => server.stop());
      return server;
    };
    const secret = aSecret();
    const tryAt = (server: Place, more: object = {}, timeoutMs = 6_000) =>
      tryOut(networkDevice, { target: at(server, "admin", { ...TELNET, ...more }), secret }, { timeoutMs });

    test("a device that accepts any user without a password proves nothing", async (t) => {
      const server = await impostor(t, ["login: ", "welcome\r\n$ "]);
      assertResult(await tryAt(server), { outcome: "misconfigured", code: "password-not-checked" });
    });

    test("INVARIANT: a password is typed only at a prompt that asks for one, complete and unchanged", async (t) => {
      for (const prompt of ["Enter Password: now> ", "Your old Password:\r\n", "Password: ****"]) {
        const server = await impostor(t, ["login: ", prompt]);
        await tryAt(server, {}, 1_500);
        assert.ok(!server.received().includes(secret), prompt);
      }
    });

    test("reports a device that echoes the password, and sends nothing more", async (t) => {
      const server = await impostor(t, ["login: ", "Password: ", `${secret}\r\n$ `]);
      assertResult(await tryAt(server), { outcome: "misconfigured", code: "insecure-authentication" });
    });

    test("recognises a prompt that arrives in pieces and in colours", async (t) => {
      const server = await impostor(t, [
        "\u001b[1mlog\u001b[0min: ",
        "\u001b[2KPassword:\u001b[0m ",
        "\r\n\u001b[32mhost\u001b[0m$ ",
      ]);
      assertResult(await tryAt(server), VERIFIED);
    });

    test("refuses a script that would put a password on a command line, before sending anything", async (t) => {
      const server = await impostor(t, ["login: "]);
      const scripts = [
        { change: [{ expect: "*#", send: "username {username} password {candidate}" }] },
        { change: [{ expect: "*#", send: "{candidate}" }] },
        { change: [{ expect: "*", send: "{candidate}" }] },
        { change: [{ expect: "New password:", send: "{candidate}\nreload" }] },
        { password: "*" },
        { save: [{ expect: "*#", send: "log {candidate_cisco9}" }] },
        { unknown: "x" },
        "text",
      ];
      for (const script of scripts)
        assertResult(await tryAt(server, { script }), { outcome: "misconfigured", code: "bad-input" });
      assertResult(await tryAt(server, { device: "toString" }), { outcome: "misconfigured", code: "bad-input" });
      assert.equal(server.connections(), 0);
    });
  });
});
