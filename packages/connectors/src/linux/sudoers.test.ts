// Tests of sudo rules: how they are read, and what they let an account become.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { authorizedKey, keysIn } from "./found-keys.ts";
import { opensShell, privilegesOf } from "./privileges.ts";
import { readSudoers, sudoRightsOf } from "./sudoers.ts";

const read = (text: string) => readSudoers(text.split("\n").map((line) => ({ file: "/etc/sudoers", text: line })));

const rightsOf = (text: string, name: string, { uid = "1000", groups = [] as string[], host = "web1" } = {}) =>
  sudoRightsOf({ name, uid, groups, groupIds: ["27"] }, { names: [host, "192.0.2.1"] }, read(text)).map(
    ({ command, needsPassword, runAs, path }) => ({
      command,
      needsPassword,
      runAs: runAs.join(),
      path: path.join(" > "),
    }),
  );

const ALL = { command: "ALL", needsPassword: true, runAs: "root", path: "" };

describe("rules of sudo", () => {
  test("aliases and groups are followed, and the path names them", () => {
    const text = "User_Alias A = bob, B : B = %ops, \\\n  !eve\nA ALL = (ALL) NOPASSWD: ALL";
    const expected = { ...ALL, needsPassword: false, runAs: "ALL" };
    assert.deepEqual(rightsOf(text, "zoe", { groups: ["ops"] }), [{ ...expected, path: "A > B > %ops" }]);
    assert.deepEqual(rightsOf(text, "eve", { groups: ["ops"] }), []);
    assert.deepEqual(rightsOf(text, "bob"), [{ ...expected, path: "A" }]);
  });

  test("rules for other hosts do not apply, and rules for this one do by name, address and pattern", () => {
    for (const host of ["web1", "192.0.2.1", "ALL", "web?", "!db1, web*"]) {
      assert.deepEqual(rightsOf(`bob ${host} = ALL`, "bob"), [ALL], host);
    }
    for (const host of ["web2", "db*", "ALL, !web1"]) assert.deepEqual(rightsOf(`bob ${host} = ALL`, "bob"), [], host);
    const two = rightsOf("bob db1 = /bin/ls : web1 = NOPASSWD: /bin/cat", "bob");
    assert.deepEqual(two, [{ ...ALL, command: "/bin/cat", needsPassword: false }]);
  });

  test("user ids, group ids, quotes, escapes, comments and digests are read", () => {
    assert.equal(rightsOf("#1000 ALL = ALL", "bob").length, 1);
    assert.equal(rightsOf("%#27 ALL = ALL", "bob").length, 1);
    assert.equal(rightsOf('"bob" ALL = ALL # every command', "bob").length, 1);
    assert.equal(rightsOf("# bob ALL = ALL", "bob").length, 0);
    assert.deepEqual(rightsOf("bob ALL = sha256:abc= /bin/ls -l a\\,b", "bob")[0]?.command, "/bin/ls -l a,b");
  });

  test("tags and run-as lists apply to the commands after them, and defaults may switch the password off", () => {
    const text = "bob ALL = (db) NOPASSWD: /bin/a, PASSWD: /bin/b, (root) /bin/c";
    assert.deepEqual(
      rightsOf(text, "bob").map(({ command, needsPassword, runAs }) => [command, needsPassword, runAs]),
      [
        ["/bin/a", false, "db"],
        ["/bin/b", true, "db"],
        ["/bin/c", true, "root"],
      ],
    );
    assert.equal(rightsOf("Defaults !authenticate\nbob ALL = ALL", "bob")[0]?.needsPassword, false);
    assert.equal(rightsOf("Defaults:eve !authenticate\nbob ALL = ALL", "bob")[0]?.needsPassword, true);
  });

  test("a later exclusion cancels a right, and aliases that contain each other end", () => {
    assert.deepEqual(
      rightsOf("bob ALL = /bin/a, /bin/b, !/bin/a", "bob").map(({ command }) => command),
      ["/bin/b"],
    );
    assert.deepEqual(rightsOf("User_Alias A = B\nUser_Alias B = A\nA ALL = ALL", "bob"), []);
  });

  test("hostile text ends quickly and gives no rights", () => {
    const started = performance.now();
    for (const text of [
      "(".repeat(16_000),
      "bob ALL = ".repeat(1600),
      '"'.repeat(16_000),
      ",".repeat(16_000),
      "a\\".repeat(8000),
      `${"a ".repeat(8000)}=`,
    ]) {
      rightsOf(text, "nobody");
    }
    assert.ok(performance.now() - started < 2000, `${performance.now() - started} ms`);
  });
});

