// Tests Unix-specific changes of passwords and keys: prompts, expired accounts, sudo, authorized_keys.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, createPublicKey, randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import ssh2 from "ssh2";
import { assertChange, changeTests, tryChange, tryReconcile, type Changeable } from "../../testing/capabilities.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { assertResult, tryOut } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startHostile } from "../../testing/targets/hostile.ts";
import { runTool } from "../../testing/targets/server-process.ts";
import { sshdAvailable, startSshd, unixUsersAvailable, type Sshd } from "../../testing/targets/sshd.ts";
import type { UnixUser } from "../../testing/targets/unix-user.ts";
import { readKey } from "../private-key/read-key.ts";
import { readCollection } from "./collection.ts";
import { addCommand, removeCommand, SCRIPT } from "./authorized-keys.ts";
import { generateKey } from "./generate-key.ts";
import { linux } from "./linux.ts";
import { promptIn } from "./password-prompts.ts";

const randomSecret = () => randomBytes(15).toString("base64url");
const at = (server: Sshd, username: string, more: object = {}) => ({
  type: "server",
  host: server.host,
  port: server.port,
  username,
  ...more,
});
const newKey = async (current: string) => {
  const made = await linux.newSecret?.(Secret.fromText(current));
  assert.ok(made !== null && made !== undefined);
  return made.reveal();
};

test("recognises the password prompts of known systems", () => {
  const prompts: [string, ReturnType<typeof promptIn>][] = [
    ["Changing password for a.\r\nCurrent password: ", "current"],
    ["(current) UNIX password: ", "current"],
    ["Old Password:", "current"],
    ["Enter login(LDAP) password: ", "current"],
    ["Password: ", "current"],
    ["\r\nNew password: ", "new"],
    ["Enter new UNIX password: ", "new"],
    ["Retype new password: ", "retype"],
    ["Re-enter new Password:", "retype"],
    ["Reenter new Password:", "retype"],
    ["Verification code: ", "other"],
    ["Choose a number:", "other"],
    ["You must wait longer to change your password\r\n", "none"],
    ["New password: \r\n", "none"],
    ["", "none"],
  ];
  for (const [text, expected] of prompts) assert.equal(promptIn(text), expected, text);
});

test("reads a list of accounts line by line and ignores invalid lines", () => {
  const blob = Buffer.from("a public key of some length, in base64").toString("base64");
  const print = `SHA256:${createHash("sha256").update(Buffer.from(blob, "base64")).digest("base64").replaceAll("=", "")}`;
  const text = [
    "P:root:x:0:0:root:/root:/bin/bash",
    "P:eve:x:1001:1001::/home/eve:/bin/sh",
    "P:bob:x:1002:27::/home/bob:/bin/sh",
    "P:two words:x:5:5:::",
    "G:sudo:x:27:eve,carol",
    "G:eve:x:1001:",
    "C:sudoers:1",
    "S:eve:locked:20000:90:",
    "S:bob:set:0:99999:10",
    "H:eve:/home/eve/.ssh/authorized_keys",
    `K:1:ssh-ed25519 ${blob} eve@laptop`,
    "K:2:something else",
    "L:bob:Sat Nov 21 16:00:00 +0000 2026",
    "L:eve:never",
    "motd: hello",
  ].join("\n");
  const { accounts } = readCollection(text, new Date("2026-11-21T00:00:00Z"));
  const [root, eve, bob, ...more] = accounts;
  assert.equal(more.length, 0);
  assert.ok(root !== undefined && eve !== undefined && bob !== undefined);
  assert.deepEqual([root.isPrivileged, eve.isPrivileged, bob.isPrivileged], [true, true, true]);
  assert.deepEqual([root.isLocked, eve.isLocked, bob.isLocked], [false, true, true]);
  assert.equal(eve.passwordChangedAt, "2024-10-04T00:00:00.000Z");
  assert.deepEqual(eve.facts["keys"], [print]);
  assert.deepEqual([bob.passwordChangedAt, bob.expiresAt], [null, "1970-01-11T00:00:00.000Z"]);
  assert.equal(bob.facts["mustChange"], true);
  assert.equal(bob.lastLoginAt, "2026-11-21T16:00:00.000Z");
});

