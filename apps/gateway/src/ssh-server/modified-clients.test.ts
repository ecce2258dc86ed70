// Clients with a valid token that request more than OpenSSH does: forwarding of every kind, unknown subsystems, variables
// of the environment, and many programs on one connection.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createToken } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { sql } from "kysely";
import { Client } from "ssh2";
import type { ClientChannel, ExecOptions } from "ssh2";
import { startGatewayWorld, type GatewayWorld } from "../../testing/gateway-world.ts";

describe("a modified SSH client", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;
  let token: string;
  before(async () => {
    world = await startGatewayWorld({ sessionsPerUser: 3 });
    const body = { name: "ssh", scopes: ["privileged-session.start" as const], expires_in_days: 1 };
    const made = await world.app.call(createToken, { body, as: world.owner.token });
    assert.equal(made.status, 201, made.text);
    token = made.body.token;
  });
  after(() => world.stop());

  async function connected<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client();
    await new Promise<void>((resolve, reject) => {
      client.once("ready", resolve).once("error", reject);
      client.connect({ host: "127.0.0.1", port: world.sshPort, username: world.accountId, password: token });
    });
    try {
      return await work(client);
    } finally {
      client.end();
    }
  }

  type Done<T> = (error: Error | undefined, result: T) => void;
  /** The error of a request; null when it was granted. */
  const errorOf = (ask: (done: Done<unknown>) => unknown): Promise<Error | null> =>
    new Promise((resolve) => {
      try {
        ask((error) => resolve(error ?? null));
      } catch (error) {
        resolve(error as Error);
      }
    });

  const run = (client: Client, command: string, options: ExecOptions = {}) =>
    new Promise<{ status: number | null; output: string }>((resolve, reject) => {
      client.exec(command, options, (error, channel: ClientChannel) => {
        if (error !== undefined) return reject(error);
        let output = "";
        let status: number | null = null;
        const read = (chunk: Buffer) => void (output += chunk.toString());
        channel.on("data", read);
        channel.stderr.on("data", read);
        channel.on("exit", (code: number | null) => (status = code));
        channel.on("close", () => resolve({ status, output }));
      });
    });

  const { host, port } = { host: "127.0.0.1", port: 22 };
  const requests: [string, (client: Client, done: Done<unknown>) => unknown][] = [
    ["a forwarded connection", (client, done) => client.forwardOut(host, 1, host, port, done)],
    ["a forwarded socket", (client, done) => client.openssh_forwardOutStreamLocal("/run/docker.sock", done)],
    ["a listening port", (client, done) => client.forwardIn(host, 0, done)],
    [
      "a listening socket",
      (client, done) =>
        client.openssh_forwardInStreamLocal("/tmp/listening.sock", (error) => done(error ?? undefined, null)),
    ],
    ["an unknown subsystem", (client, done) => client.subsys("netconf", done)],
  ];
  for (const [what, ask] of requests) {
    test(`is refused ${what}`, async () => {
      assert.ok((await connected((client) => errorOf((done) => ask(client, done)))) instanceof Error);
    });
  }

  test("passes no variables of its environment and no agent to the target", async () => {
    const env = { LD_PRELOAD: "/tmp/evil.so", FROM_CLIENT: "yes", SSH_AUTH_SOCK: "/tmp/agent" };
    const { status, output } = await connected((client) => run(client, "env", { env }));
    assert.equal(status, 0, output);
    assert.doesNotMatch(output, /LD_PRELOAD|FROM_CLIENT|\/tmp\/agent/);
  });

  test("opens one audited session for each program, up to the limit of its user", async () => {
    // Sessions of earlier tests end shortly after their clients.
    const active = sql`select from sessions where status = 'active'`;
    while ((await active.execute(world.app.database.db)).rows.length > 0) await delay(20);
    const started = Date.now();
    const results = await connected((client) =>
      Promise.all(
        Array.from({ length: 6 }, () =>
          run(client, "sleep 1; echo done").catch((error: Error) => ({ status: null, output: error.message })),
        ),
      ),
    );
    assert.equal(results.filter(({ status }) => status === 0).length, 3, JSON.stringify(results));
    const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from audit_entries
        where event = 'privileged-session.started' and at >= ${new Date(started)}`.execute(world.app.database.db);
    assert.equal(rows[0]?.count, 3);
  });
});
