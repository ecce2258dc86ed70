// Tests Linux over SSH against a real sshd with PAM and real Unix accounts (root), and by key against an unprivileged
// sshd.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startHostile } from "../../testing/targets/hostile.ts";
import { sshdAvailable, startSshd, unixUsersAvailable, type Sshd } from "../../testing/targets/sshd.ts";
import type { UnixUser } from "../../testing/targets/unix-user.ts";
import { trial, VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { HostKey, Target, VerifyResult } from "../connector.ts";
import { readKey } from "../private-key/read-key.ts";
import { linux } from "./linux.ts";

const at = (server: Sshd, username: string, more: Partial<Target> = {}): Partial<Target> => ({
  type: "password",
  host: server.host,
  port: server.port,
  username,
  ...more,
});

/** A key as `openssl genpkey` writes it. */
const pkcs8 = (openssh: string) => {
  const opened = readKey(openssh, null);
  assert.ok("key" in opened);
  return opened.key.export({ type: "pkcs8", format: "pem" }).toString();
};

const factsOf = (result: VerifyResult) => ("facts" in result ? result.facts : undefined) as Record<string, unknown>;

async function rows(): Promise<Rows> {
  const server = await startSshd();
  const [user, locked, expired] = [
    await server.addUser(),
    await server.addUser("locked"),
    await server.addUser("expired"),
  ];
  const [able, reader] = [
    await server.addUser("active", { sudo: "/usr/sbin/chpasswd" }),
    await server.addUser("active", { sudo: "ALL" }),
  ];
  const account = async () => {
    const { username, password } = await server.addUser();
    return { target: at(server, username), secret: password, candidate: randomBytes(15).toString("base64url") };
  };
  return {
    good: trial(at(server, user.username), user.password, VERIFIED),
    wrong: trial(at(server, user.username), "not-the-password", WRONG_PASSWORD),
    locked: {
      ...trial(at(server, locked.username), locked.password, WRONG_PASSWORD),
      note: "PAM answers the same for a locked account and a wrong password",
    },
    expired: trial(at(server, expired.username), expired.password, { outcome: "rejected", code: "account-expired" }),
    encryption: [
      {
        name: "SSH has its own encryption: ssl_enabled changes nothing",
        ...trial(at(server, user.username, { sslEnabled: true }), user.password, VERIFIED),
      },
    ],
    elsewhere: (host, port) => at(server, user.username, { host, port }),
    changes: {
      account,
      isSideBySide: false,
      refusals: [
        {
          name: "too short",
          change: async () => ({ ...(await account()), candidate: "Ab3$x" }),
          expect: { outcome: "refused", code: "password-rules" },
        },
        {
          name: "the current one",
          change: async () => {
            const one = await account();
            return { ...one, candidate: one.secret };
          },
          expect: { outcome: "refused", code: "reused" },
        },
        {
          name: "characters that cannot be typed",
          change: async () => ({ ...(await account()), candidate: "one-half\nother-half" }),
          expect: { outcome: "unsent", code: "bad-input" },
        },
      ],
    },
    reconciles: {
      account,
      able: { username: able.username, secret: able.password },
      unable: { username: user.username, secret: user.password },
    },
    lists: {
      target: at(server, reader.username),
      secret: reader.password,
      expect: [
        { name: "root", isPrivileged: true },
        { name: user.username, isPrivileged: false, isLocked: false },
        { name: reader.username, isPrivileged: true, isLocked: false },
        { name: locked.username, isPrivileged: false, isLocked: true },
        { name: expired.username, isLocked: true },
      ],
    },
    stop: () => server.stop(),
  };
}

// PAM's delays after wrong passwords take most of the time, so the groups run concurrently.
describe("Linux over SSH", { concurrency: 4 }, () => {
  connectorSuite({ connector: linux, needs: needs(unixUsersAvailable()), start: rows });

  describe("accounts and passwords", { ...needs(unixUsersAvailable()), concurrency: 1 }, () => {
    let server: Sshd;
    let user: UnixUser;
    before(async () => {
      server = await startSshd();
      user = await server.addUser();
    });
    after(() => server?.stop());
    const verify = (target: Partial<Target>, secret: string) => tryOut(linux, { target, secret });

    test("offers the secret only once, so that verification does not lock accounts", async () => {
      const logged = server.log().length;
      assertResult(await verify(at(server, user.username), "not-the-password"), {
        outcome: "rejected",
        code: "wrong-password",
      });
      const failed = /Failed (password|keyboard-interactive)/;
      const attempts = (await server.logged(logged, failed)).match(new RegExp(failed, "g"));
      assert.equal(attempts?.length, 1);
    });

    test("an unknown user gets the same answer as a wrong password", async () => {
      assertResult(await verify(at(server, "srt_nobody"), "not-the-password"), {
        outcome: "rejected",
        code: "wrong-password",
      });
    });

    test("a password that must be changed first is correct, but not verified", async () => {
      const stale = await server.addUser("must-change");
      assertResult(await verify(at(server, stale.username), stale.password), {
        outcome: "rejected",
        code: "must-change",
      });
      const { privateKey } = await server.authorizeKey({ user: stale });
      const byKey = await verify(at(server, stale.username), privateKey);
      assertResult(byKey, { outcome: "rejected", code: "must-change" });
      assert.match(byKey.message, /The key is valid on/);
    });

    test("verifies an account that runs no commands", async () => {
      const silent = await server.addUser("nologin");
      const result = await verify(at(server, silent.username), silent.password);
      assertResult(result, { outcome: "verified" });
      assert.equal(factsOf(result)["runsCommands"], false);
    });

    test("a locked password does not block key logins, but an expired account blocks both", async () => {
      const locked = await server.addUser("locked");
      const { privateKey } = await server.authorizeKey({ user: locked });
      assertResult(await verify(at(server, locked.username, { type: "ssh" }), privateKey), { outcome: "verified" });
      const expired = await server.addUser("expired");
      const key = await server.authorizeKey({ user: expired });
      assertResult(await verify(at(server, expired.username), key.privateKey), {
        outcome: "rejected",
        code: "account-expired",
      });
    });

    test("verifies a file-transfer account immediately, although its forced command waits for input", async () => {
      const transfer = await startSshd({ config: ["ForceCommand internal-sftp"] });
      try {
        const account = await transfer.addUser();
        const result = await verify(at(transfer, account.username), account.password);
        assertResult(result, { outcome: "verified" });
        assert.ok(result.durationMs < 8_000, `${result.durationMs} ms`);
      } finally {
        await transfer.stop();
      }
    });
  });

  describe("authentication methods", { ...needs(unixUsersAvailable()), concurrency: 1 }, () => {
    const withServer = async (config: string[], work: (server: Sshd) => Promise<void>) => {
      const server = await startSshd({ config });
      try {
        await work(server);
      } finally {
        await server.stop();
      }
    };
    const verify = (target: Partial<Target>, secret: string) => tryOut(linux, { target, secret });

    test("answers the keyboard-interactive password prompt, and never a request for a new password", () =>
      withServer(["PasswordAuthentication no"], async (server) => {
        const user = await server.addUser();
        const good = await verify(at(server, user.username), user.password);
        assertResult(good, { outcome: "verified" });
        assert.equal(factsOf(good)["method"], "keyboard-interactive");
        assertResult(await verify(at(server, user.username), "not-the-password"), {
          outcome: "rejected",
          code: "wrong-password",
        });
        const stale = await server.addUser("must-change");
        assertResult(await verify(at(server, stale.username), stale.password), {
          outcome: "rejected",
          code: "must-change",
        });
        // The account still has its password: nothing was typed at the prompts for a new one.
        assertResult(await verify(at(server, stale.username), stale.password), {
          outcome: "rejected",
          code: "must-change",
        });
      }));

    test("reports a wrong password even if the server allows only one attempt", () =>
      withServer(["MaxAuthTries 1"], async (server) => {
        const user = await server.addUser();
        assertResult(await verify(at(server, user.username), "not-the-password"), {
          outcome: "rejected",
          code: "wrong-password",
        });
        assertResult(await verify(at(server, user.username), user.password), { outcome: "verified" });
      }));

    test("sends no password to a server that does not accept passwords", () =>
      withServer(["PasswordAuthentication no", "KbdInteractiveAuthentication no"], async (server) => {
        const user = await server.addUser();
        assertResult(await verify(at(server, user.username), user.password), {
          outcome: "misconfigured",
          code: "method-not-offered",
        });
      }));

    test("distinguishes a missing second factor from a wrong password", () =>
      withServer(["AuthenticationMethods password,publickey"], async (server) => {
        const user = await server.addUser();
        assertResult(await verify(at(server, user.username), user.password), {
          outcome: "misconfigured",
          code: "second-factor",
        });
      }));

    test("a server that accepts any user without authentication proves nothing", () =>
      withServer(["PermitEmptyPasswords yes", "UsePAM no"], async (server) => {
        const user = await server.addUser("no-password");
        assertResult(await verify(at(server, user.username), "anything-at-all"), {
          outcome: "misconfigured",
          code: "password-not-checked",
        });
      }));
  });

  describe("host keys and private keys", { ...needs(sshdAvailable()), concurrency: 1 }, () => {
    let server: Sshd;
    let username: string;
    let privateKey: string;
    before(async () => {
      server = await startSshd({ hostKeys: ["ed25519", "rsa", "ecdsa"] });
      ({ username, privateKey } = await server.authorizeKey());
    });
    after(() => server?.stop());
    const verify = (secret: string, more: Partial<Target> = {}) =>
      tryOut(linux, { target: at(server, username, { type: "ssh", ...more }), secret });

    test("trusts the first host key and returns it for pinning, in the form that `ssh-keygen` prints", async () => {
      const result = await verify(privateKey);
      assertResult(result, { outcome: "verified" });
      assert.deepEqual(factsOf(result)["hostKey"], await server.hostKey());
      assert.equal(factsOf(result)["isFirstUse"], true);
      assert.equal(factsOf(result)["method"], "publickey");
    });

    test("asks for the pinned host key's type, so that a server with several keys raises no alarm", async () => {
      for (const type of ["ed25519", "rsa", "ecdsa"]) {
        const knownHostKey = await server.hostKey(type);
        const result = await verify(privateKey, { knownHostKey });
        assertResult(result, { outcome: "verified" });
        assert.deepEqual(factsOf(result)["hostKey"], knownHostKey);
        assert.equal(factsOf(result)["isFirstUse"], false);
      }
    });

    test("INVARIANT: nothing is sent to a host whose key is not the pinned one, and a changed key raises an alarm", async () => {
      const pinned: HostKey = { ...(await server.hostKey()), fingerprint: `SHA256:${"A".repeat(43)}` };
      const logged = server.log().length;
      const result = await verify(privateKey, { knownHostKey: pinned });
      assertResult(result, { outcome: "misconfigured", code: "host-key-changed" });
      assert.equal("alarm" in result && result.alarm, true);
      assert.match(result.message, /^ALARM/);
      assert.deepEqual(factsOf(result), { hostKey: await server.hostKey(), pinnedHostKey: pinned });
      // A later login is in the log, so any effect of the refused login would be there as well.
      assertResult(await verify(privateKey), { outcome: "verified" });
      const lines = (await server.logged(logged, /Accepted publickey/)).split("\n");
      const accepted = lines.findIndex((line) => line.includes("Accepted publickey"));
      const refused = lines.slice(0, accepted).filter((line) => line.includes(username));
      assert.deepEqual(
        refused.filter((line) => !/Accepted key|Postponed/.test(line)),
        [],
      );
    });

    test("a host key also counts as changed if its type differs from the pinned one's", async () => {
      const pinned: HostKey = { type: "sk-ssh-ed25519@openssh.com", fingerprint: `SHA256:${"A".repeat(43)}` };
      assertResult(await verify(privateKey, { knownHostKey: pinned }), {
        outcome: "misconfigured",
        code: "host-key-changed",
      });
    });

    const forms: [name: string, keygen: string[], store: (key: string) => string][] = [
      ["OpenSSH, RSA", ["-t", "rsa", "-b", "2048"], (key) => key],
      ["OpenSSH, ECDSA", ["-t", "ecdsa"], (key) => key],
      ["PEM, RSA", ["-t", "rsa", "-b", "2048", "-m", "PEM"], (key) => key],
      ["PKCS#8, RSA", ["-t", "rsa", "-b", "2048", "-m", "PKCS8"], (key) => key],
      ["PKCS#8, ECDSA", ["-t", "ecdsa", "-m", "PKCS8"], (key) => key],
      ["PKCS#8, Ed25519", ["-t", "ed25519"], (key) => pkcs8(key)],
      [
        "OpenSSH with a passphrase",
        ["-t", "ed25519", "-N", "correct horse"],
        (key) => JSON.stringify({ private_key: key, passphrase: "correct horse" }),
      ],
      [
        "PEM with a passphrase",
        ["-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "correct horse"],
        (key) => JSON.stringify({ private_key: key, passphrase: "correct horse" }),
      ],
      [
        "PKCS#8 with a passphrase",
        ["-t", "ecdsa", "-m", "PKCS8", "-N", "correct horse"],
        (key) => JSON.stringify({ private_key: key, passphrase: "correct horse" }),
      ],
      ["without its final newline", ["-t", "ed25519"], (key) => key.trim()],
      ["with Windows line endings", ["-t", "ed25519"], (key) => key.replaceAll("\n", "\r\n")],
    ];
    for (const [name, keygen, store] of forms) {
      test(`reads a private key: ${name}`, async () => {
        const made = await server.authorizeKey({ keygen });
        assertResult(await verify(store(made.privateKey)), { outcome: "verified" });
      });
    }

    test("rejects a key that is not among the authorized ones", async () => {
      const other = await startSshd();
      try {
        const { privateKey: foreign } = await other.authorizeKey();
        assertResult(await verify(foreign), { outcome: "rejected", code: "wrong-password" });
      } finally {
        await other.stop();
      }
    });

    test("refuses an unusable key before sending anything", async (t) => {
      const silent = await startHostile("black-hole");
      t.after(() => silent.stop());
      const locked = await server.authorizeKey({ keygen: ["-t", "ed25519", "-N", "correct horse"] });
      const pkcs8 = await server.authorizeKey({ keygen: ["-t", "ecdsa", "-m", "PKCS8", "-N", "correct horse"] });
      const bad: [string, RegExp][] = [
        ["just a password", /not a private key/],
        [locked.privateKey, /is encrypted/],
        [pkcs8.privateKey, /is encrypted/],
        [JSON.stringify({ private_key: locked.privateKey, passphrase: "wrong horse" }), /Wrong passphrase/],
        [JSON.stringify({ private_key: pkcs8.privateKey, passphrase: "wrong horse" }), /Wrong passphrase/],
        [JSON.stringify({ passphrase: "correct horse" }), /not a private key/],
        [privateKey.slice(0, 120) + privateKey.slice(160), /cannot be read/],
      ];
      for (const [secret, message] of bad) {
        const result = await verify(secret, { host: silent.host, port: silent.port });
        assertResult(result, { outcome: "misconfigured", code: "bad-input" });
        assert.match(result.message, message);
      }
      assert.equal(silent.connections(), 0);
    });
  });
});
