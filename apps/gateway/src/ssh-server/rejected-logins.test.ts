// Tests that a secret rejected by a target is not sent repeatedly, so that the gateway's address is not locked out.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createAccount, createToken } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { gatewayHostKey } from "@strongroom/server/features/sessions/index.ts";
import { sql } from "kysely";
import { startGatewayWorld, type GatewayWorld } from "../../testing/gateway-world.ts";
import { openssh, type Openssh } from "../../testing/openssh.ts";

describe("a rejected login on a target", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;
  let client: Openssh;
  let answers: Record<string, string>;
  let count = 0;

  before(async () => {
    world = await startGatewayWorld({ sessionsPerGateway: 2 });
    client = openssh(world.sshPort, (await gatewayHostKey(world.app.kernel)).publicLine);
    const body = { name: "ssh", scopes: ["privileged-session.start" as const], expires_in_days: 1 };
    answers = { "API token": (await world.app.call(createToken, { body, as: world.owner.token })).body.token };
  });
  after(async () => {
    client.remove();
    await world.stop();
  });

  /** An account on the same target with a wrong stored password. */
  async function aBrokenAccount(): Promise<string> {
    count += 1;
    const { db } = world.app.database;
    const { rows } = await sql<{ safe_id: string; platform_id: string; host_key: object }>`
      select safe_id, platform_id, host_key from credentials join accounts using (id)
      where credentials.id = ${world.accountId}`.execute(db);
    const { safe_id, platform_id, host_key } = rows[0]!;
    const body = {
      name: `broken ${count}`,
      hostname: world.sshd.host,
      port: world.sshd.port,
      username: world.user.username,
      system_type: "Linux",
      connection_method: "SSH",
      safe_id,
      platform_id,
      password: `not the password ${count}`,
    } as never;
    const made = await world.app.call(createAccount, { body, as: world.owner.token });
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    await sql`update credentials set host_key = ${JSON.stringify(host_key)}::jsonb where id = ${id}`.execute(db);
    return id;
  }

  const failuresOnTarget = (): number => world.sshd.log().split("Failed password").length - 1;

  const activeSessions = async () =>
    (await sql`select from sessions where status = 'active'`.execute(world.app.database.db)).rows.length;
  /** The gateway of this test has room for two sessions, and one that closes its recording still counts. */
  async function sessionsEnded(): Promise<void> {
    while ((await activeSessions()) > 0) await delay(20);
  }

  /** Failures of other tests no longer count. */
  const forget = () => sql`delete from session_login_failures`.execute(world.app.database.db);

  test("is audited, and the same secret is not sent again until it has changed", async () => {
    const id = await aBrokenAccount();
    const before = failuresOnTarget();
    const first = await client.ssh(id, ["true"], { answers });
    assert.equal(first.status, 255);
    const after = failuresOnTarget();
    assert.ok(after > before, "the target rejected the password");
    for (let tries = 0; tries < 3; tries += 1) {
      const { status, stderr } = await client.ssh(id, ["true"], { answers });
      assert.equal(status, 255);
      assert.match(stderr, /The target rejected the login of "broken 1"\. The gateway tries it again at/);
    }
    assert.equal(failuresOnTarget(), after, "nothing was sent");
    const { rows } = await sql<{ event: string }>`
      select distinct event from audit_entries where event = 'privileged-session.login-rejected'`.execute(
      world.app.database.db,
    );
    assert.equal(rows.length, 1);
    // A new version of the secret is tried immediately.
    await sql`update session_login_failures set version = version - 1`.execute(world.app.database.db);
    await client.ssh(id, ["true"], { answers });
    assert.ok(failuresOnTarget() > after);
    await forget();
  });

  test("only delays logins with other accounts of the target", async () => {
    const { status, stderr } = await client.ssh(world.accountId, ["true"], { answers });
    assert.equal(status, 0, stderr);
  });

  test("counts for its user: after five, the user waits, whichever account they try", async () => {
    const db = world.app.database.db;
    await sql`
      insert into session_login_failures
      select gen_random_uuid(), 1, ${world.owner.id}::uuid, access_time() from generate_series(1, 5)`.execute(db);
    const { status, stderr } = await client.ssh(world.accountId, ["true"], { answers });
    assert.equal(status, 255);
    assert.match(stderr, /Targets rejected 5 of your logins within 10 minutes/);
    await forget();
    assert.equal((await client.ssh(world.accountId, ["true"], { answers })).status, 0);
  });

  test("is forgotten after a login that works", async () => {
    await sessionsEnded();
    const db = world.app.database.db;
    await sql`
      insert into session_login_failures values (${world.accountId}::uuid, 0, ${world.owner.id}::uuid, access_time())`.execute(
      db,
    );
    const result = await client.ssh(world.accountId, ["true"], { answers });
    assert.equal(result.status, 0, result.stderr);
    const { rows } = await sql`select from session_login_failures where account_id = ${world.accountId}`.execute(db);
    assert.equal(rows.length, 0);
  });

  test("a gateway refuses more sessions than its setting allows", async () => {
    await sessionsEnded();
    const stop = new AbortController();
    const running = [1, 2].map(() => client.ssh(world.accountId, ["sleep 60"], { answers, signal: stop.signal }));
    while ((await activeSessions()) < 2) await delay(20);
    const third = await client.ssh(world.accountId, ["true"], { answers });
    assert.match(third.stderr, /This gateway has too many sessions/);
    stop.abort();
    await Promise.all(running);
  });
});
