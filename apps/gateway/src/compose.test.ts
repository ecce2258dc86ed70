// A gateway on a real database: tickets, secrets, recordings and session ends, with a real sshd.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { verifyRecording } from "@strongroom/recordings";
import { firstAdmin } from "@strongroom/server/testing/people.ts";
import { sql } from "kysely";
import { SIZE } from "../testing/browser-gateway.ts";
import { startGatewayWorld, type GatewayWorld } from "../testing/gateway-world.ts";

describe("a gateway", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;
  before(async () => {
    world = await startGatewayWorld();
  });
  after(() => world.stop());

  interface Row {
    status: string;
    end_reason: string | null;
    end_detail: string | null;
    output_bytes: number;
    recording: string | null;
    path: string | null;
    chunks: number | null;
  }

  async function rowOf(sessionId: string): Promise<Row> {
    const { rows } = await sql<Row>`
      select sessions.status, end_reason, end_detail, output_bytes, recordings.status as recording, path, chunks
      from sessions left join recordings on recordings.session_id = sessions.id
      where sessions.id = ${sessionId}`.execute(world.app.database.db);
    assert.ok(rows[0] !== undefined);
    return rows[0];
  }

  async function ended(sessionId: string): Promise<Row> {
    for (let looks = 0; looks < 500; looks += 1) {
      const row = await rowOf(sessionId);
      if (row.status === "completed" && row.recording !== "open") return row;
      await delay(20);
    }
    throw new Error("the session did not end");
  }

  test("registers itself with the database", async () => {
    const { rows } = await sql<{ problem: string | null }>`
      select problem from gateways where id = ${world.gatewayApp.id}`.execute(world.app.database.db);
    assert.deepEqual(rows, [{ problem: null }]);
  });

  test("opens the account's secret for a ticket, records the session and audits it", async () => {
    const { sessionId, browser, ticket } = await world.begin();
    browser.type("echo $((40+2))-$USER; exit\n");
    await browser.sees(new RegExp(`42-${world.user.username}`));
    await browser.told("end");
    const row = await ended(sessionId);
    assert.deepEqual([row.end_reason, row.recording], ["logout", "closed"]);
    assert.equal(row.output_bytes, Buffer.byteLength(browser.shown()));

    const path = join(world.recordings, row.path ?? "");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const report = await verifyRecording(createReadStream(path) as AsyncIterable<Uint8Array>, { digests: [] });
    assert.ok(report.isComplete);
    assert.deepEqual([report.outputBytes, report.chunks], [row.output_bytes, row.chunks]);

    const trail = await world.audited(sessionId);
    const events = trail.map(({ event }) => event);
    assert.equal(events[0], "privileged-session.started");
    assert.ok(events.includes("recording.chunks-stored") && events.includes("recording.closed"));
    assert.ok(events.includes("privileged-session.ended"));
    const everything = trail.map(({ text }) => text).join("\n") + (await readFile(path, "latin1"));
    assert.ok(!everything.includes(world.user.password) && !everything.includes(ticket));
  });

  test("redeems a ticket once", async () => {
    const { sessionId, ticket } = await world.begin();
    const second = await world.open(sessionId);
    second.send({ t: "ticket", ticket, ...SIZE });
    assert.match((await second.told("end")).detail ?? "", /ticket is not valid/);
    const events = (await world.audited(sessionId)).map(({ event }) => event);
    assert.ok(events.includes("privileged-session.refused"));
  });

  test("ends a session within a second when its user is disabled", async () => {
    const { sessionId, browser } = await world.begin();
    const asked = performance.now();
    await sql`update users set status = 'disabled' where id = ${world.owner.id}`.execute(world.app.database.db);
    assert.equal((await browser.told("end")).reason, "user-disabled");
    assert.ok(performance.now() - asked < 1000);
    await sql`update users set status = 'active' where id = ${world.owner.id}`.execute(world.app.database.db);
    assert.equal((await ended(sessionId)).end_reason, "user-disabled");
  });

  test("ends a session within a second when an administrator terminates it", async () => {
    const { sessionId, browser } = await world.begin();
    const admin = await firstAdmin(world.app);
    const asked = performance.now();
    await sql`
      update sessions set terminated_at = now(), terminated_by = ${admin.id}, terminated_why = 'wrong host'
      where id = ${sessionId}`.execute(world.app.database.db);
    const end = await browser.told("end");
    assert.equal(end.reason, "terminated");
    assert.match(end.detail ?? "", /wrong host/);
    assert.ok(performance.now() - asked < 1000);
  });

  test("ends a session at its maximum duration", async () => {
    const { sessionId, ticket } = await world.request();
    await sql`update sessions set ends_at = now() + interval '3 seconds' where id = ${sessionId}`.execute(
      world.app.database.db,
    );
    const browser = await world.open(sessionId);
    browser.send({ t: "ticket", ticket, ...SIZE });
    await browser.told("ready");
    assert.equal((await browser.told("end")).reason, "expired");
  });

  test("shows messages in the user's terminal", async () => {
    const { sessionId, browser } = await world.begin();
    const payload = JSON.stringify({ session_id: sessionId, from: "Grace", text: "Please finish." });
    await sql`select pg_notify('session_message', ${payload})`.execute(world.app.database.db);
    assert.equal((await browser.told("notice")).text, "Grace: Please finish.");
  });

  test("lets a watcher in with a watch ticket only", async () => {
    const { sessionId, browser } = await world.begin();
    const { ticket } = await world.request("watch", sessionId);
    const watcher = await world.open(sessionId, "watch");
    watcher.send({ t: "ticket", ticket });
    await watcher.told("watching");
    browser.type("echo seen-$((40+2))\n");
    await watcher.sees(/seen-42/);
    const other = await world.request();
    const intruder = await world.open(sessionId, "watch");
    intruder.send({ t: "ticket", ticket: other.ticket });
    assert.equal((await intruder.told("end")).reason, null);
  });

  test("refuses a changed host key and reports it in the session", async () => {
    const wrong = JSON.stringify({ type: "ssh-ed25519", fingerprint: `SHA256:${"A".repeat(43)}` });
    const right = JSON.stringify(await world.sshd.hostKey());
    const pin = (key: string) =>
      sql`update credentials set host_key = ${key}::jsonb where id = ${world.accountId}`.execute(world.app.database.db);
    await pin(wrong);
    const { sessionId, ticket } = await world.request();
    const browser = await world.open(sessionId);
    browser.send({ t: "ticket", ticket, ...SIZE });
    assert.match((await browser.told("end")).detail ?? "", /ALARM: the host key/);
    await pin(right);
    const row = await ended(sessionId);
    assert.equal(row.end_reason, "failed");
    assert.match(row.end_detail ?? "", /ALARM: the host key/);
  });

  test("ends its sessions and removes itself from the list of gateways when it stops", async () => {
    const { sessionId, browser } = await world.begin();
    await world.gatewayApp.stop();
    assert.equal((await browser.told("end")).reason, "gateway-lost");
    assert.equal((await ended(sessionId)).recording, "closed");
    const { rows } = await sql`select from gateways where id = ${world.gatewayApp.id}`.execute(world.app.database.db);
    assert.equal(rows.length, 0);
  });

  test("runs as a separate process and stops on a signal", async () => {
    const { host = "", port = 5432, user = "", database = "", password } = world.app.database.connection;
    const url = new URL(`postgresql://localhost/${database}`);
    url.searchParams.set("host", host);
    url.searchParams.set("port", String(port));
    url.searchParams.set("user", user);
    if (typeof password === "string") url.searchParams.set("password", password);
    const child = fork(join(import.meta.dirname, "main.ts"), {
      env: { ...process.env, DATABASE_URL: url.href, STRONGROOM_DATA: world.app.dataFolder, STRONGROOM_SSH_PORT: "0" },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
    }
    const exited = once(child, "exit");
    const [first] = await Promise.race([once(child, "message"), exited]);
    assert.equal(first, "ready", output);
    child.kill("SIGTERM");
    assert.deepEqual(await exited, [0, null], output);
    const { rows } = await sql`select from gateways`.execute(world.app.database.db);
    assert.equal(rows.length, 0);
  });
});