describe("the effect of sudo rules", () => {
  const right = (command: string, more = {}) => ({
    command,
    runAs: ["root"],
    needsPassword: false,
    isNoexec: false,
    path: [],
    file: "/etc/sudoers",
    ...more,
  });
  const account = { name: "bob", uid: "1000", home: "/home/bob", groups: [] };

  test("commands that can start a shell or write any file amount to root; others do not", () => {
    for (const command of [
      "/usr/bin/vim",
      "/bin/bash",
      "/usr/bin/find",
      "/usr/bin/python3.11",
      "/usr/bin/tee",
      "/usr/bin/less /var/log/syslog",
      "/home/bob/run.sh",
      "/usr/bin/systemctl *",
      "/bin/*",
      "sudoedit /etc/sudoers",
      '/usr/bin/vi ""',
    ]) {
      assert.ok(opensShell(right(command), account), command);
    }
    for (const command of [
      "/bin/systemctl restart nginx",
      "/opt/backup.sh",
      "/usr/bin/python3 /opt/report.py",
      "/bin/cat /etc/motd",
      "sudoedit /etc/motd",
    ]) {
      assert.ok(!opensShell(right(command), account), command);
    }
    assert.ok(
      !opensShell(right("/usr/bin/vim", { isNoexec: true, command: "/usr/bin/less /var/log/syslog" }), account),
    );
  });

  test("the strongest privilege comes first, and arguments of commands stay out", () => {
    const rights = [right("/opt/job --password=hunter2"), right("ALL"), right("/opt/x", { runAs: ["app"] })];
    const people = [account, { name: "app", uid: "1001", home: "/", groups: [] }];
    const found = privilegesOf({ ...account, groups: ["docker"] }, rights, people);
    assert.deepEqual(
      found.map(({ kind, becomes }) => (becomes === undefined ? kind : `${kind} ${becomes}`)),
      ["sudo-all", "root-group", "sudo-limited app", "sudo-limited"],
    );
    assert.ok(!JSON.stringify(found).includes("hunter2"));
  });

  test("everyone except root is not root", () => {
    const found = privilegesOf(
      account,
      [right("ALL", { runAs: ["ALL", "!root"] })],
      [
        account,
        { name: "root", uid: "0", home: "/root", groups: [] },
        { name: "app", uid: "1001", home: "/", groups: [] },
      ],
    );
    assert.deepEqual(
      found.map(({ kind, becomes }) => [kind, becomes]),
      [["sudo-as", "app"]],
    );
  });
});

describe("keys", () => {
  const blob = Buffer.alloc(51, 7).toString("base64");

  test("options are named, and only the values without secrets are shown", () => {
    const key = authorizedKey(
      `from="192.0.2.0/24",command="run --token=abc, \\"x\\"",no-pty ssh-ed25519 ${blob} a comment`,
    );
    assert.deepEqual(key?.options, ["from=192.0.2.0/24", "command", "no-pty"]);
    assert.deepEqual([key?.type, key?.comment], ["ssh-ed25519", "a comment"]);
    assert.match(key?.fingerprint ?? "", /^SHA256:[A-Za-z0-9+/]{43}$/);
    for (const line of ["", "ssh-ed25519", "ssh-ed25519 $(id)", `root:$6$abc:${blob}`, `unknown ${blob}`]) {
      assert.equal(authorizedKey(line), null, line);
    }
  });

  test("escape sequences and marks of text direction in comments are replaced", () => {
    const key = authorizedKey(`ssh-ed25519 ${blob} \u001b[31mred\u202Eevil`);
    assert.equal(key?.comment, "\uFFFD[31mred\uFFFDevil");
  });

  test("a private key is read by its owner, its group if folders allow it, or everyone", () => {
    const people = [
      { name: "ann", uid: "1", groupIds: ["10"] },
      { name: "ben", uid: "2", groupIds: ["10", "20"] },
    ];
    const readers = (modes: string) =>
      keysIn([`X:${modes}:no:/home/ann/.ssh/id`], people).map(({ account, readBy }) => `${account} ${readBy}`);
    assert.deepEqual(readers("1,10,600:1,10,700:1,10,755"), ["ann owner"]);
    assert.deepEqual(readers("1,20,640:1,20,750:1,20,750"), ["ann owner", "ben group"]);
    assert.deepEqual(readers("1,20,640:1,20,700:1,20,755"), ["ann owner"]);
    assert.deepEqual(readers("1,10,644:1,10,755:1,10,755"), ["ann owner", "null everyone"]);
  });
});
