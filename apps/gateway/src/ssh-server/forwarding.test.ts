// Forwarding of ports and agents, logins by certificate, and rules that change while a session is live: the real OpenSSH client, a
// gateway on a real database, and a real sshd that trusts the CA.
import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  activateSshCaKey,
  createSshCaKey,
  createToken,
  deleteSshCaKey,
  listSshCaKeys,
  pathOf,
  readSessionRecording,
} from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { gatewayHostKey } from "@strongroom/server/features/sessions/index.ts";
import { firstAdmin } from "@strongroom/server/testing/people.ts";
import { sql } from "kysely";
import { startGatewayWorld, type GatewayWorld } from "../../testing/gateway-world.ts";
import { openssh, type Openssh } from "../../testing/openssh.ts";

describe("the SSH protocol of sessions", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;
  let client: Openssh;
  let token: string;
  let admin: string;
  let folder: string;
  /** A server that the target can reach, and that answers with a fixed text. */
  let inner: Server;
  let innerPort: number;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "strongroom-trusted-"));
    writeFileSync(trustedKeys(), "", { mode: 0o644 });
    world = await startGatewayWorld({}, { config: [`TrustedUserCAKeys ${trustedKeys()}`] });
    const hostKey = await gatewayHostKey(world.app.kernel);
    client = openssh(world.sshPort, hostKey.publicLine);
    const body = { name: "ssh", scopes: ["privileged-session.start" as const], expires_in_days: 1 };
    const made = await world.app.call(createToken, { body, as: world.owner.token });
    assert.equal(made.status, 201, made.text);
    token = made.body.token;
    admin = (await firstAdmin(world.app)).token;
    inner = createServer((socket) => socket.end("inner answer\n")).listen(0, "127.0.0.1");
    await new Promise((resolve) => inner.once("listening", resolve));
    innerPort = (inner.address() as { port: number }).port;
  });
  after(async () => {
    inner.close();
    client.remove();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const trustedKeys = () => join(folder, "ca-keys");
  const withToken = () => ({ answers: { "API token": token, assword: token } });
  const set = (changes: string) =>
    world.app.database.pool.query(
      `update platforms set ${changes} where id = (select platform_id from accounts where id = $1)`,
      [world.accountId],
    );

  interface Row {
    id: string;
    status: string;
    program: string;
    end_reason: string | null;
    end_detail: string | null;
  }
  async function lastSession(isDone: (row: Row) => boolean = ({ status }) => status === "completed"): Promise<Row> {
    for (let looks = 0; looks < 500; looks += 1) {
      const { rows } = await sql<Row>`
        select id, status, program, end_reason, end_detail from sessions
        order by requested_at desc limit 1`.execute(world.app.database.db);
      if (rows[0] !== undefined && isDone(rows[0])) return rows[0];
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error("the session did not get there");
  }

  /** A command that runs on the target. */
  async function runningCommand() {
    const file = join(tmpdir(), `strongroom-began-${randomBytes(4).toString("hex")}`);
    const former = await lastSession();
    const running = client.ssh(world.accountId, [`echo began > ${file}; sleep 20; echo late`], withToken());
    const { id } = await lastSession((row) => row.status === "active" && row.id !== former.id);
    for (let looks = 0; looks < 500 && !existsSync(file); looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    rmSync(file, { force: true });
    return { running, id };
  }

  const forwardTo = (destination: string) =>
    client.ssh(world.accountId, [], { ...withToken(), options: ["-W", destination] });

  test("port forwarding is denied by default, and audited", async () => {
    const { status, stdout } = await forwardTo(`127.0.0.1:${innerPort}`);
    assert.deepEqual([status === 0, stdout], [false, ""]);
    const trail = await world.audited((await lastSession()).id);
    const refused = trail.find(({ event }) => event === "privileged-session.refused");
    assert.match(refused?.text ?? "", /"privileged-session.program-denied"/);
    assert.match(refused?.text ?? "", new RegExp(`"destination":"127.0.0.1:${innerPort}","gateway_id"`));
  });

  test("a platform can allow port forwarding: each connection is a recorded session", async () => {
    await set("session_allows_forward = true");
    try {
      const { status, stdout, stderr } = await forwardTo(`127.0.0.1:${innerPort}`);
      assert.deepEqual([status, stdout], [0, "inner answer\n"], stderr);
      const session = await lastSession();
      assert.deepEqual([session.program, session.end_reason], ["forward", "target-closed"]);
      const trail = await world.audited(session.id);
      const started = trail.find(({ event }) => event === "privileged-session.started");
      assert.match(started?.text ?? "", new RegExp(`"destination":"127.0.0.1:${innerPort}"`));
      const played = await world.app.http.inject({
        url: pathOf(readSessionRecording.path, { id: session.id }),
        headers: { authorization: `Bearer ${world.owner.token}` },
      });
      assert.ok(played.payload.includes(`connection to 127.0.0.1:${innerPort}`), played.payload);
      assert.ok(!played.payload.includes("inner answer"));
    } finally {
      await set("session_allows_forward = false");
    }
  });

  for (const [what, destination] of [
    ["a cloud metadata service", "169.254.169.254:80"],
    ["an obscured loopback address", "[::ffff:169.254.169.254]:80"],
    ["a name that is no host name", "127.1:22"],
  ] as const) {
    test(`port forwarding never reaches ${what}`, async () => {
      await set("session_allows_forward = true");
      try {
        const { status, stdout } = await forwardTo(destination);
        assert.deepEqual([status === 0, stdout], [false, ""]);
        const { end_reason: reason, end_detail: detail } = await lastSession();
        assert.equal(reason, "failed");
        assert.match(detail ?? "", /metadata|link-local|not a valid host name/);
      } finally {
        await set("session_allows_forward = false");
      }
    });
  }

  test("the gateway opens no port for a target, even where forwarding is allowed", async () => {
    await set("session_allows_forward = true");
    try {
      const options = ["-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:22"];
      const { status, stderr } = await client.ssh(world.accountId, ["echo ran"], { ...withToken(), options });
      assert.notEqual(status, 0);
      assert.match(stderr, /remote port forwarding failed/);
    } finally {
      await set("session_allows_forward = false");
    }
  });

  describe("agent forwarding", () => {
    let agent: ChildProcess;
    let socket: string;
    let fingerprint: string;
    before(async () => {
      socket = join(folder, "agent.sock");
      agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
      for (let looks = 0; looks < 500 && !existsSync(socket); looks += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const key = join(folder, "agent-key");
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
      execFileSync("ssh-add", ["-q", key], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      fingerprint = execFileSync("ssh-keygen", ["-l", "-f", key]).toString().split(" ")[1]!;
    });
    after(() => void agent.kill());

    const listKeys = () =>
      client.ssh(world.accountId, ["ssh-add -l; exit 0"], {
        ...withToken(),
        options: ["-o", `IdentityAgent=${socket}`, "-o", "ForwardAgent=yes"],
      });
    const startedEntry = async () => {
      const trail = await world.audited((await lastSession()).id);
      return trail.find(({ event }) => event === "privileged-session.started")?.text ?? "";
    };

    test("is denied by default, and audited", async () => {
      const { stdout, stderr } = await listKeys();
      assert.ok(!stdout.includes(fingerprint), stdout);
      assert.match(stderr, /Could not open a connection to your authentication agent/);
      assert.match(await startedEntry(), /"agent":"denied"/);
    });

    test("lets the target use the agent where the platform allows it, with a mark in the recording", async () => {
      await set("session_allows_agent = true");
      try {
        const { stdout, stderr } = await listKeys();
        assert.ok(stdout.includes(fingerprint), stderr);
        assert.match(await startedEntry(), /"agent":"forwarded"/);
        const played = await world.app.http.inject({
          url: pathOf(readSessionRecording.path, { id: (await lastSession()).id }),
          headers: { authorization: `Bearer ${world.owner.token}` },
        });
        assert.ok(played.payload.includes("the target uses the SSH agent"), played.payload);
      } finally {
        await set("session_allows_agent = false");
      }
    });

    test("is not offered to targets by clients that did not ask for it", async () => {
      await set("session_allows_agent = true");
      try {
        const { stdout } = await client.ssh(world.accountId, ["echo agent=$SSH_AUTH_SOCK"], withToken());
        assert.equal(stdout, "agent=\n");
      } finally {
        await set("session_allows_agent = false");
      }
    });

    test("ends with its session when the platform no longer allows it", async () => {
      await set("session_allows_agent = true");
      const former = await lastSession();
      const options = ["-o", `IdentityAgent=${socket}`, "-o", "ForwardAgent=yes"];
      const running = client.ssh(world.accountId, ["sleep 20"], { ...withToken(), options });
      await lastSession((row) => row.status === "active" && row.id !== former.id);
      await set("session_allows_agent = false");
      await running;
      assert.match((await lastSession()).end_detail ?? "", /no longer allows agent forwarding/);
    });
  });

  test("a changed rule of the platform ends the live sessions that it forbids within a second", async () => {
    const { running, id } = await runningCommand();
    const changedAt = Date.now();
    await set("session_allows_exec = false");
    try {
      const { status, stdout, stderr } = await running;
      assert.ok(Date.now() - changedAt < 1000, `${Date.now() - changedAt} ms`);
      assert.deepEqual([status, stdout], [255, ""]);
      assert.match(stderr, /The platform no longer allows single commands/);
      assert.deepEqual((await lastSession()).id, id);
    } finally {
      await set("session_allows_exec = true");
    }
  });

  test("a changed zone ends live sessions on gateways of another one", async () => {
    const { running } = await runningCommand();
    await set("session_zone = 'plant-9'");
    try {
      assert.match((await running).stderr, /requires a gateway of another zone/);
    } finally {
      await set("session_zone = null");
    }
  });

  describe("a login by certificate", () => {
    const trust = async () => {
      const { body } = await world.app.call(listSshCaKeys, { as: world.owner.token });
      writeFileSync(trustedKeys(), body.trusted_keys_file);
      return body.keys;
    };
    const run = () => client.ssh(world.accountId, ["echo $((40+2))-$USER"], withToken());

    before(() => set("session_login = 'certificate'"));
    after(() => set("session_login = 'secret'"));

    test("is refused before there is a CA", async () => {
      const { status, stderr } = await run();
      assert.equal(status, 255);
      assert.match(stderr, /no SSH user CA yet/);
    });

    test("opens the session without the stored secret, and the target's log names the session", async () => {
      assert.equal((await world.app.call(createSshCaKey, { as: admin })).status, 201);
      const [key] = await trust();
      const from = world.sshd.log().length;
      // The stored password is wrong: only the certificate can open the session.
      const { status, stdout, stderr } = await run();
      assert.deepEqual([status, stdout], [0, `42-${world.user.username}\n`], stderr);
      const session = await lastSession();
      const log = await world.sshd.logged(from, /Accepted publickey/);
      assert.match(
        log,
        new RegExp(`ID ${session.id} \\(serial \\d+\\) CA ED25519 ${key!.fingerprint.replaceAll("+", "\\+")}`),
      );
      assert.doesNotMatch(log, /Accepted password/);
      const started = (await world.audited(session.id)).find(({ event }) => event === "privileged-session.started");
      assert.match(started?.text ?? "", new RegExp(`"certificate":\\{"ca":"SHA256:`));
    });

    test("is retried immediately after the target refuses it, and counts for its user", async () => {
      const { db } = world.app.database;
      writeFileSync(trustedKeys(), "");
      const refused = await run();
      assert.equal(refused.status, 255);
      const { rows } = await sql<{ version: number | null }>`select version from session_login_failures`.execute(db);
      assert.deepEqual(rows, [{ version: null }]);
      await trust();
      const { status, stderr } = await run();
      assert.equal(status, 0, stderr);
    });

    test("continues through a rotation of the CA while targets trust both keys", async () => {
      const made = await world.app.call(createSshCaKey, { as: admin });
      assert.equal(made.body.status, "next");
      const [active] = await trust();
      assert.equal((await run()).status, 0);
      const params = { id: made.body.id };
      assert.equal((await world.app.call(activateSshCaKey, { params, as: admin })).status, 200);
      const from = world.sshd.log().length;
      assert.equal((await run()).status, 0);
      assert.ok((await world.sshd.logged(from, /Accepted publickey/)).includes(made.body.fingerprint));
      assert.equal((await world.app.call(deleteSshCaKey, { params, as: admin })).status, 409);
      assert.equal((await world.app.call(deleteSshCaKey, { params: { id: active!.id }, as: admin })).status, 200);
      assert.deepEqual(
        (await trust()).map(({ id }) => id),
        [made.body.id],
      );
      assert.equal((await run()).status, 0);
    });

    test("only administrators change the CA", async () => {
      assert.equal((await world.app.call(createSshCaKey, { as: world.owner.token })).status, 403);
    });
  });
});