test("a new key has the form of the current one: Ed25519, same passphrase, readable by OpenSSH", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-key-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const typeOf = async (key: string, passphrase: string) => {
    const file = join(folder, "key");
    writeFileSync(file, key, { mode: 0o600 });
    const made = await runTool("ssh-keygen", ["-y", "-P", passphrase, "-f", file]);
    return made.split(" ")[0];
  };
  const plain = await newKey("-----BEGIN OPENSSH PRIVATE KEY-----");
  assert.notEqual(await newKey(plain), plain);
  assert.ok("key" in readKey(plain, null));
  const locked = await newKey(JSON.stringify({ private_key: plain, passphrase: "correct horse" }));
  const { private_key: key, passphrase } = JSON.parse(locked) as { private_key: string; passphrase: string };
  assert.equal(passphrase, "correct horse");
  assert.deepEqual(readKey(key, null), { problem: "passphrase-missing" });
  assert.ok("key" in readKey(key, passphrase));
  if (sshdAvailable() === null) {
    assert.equal(await typeOf(plain, ""), "ssh-ed25519");
    assert.equal(await typeOf(key, passphrase), "ssh-ed25519");
  }
  assert.equal(await linux.newSecret?.(Secret.fromText("just a password")), null);
});

test("a new key can always be read again: unreadable keys from the generator are discarded", () => {
  for (let count = 0; count < 400; count += 1) {
    const made = generateKey(null);
    const opened = readKey(made, null);
    assert.ok("key" in opened);
    const derived = createPublicKey(opened.key).export({ format: "jwk" }).x ?? "";
    assert.ok(
      Buffer.from(publicHalf(made).split(" ")[1] ?? "", "base64")
        .subarray(-32)
        .equals(Buffer.from(derived, "base64url")),
    );
  }
});

test("a script truncated in transit changes nothing", (t) => {
  const home = mkdtempSync(join(tmpdir(), "strongroom-home-"));
  t.after(() => rmSync(home, { recursive: true }));
  const file = join(home, ".ssh/authorized_keys");
  mkdirSync(join(home, ".ssh"));
  const [old, added] = [`AAAAC3${"o".repeat(60)}`, `AAAAC3${"n".repeat(60)}`].map((blob) => ({
    type: "ssh-ed25519",
    blob,
  }));
  assert.ok(old !== undefined && added !== undefined);
  const text = `ssh-ed25519 ${old.blob} comment\n`;
  writeFileSync(file, text);
  const run = (command: string, input: string) => {
    const [shell = "", ...args] = command.split(" ");
    return spawnSync(shell, args, { input, env: { ...process.env, HOME: home } }).status;
  };
  const end = SCRIPT.trimEnd().length;
  for (let length = 0; length < end - 1; length += 41) {
    run(removeCommand(old), SCRIPT.slice(0, length));
    assert.equal(readFileSync(file, "utf8"), text, `after ${length} characters`);
  }
  assert.equal(run(addCommand(old, added), SCRIPT), 0);
  assert.equal(readFileSync(file, "utf8"), `${text}ssh-ed25519 ${added.blob} comment\n`);
});

