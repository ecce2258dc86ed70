// Native SSH clients: the real OpenSSH client, a gateway on a real database, and a real sshd.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
  createAccount,
  createToken,
  pathOf,
  readSessionRecording,
  startPrivilegedSession,
  terminatePrivilegedSession,
} from "@strongroom/contract";
import type { AccountId, PrivilegedSessionId, ScopeChoice } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { gatewayHostKey } from "@strongroom/server/features/sessions/index.ts";
import { sql } from "kysely";
import { startGatewayWorld, type GatewayWorld } from "../../testing/gateway-world.ts";
import { openssh, type Openssh } from "../../testing/openssh.ts";

describe("a native SSH client", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;
  let client: Openssh;
  let token: string;

  before(async () => {
    world = await startGatewayWorld();
    const hostKey = await gatewayHostKey(world.app.kernel);
    client = openssh(world.sshPort, hostKey.publicLine);
    token = await aToken(["privileged-session.start"]);
  });
  after(async () => {
    client.remove();
    await world.stop();
  });

  async function aToken(scopes: ScopeChoice[]): Promise<string> {
    const body = { name: "ssh", scopes, expires_in_days: 1 };
    const made = await world.app.call(createToken, { body, as: world.owner.token });
    assert.equal(made.status, 201, made.text);
    return made.body.token;
  }

  const withToken = (text = token) => ({ answers: { "API token": text, assword: text } });

  interface Row {
    id: string;
    status: string;
    client: string;
    end_reason: string | null;
    recording: string | null;
  }

  /** The newest session, once it has ended. */
  async function lastSession(): Promise<Row> {
    for (let looks = 0; looks < 500; looks += 1) {
      const { rows } = await sql<Row>`
        select sessions.id, sessions.status, client, end_reason, recordings.status as recording
        from sessions left join recordings on recordings.session_id = sessions.id
        order by requested_at desc limit 1`.execute(world.app.database.db);
      const [row] = rows;
      if (row?.status === "completed" && row.recording !== "open") return row;
      await delay(20);
    }
    throw new Error("the session did not end");
  }

  test("runs a command with an API token as the password, and records it", async () => {
    const { status, stdout, stderr } = await client.ssh(world.accountId, ["echo $((40+2))-$USER; exit 7"], withToken());
    assert.deepEqual([status, stdout], [7, `42-${world.user.username}\n`], stderr);
    const session = await lastSession();
    assert.deepEqual([session.client, session.end_reason, session.recording], ["native", "logout", "closed"]);
    const trail = await world.audited(session.id);
    assert.ok(trail.some(({ event }) => event === "privileged-session.started"));
    assert.ok(trail.every(({ text }) => !text.includes(token) && !text.includes(world.user.password)));
  });

  test("accepts the token by the password method too", async () => {
    const options = ["-o", "PreferredAuthentications=password"];
    const { status, stdout, stderr } = await client.ssh(world.accountId, ["echo hello"], { ...withToken(), options });
    assert.deepEqual([status, stdout], [0, "hello\n"], stderr);
  });

  test("keys that the client offers do not count as login attempts", async () => {
    const options = Array.from({ length: 8 }, (_, at) => join(client.folder, `key-${at}`)).flatMap((path) => {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
      return ["-i", path];
    });
    const { status, stdout, stderr } = await client.ssh(world.accountId, ["echo hello"], { ...withToken(), options });
    assert.deepEqual([status, stdout], [0, "hello\n"], stderr);
  });

  test("names the user, the account and the host in the login name", async () => {
    const name = `${world.owner.email}%${world.user.username}%${world.sshd.host}`;
    const { status, stdout, stderr } = await client.ssh(name, ["echo hello"], withToken());
    assert.deepEqual([status, stdout], [0, "hello\n"], stderr);
  });

  test("opens a shell in a terminal and sends its input", async () => {
    const { stdout, stderr } = await client.ssh(world.accountId, [], {
      ...withToken(),
      options: ["-tt"],
      input: "stty size; echo $((40+2)); exit\n",
    });
    assert.match(stdout, /42/, stderr);
  });

  test("passes standard input, standard error and a large output through", async () => {
    const command = "cat; echo problem >&2; head -c 3000000 /dev/zero | tr '\\0' x";
    const { status, stdout, stderr } = await client.ssh(world.accountId, [command], {
      ...withToken(),
      input: "given\n",
    });
    assert.deepEqual([status, stdout.length, stdout.slice(0, 8)], [0, 3_000_006, "given\nxx"], stderr);
    assert.match(stderr, /problem/);
  });

  test("refuses a wrong token and a token without the scope", async () => {
    for (const text of [`srt_${"x".repeat(49)}`, await aToken(["account.list"])]) {
      const { status, stderr } = await client.ssh(world.accountId, ["true"], withToken(text));
      assert.equal(status, 255);
      assert.match(stderr, /Permission denied/);
    }
  });

  test("refuses the token of a user other than the one in the login name", async () => {
    const name = `nobody@example.com%${world.user.username}%${world.sshd.host}`;
    assert.equal((await client.ssh(name, ["true"], withToken())).status, 255);
  });

  test("says why an account cannot be used", async () => {
    const { status, stderr } = await client.ssh("no-such-account", ["true"], withToken());
    assert.equal(status, 255);
    assert.match(stderr, /No SSH account with this name/);
  });

  test("offers a menu when several accounts match", async () => {
    const { rows } = await sql<{ name: string; safe_id: string; platform_id: string }>`
      select credentials.name, safe_id, platform_id from credentials join accounts using (id)
      where credentials.id = ${world.accountId}`.execute(world.app.database.db);
    const [known] = rows;
    const body = {
      name: "zz other",
      hostname: "other.example.com",
      username: world.user.username,
      system_type: "Linux",
      connection_method: "SSH",
      safe_id: known!.safe_id,
      platform_id: known!.platform_id,
      password: "another long password",
    } as never;
    const made = await world.app.call(createAccount, { body, as: world.owner.token });
    assert.equal(made.status, 201, made.text);
    const answers = { ...withToken().answers, "Account (1-2)": "1" };
    const { status, stdout, stderr } = await client.ssh(world.user.username, ["echo chosen"], { answers });
    assert.deepEqual([status, stdout], [0, "chosen\n"], stderr);
    assert.match(stderr, /2\) zz other/);
  });

  test("asks for the reason and the ticket that the platform requires", async () => {
    const require = (isRequired: boolean) =>
      sql`
      update platforms set reason_required = ${isRequired}, ticket_required = ${isRequired}
      where id = (select platform_id from accounts where id = ${world.accountId})`.execute(world.app.database.db);
    await require(true);
    const answers = { ...withToken().answers, Reason: "disk full", Ticket: "CHG-1" };
    try {
      const { status, stderr } = await client.ssh(world.accountId, ["true"], { answers });
      assert.equal(status, 0, stderr);
      const { rows } = await sql`
        select reason, ticket from sessions order by requested_at desc limit 1`.execute(world.app.database.db);
      assert.deepEqual(rows, [{ reason: "disk full", ticket: "CHG-1" }]);
      assert.equal((await client.ssh(world.accountId, ["true"], withToken())).status, 255);
    } finally {
      await require(false);
    }
  });

  async function aTicket() {
    const params = { id: world.accountId as AccountId };
    const made = await world.app.call(startPrivilegedSession, {
      params,
      body: { client: "native" },
      as: world.owner.token,
    });
    assert.equal(made.status, 201, made.text);
    return made.body;
  }

  test("accepts a ticket once, for its own account", async () => {
    const { ticket, ssh } = await aTicket();
    assert.equal(ssh?.port, world.sshPort);
    assert.match(ssh.host_key, /^ssh-ed25519 /);
    const other = await client.ssh("other-account", ["true"], withToken(ticket));
    assert.equal(other.status, 255);
    const first = await client.ssh(world.user.username, ["echo ticket"], withToken(ticket));
    assert.deepEqual([first.status, first.stdout], [0, "ticket\n"], first.stderr);
    const second = await client.ssh(world.user.username, ["echo ticket"], withToken(ticket));
    assert.equal(second.status, 255);
  });

  test("refuses the ticket of a session in a browser", async () => {
    const { ticket } = await world.request();
    assert.equal((await client.ssh(world.accountId, ["true"], withToken(ticket))).status, 255);
  });

  /** Sessions of earlier tests end shortly after their clients. */
  async function earlierSessionsEnd(): Promise<void> {
    const { db } = world.app.database;
    const open = sql`select from sessions left join recordings on session_id = sessions.id
      where sessions.status = 'active' or recordings.status = 'open'`;
    while ((await open.execute(db)).rows.length > 0) await delay(20);
  }

  test("is disconnected within a second when the session is terminated", async () => {
    await earlierSessionsEnd();
    const running = client.ssh(world.accountId, ["echo started; sleep 60"], withToken());
    let id: string | undefined;
    for (let looks = 0; looks < 500 && id === undefined; looks += 1) {
      const { rows } = await sql<{ id: string }>`
        select id from sessions where status = 'active'`.execute(world.app.database.db);
      id = rows[0]?.id;
      await delay(20);
    }
    const asked = performance.now();
    const params = { id: id as PrivilegedSessionId };
    const reply = await world.app.call(terminatePrivilegedSession, {
      params,
      body: { reason: "wrong host" },
      as: world.owner.token,
    });
    assert.equal(reply.status, 200, reply.text);
    const { status, stderr } = await running;
    assert.ok(performance.now() - asked < 1500);
    assert.equal(status, 255);
    assert.match(stderr, /Ended by .*wrong host/);
  });

  test("ends the session when the client disconnects", async () => {
    await earlierSessionsEnd();
    const stop = new AbortController();
    const running = client.ssh(world.accountId, ["sleep 60"], { ...withToken(), signal: stop.signal });
    for (;;) {
      const { rows } = await sql`select id from recordings where status = 'open'`.execute(world.app.database.db);
      if (rows.length > 0) break;
      await delay(20);
    }
    stop.abort();
    await running;
    assert.equal((await lastSession()).end_reason, "logout");
  });

  test("copies files with scp and lists them in the audit trail and the recording", async () => {
    const source = join(client.folder, "source");
    const back = join(client.folder, "back");
    writeFileSync(source, randomBytes(3_000_000));
    const copy = join(tmpdir(), `strongroom-copied-${randomBytes(4).toString("hex")}`);
    const remote = `scp://${world.accountId}@127.0.0.1:${world.sshPort}/${copy}`;
    const up = await client.run("scp", [source, remote], withToken());
    assert.equal(up.status, 0, up.stderr);
    const session = await lastSession();
    const down = await client.run("scp", [remote, back], withToken());
    assert.equal(down.status, 0, down.stderr);
    assert.deepEqual(readFileSync(back), readFileSync(source));
    rmSync(copy);

    const named = async (id: string) => {
      for (let looks = 0; looks < 250; looks += 1) {
        const found = (await world.audited(id)).filter(({ event }) => event === "privileged-session.files-used");
        const text = found.map((entry) => entry.text).join();
        if (text.includes('"bytes"')) return text;
        await delay(20);
      }
      throw new Error("the transfer was not audited");
    };
    const entry = (action: string) => `"action":"${action}","bytes":3000000,"path":"${copy}"`;
    assert.ok((await named(session.id)).includes(entry("uploaded")));
    assert.ok((await named((await lastSession()).id)).includes(entry("downloaded")));
    const played = await world.app.http.inject({
      url: pathOf(readSessionRecording.path, { id: session.id }),
      headers: { authorization: `Bearer ${world.owner.token}` },
    });
    assert.ok(played.payload.includes(`uploaded ${copy} (3000000 bytes)`));
    assert.ok(played.payload.length < 4000, "the recording does not contain the file");
  });

  test("runs only the programs that the platform allows", async () => {
    const allow = (shell: boolean, exec: boolean, sftp: boolean) =>
      sql`
      update platforms
      set session_allows_shell = ${shell}, session_allows_exec = ${exec}, session_allows_sftp = ${sftp}
      where id = (select platform_id from accounts where id = ${world.accountId})`.execute(world.app.database.db);
    const source = join(client.folder, "denied");
    const copy = join(tmpdir(), `strongroom-denied-${randomBytes(4).toString("hex")}`);
    writeFileSync(source, "content");
    const remote = `scp://${world.accountId}@127.0.0.1:${world.sshPort}/${copy}`;
    const exec = () => client.ssh(world.accountId, ["echo ran"], withToken());
    const shell = () => client.ssh(world.accountId, [], { ...withToken(), input: 'echo r""an\nexit\n' });
    const sftp = () => client.run("scp", [source, remote], withToken());
    try {
      await allow(true, false, false);
      const command = await exec();
      assert.deepEqual([command.status, command.stdout], [255, ""]);
      assert.match(command.stderr, /does not allow single commands/);
      const transfer = await sftp();
      assert.notEqual(transfer.status, 0);
      assert.match(transfer.stderr, /does not allow SFTP/);
      assert.ok(!existsSync(copy));
      assert.match((await shell()).stdout, /ran/);
      await allow(false, true, true);
      const refused = await shell();
      assert.doesNotMatch(refused.stdout, /ran/);
      assert.match(refused.stderr, /does not allow shells/);
      assert.equal((await exec()).stdout, "ran\n");
      const done = await sftp();
      assert.equal(done.status, 0, done.stderr);
    } finally {
      await allow(true, true, true);
      rmSync(copy, { force: true });
    }
  });

  test("cannot forward ports or its agent", async () => {
    const forwarded = await client.ssh(world.accountId, ["true"], {
      ...withToken(),
      options: ["-W", `${world.sshd.host}:${world.sshd.port}`],
    });
    assert.notEqual(forwarded.status, 0);
    assert.match(forwarded.stderr, /administratively prohibited|open failed|forward/i);
  });
});