describe("Linux: changing passwords and keys", { concurrency: 3 }, () => {
  describe("passwords", { ...needs(unixUsersAvailable()), concurrency: 2 }, () => {
    let server: Sshd;
    let root: { username: string; secret: string };
    before(async () => {
      server = await startSshd();
      const { username, privateKey } = await server.authorizeKey();
      root = { username, secret: privateKey };
    });
    after(() => server?.stop());
    const account = (user: UnixUser): Changeable => ({
      target: at(server, user.username),
      secret: user.password,
      candidate: randomSecret(),
    });
    const verifies = async (username: string, secret: string) =>
      assertResult(await tryOut(linux, { target: at(server, username), secret }), { outcome: "verified" });

    test("changes a password that must be changed immediately, and the server's log does not contain it", async () => {
      const stale = await server.addUser("must-change");
      const one = account(stale);
      assertChange(await tryChange(linux, one), { outcome: "changed" });
      await verifies(stale.username, one.candidate);
      assert.ok(!server.log().includes(one.candidate));
    });

    test("changes an expired password during the login if the server asks for it then", async () => {
      const asking = await startSshd({ config: ["PasswordAuthentication no"] });
      try {
        const stale = await asking.addUser("must-change");
        const one = { target: at(asking, stale.username), secret: stale.password, candidate: randomSecret() };
        const result = await tryChange(linux, one);
        assertChange(result, { outcome: "changed" });
        assert.match(result.message, /during the login/);
        assertResult(await tryOut(linux, { target: one.target, secret: one.candidate }), { outcome: "verified" });
        const weak = await asking.addUser("must-change");
        const tooShort = { target: at(asking, weak.username), secret: weak.password, candidate: "Ab3$x" };
        assertChange(await tryChange(linux, tooShort), { outcome: "refused", code: "password-rules" });
      } finally {
        await asking.stop();
      }
    });

    test("reports that a password was changed too recently to change again", async () => {
      const young = await server.addUser();
      await runTool("chage", ["--mindays", "7", young.username]);
      assertChange(await tryChange(linux, account(young)), { outcome: "refused", code: "too-young" });
    });

    test("suggests a reconcile account for an account that cannot run commands, and root can serve as one", async () => {
      const silent = await server.addUser("nologin");
      const one = account(silent);
      const result = await tryChange(linux, one);
      assertChange(result, { outcome: "refused", code: "not-changeable" });
      assert.match(result.message, /reconcile account/);
      assertChange(await tryReconcile(linux, one, root), { outcome: "changed" });
      await verifies(silent.username, one.candidate);
    });

    test("keeps a locked account locked, reports an unknown account, and sets no key for a different account", async () => {
      const locked = await tryReconcile(linux, account(await server.addUser("locked")), root);
      assertChange(locked, { outcome: "refused", code: "not-changeable" });
      assert.match(locked.message, /unlock/);
      const nobody = { target: at(server, "srt_nobody"), secret: "", candidate: randomSecret() };
      assertChange(await tryReconcile(linux, nobody, root), { outcome: "refused", code: "no-such-account" });
      const user = await server.addUser();
      const withKey = { ...account(user), candidate: await newKey(root.secret) };
      assertChange(await tryReconcile(linux, withKey, root), { outcome: "unsent" });
      await verifies(user.username, user.password);
    });

    test("a reconcile account answers sudo's password prompt, and a wrong sudo password is refused", async () => {
      const keeper = await server.addUser("active", { sudo: "PASSWD: /usr/sbin/chpasswd" });
      const one = account(await server.addUser());
      const by = { username: keeper.username, secret: keeper.password };
      assertChange(await tryReconcile(linux, one, by), { outcome: "changed" });
      await verifies(one.target.username ?? "", one.candidate);
      const stranger = await server.addUser("active", { sudo: "PASSWD: /usr/bin/true" });
      const other = { username: stranger.username, secret: stranger.password };
      const denied = await tryReconcile(linux, { ...one, candidate: randomSecret() }, other);
      assertChange(denied, { outcome: "refused", code: "no-permission" });
      assert.ok(!server.log().includes(one.candidate));
    });

    test("without root permission, lists only publicly readable facts", async () => {
      const user = await server.addUser();
      const target = aTarget(at(server, user.username));
      const result = await linux.listAccounts?.(target, Secret.fromText(user.password), aContext());
      assert.ok(result?.outcome === "listed", result?.message);
      const self = result.accounts.find(({ name }) => name === user.username);
      assert.deepEqual([self?.isPrivileged, self?.isLocked, self?.facts["passwordStatus"]], [false, false, "unknown"]);
    });

    test("a user name is never an option, a command or a second line: it is refused before anything is sent", async (t) => {
      const silent = await startHostile("black-hole");
      t.after(() => silent.stop());
      for (const name of ["-e", "a:b", "a\nroot", "a b", "$(id)", "a'b", "a;id", "", "~", "a/b", "\u0000"]) {
        const target = { type: "server", host: silent.host, port: silent.port, username: name };
        const one = { target, secret: "", candidate: randomSecret() };
        assertChange(await tryReconcile(linux, one, root), { outcome: "unsent", code: "bad-input" });
      }
      assert.equal(silent.connections(), 0);
    });
  });

  describe("keys", { ...needs(unixUsersAvailable()), concurrency: 1 }, () => {
    let server: Sshd;
    before(async () => {
      server = await startSshd({ config: ["AuthorizedKeysFile .ssh/authorized_keys", "MaxStartups 100"] });
    });
    after(() => server?.stop());

    /** An account with its own key, whose line in authorized_keys is `options key comment`. */
    const withKey = async (line = (key: string) => `${key}\n`, state?: "locked" | "expired") => {
      const user = await server.addUser(state ?? "active", { hasHome: true });
      const secret = await newKey("-----BEGIN OPENSSH PRIVATE KEY-----");
      const folder = join(user.home, ".ssh");
      const file = join(folder, "authorized_keys");
      mkdirSync(folder, { mode: 0o700 });
      writeFileSync(file, line(publicHalf(secret)), { mode: 0o600 });
      const { uid, gid } = statSync(user.home);
      for (const path of [folder, file]) chownSync(path, uid, gid);
      const candidate = await newKey(secret);
      return { user, file, uid, gid, one: { target: at(server, user.username, { type: "ssh" }), secret, candidate } };
    };
    const retire = (target: object, current: string, retired: string) =>
      linux.retire?.(aTarget(target), Secret.fromText(current), Secret.fromText(retired), aContext());

    describe("a key as a secret", () =>
      changeTests(linux, () => ({
        account: async () => (await withKey()).one,
        wrongSecret: UNKNOWN_KEY,
        refusals: [
          {
            name: "a candidate that is not a key",
            change: async () => ({ ...(await withKey()).one, candidate: "just-a-password" }),
            expect: { outcome: "unsent", code: "bad-input" },
          },
        ],
      })));

    test("the new key keeps the old one's options and comment, other lines stay, and retiring removes only the old line", async () => {
      const options = `from="127.0.0.1,10.0.0.0/8",command="/bin/sh -c \\"\${SSH_ORIGINAL_COMMAND:-true}\\"",no-pty`;
      const other = publicHalf(await newKey("-----BEGIN OPENSSH PRIVATE KEY-----"));
      const { file, uid, gid, one } = await withKey(
        (key) => `# ${key} is in use\n${other} somebody else\n${options} ${key} the one\n\n${other.replace(" ", "  ")}`,
      );
      chmodSync(file, 0o640);
      const [old, added] = [publicHalf(one.secret), publicHalf(one.candidate)];
      assertChange(await tryChange(linux, one), { outcome: "changed" });
      const both = readFileSync(file, "utf8");
      const rest = [`# ${old} is in use`, `${other} somebody else`];
      const last = ["", other.replace(" ", "  "), ""];
      assert.deepEqual(both.split("\n"), [
        ...rest,
        `${options} ${old} the one`,
        `${options} ${added} the one`,
        ...last,
      ]);
      assertChange(await tryChange(linux, one), { outcome: "changed" });
      assert.equal(readFileSync(file, "utf8"), both);
      assert.equal((await retire(one.target, one.candidate, one.secret))?.outcome, "changed");
      assert.deepEqual(readFileSync(file, "utf8").split("\n"), [...rest, `${options} ${added} the one`, ...last]);
      const kept = statSync(file);
      assert.deepEqual([kept.mode & 0o777, kept.uid, kept.gid], [0o640, uid, gid]);
      assert.ok(!existsSync(`${file}.strongroom`));
    });

    test("keeps a symbolic link when editing the file", async () => {
      const { user, file, uid, gid, one } = await withKey();
      const real = join(user.home, "keys");
      renameSync(file, real);
      symlinkSync(real, file);
      chownSync(real, uid, gid);
      assertChange(await tryChange(linux, one), { outcome: "changed" });
      assert.ok(lstatSync(file).isSymbolicLink());
      assert.equal(readFileSync(real, "utf8").trimEnd().split("\n").length, 2);
    });

    test("changes the key of a locked account, which still logs in, but not of an expired one", async () => {
      const { one } = await withKey(undefined, "locked");
      assertChange(await tryChange(linux, one), { outcome: "changed" });
      assertResult(await tryOut(linux, { target: one.target, secret: one.candidate }), { outcome: "verified" });
      const expired = await withKey(undefined, "expired");
      assertChange(await tryChange(linux, expired.one), { outcome: "unsent", code: "account-expired" });
    });

    test("changes nothing, and reports it, when the key is in another file or the file is not writable", async () => {
      const { user, file, one } = await withKey();
      const folder = join(user.home, ".ssh");
      chownSync(folder, 0, 0);
      chmodSync(folder, 0o755);
      const before = readFileSync(file, "utf8");
      assertChange(await tryChange(linux, one), { outcome: "refused", code: "not-changeable" });
      assert.equal(readFileSync(file, "utf8"), before);
      const central = await startSshd();
      try {
        const guest = await central.addUser("active", { hasHome: true });
        const { privateKey } = await central.authorizeKey({ user: guest });
        const candidate = await newKey(privateKey);
        const elsewhere = { target: at(central, guest.username), secret: privateKey, candidate };
        const result = await tryChange(linux, elsewhere);
        assertChange(result, { outcome: "refused", code: "not-changeable" });
        assert.match(result.message, /another place/);
      } finally {
        await central.stop();
      }
    });
  });
});

/** A key that no account accepts. */
const UNKNOWN_KEY = await newKey("-----BEGIN OPENSSH PRIVATE KEY-----");

/** `type blob` computed from a private key. */
function publicHalf(privateKey: string): string {
  const key = ssh2.utils.parseKey(privateKey);
  assert.ok(!(key instanceof Error));
  return `${key.type} ${key.getPublicSSH().toString("base64")}`;
}
