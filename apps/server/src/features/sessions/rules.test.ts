// Pausing the input of a session, and the gateways that a platform allows.
import { listGateways, pausePrivilegedSession, readPrivilegedSession, updateSafe } from "@strongroom/contract";
import type { PrivilegedSessionId } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import type { TestApp } from "#testing/test-app.ts";
import { endSession } from "./gateway/end-session.ts";
import { setDraining } from "./gateway/gateways.store.ts";
import { recheckSessions } from "./gateway/recheck-sessions.ts";
import { sessionContextOf } from "./session-context.ts";
import { aGateway, aSessionWorld, anAuditedAccount, anSshAccount, eventsOf } from "./testing/opening.ts";
import type { SessionWorld, TestGateway } from "./testing/opening.ts";

let app: TestApp;
let gateway: TestGateway;
let sessions: SessionWorld["sessions"];
let close: SessionWorld["close"];
before(async () => {
  ({ app, gateway, sessions, close } = await aSessionWorld());
});
after(() => close());

describe("Pause Input", () => {
  const pause = (who: TestPerson, id: PrivilegedSessionId, isPaused = true) =>
    app.call(pausePrivilegedSession, { params: { id }, body: { is_paused: isPaused }, as: who.token });
  const pausedBy = async (id: string) =>
    (await recheckSessions(app.database.db, gateway.id)).goingOn.find((each) => each.id === id)?.pausedBy;

  test("tells the gateway who paused, until the input is resumed", async () => {
    const { owner, user, account } = await anSshAccount(app);
    const id = (await sessions.open(user, account)) as PrivilegedSessionId;
    assert.equal(await pausedBy(id), null);
    assert.equal((await pause(owner, id)).status, 200);
    assert.match((await pausedBy(id)) ?? "", /^person/i);
    const { body } = await app.call(readPrivilegedSession, { params: { id }, as: user.token });
    assert.equal(body.is_input_paused, true);
    assert.equal((await pause(owner, id, false)).status, 200);
    assert.equal(await pausedBy(id), null);
    assert.deepEqual((await eventsOf(app, id)).slice(1), [
      "privileged-session.input-paused success",
      "privileged-session.input-paused success",
    ]);
    await endSession(sessionContextOf(app.kernel), id, { reason: "logout", detail: null });
    assert.equal((await pause(owner, id)).status, 409);
  });

  test("is refused to the session's own user and to auditors, and returns 404 to other users", async () => {
    const { user, account, auditor } = await anAuditedAccount(app);
    const id = (await sessions.open(user, account)) as PrivilegedSessionId;
    const answers = [];
    for (const who of [user, auditor, await aPerson(app)]) answers.push((await pause(who, id)).status);
    assert.deepEqual(answers, [403, 403, 404]);
    assert.equal(await pausedBy(id), null);
  });
});

describe("zones", () => {
  test("a session starts only on a gateway of the platform's zone", async () => {
    const { user, account } = await anSshAccount(app, { session_zone: "plant-2" });
    const refused = await sessions.start(user, account);
    assert.equal(refused.status, 503);
    assert.match(refused.text, /No session gateway in the zone \\"plant-2\\" is ready/);
    const [near, second] = [await aGateway(app, "plant-2"), await aGateway(app, "plant-2")];
    const started = await sessions.start(user, account);
    assert.equal(started.status, 201, started.text);
    const { rows } = await app.database.pool.query<{ gateway_id: string }>(
      "select gateway_id from sessions where id = $1",
      [started.body.session_id],
    );
    const { gateway_id: chosen } = rows[0]!;
    assert.ok([near.id, second.id].includes(chosen));
    // A draining gateway leaves its sessions to the other one.
    await app.database.transaction((tx) => setDraining(tx, near.id, true));
    const next = await sessions.start(user, account);
    await assert.rejects(sessions.redeem(next.body.ticket, next.body.session_id, near.id));
    const opened = await sessions.redeem(next.body.ticket, next.body.session_id, second.id);
    if (opened.kind === "open" && opened.credential instanceof Secret) opened.credential[Symbol.dispose]();
    near.server.close();
    second.server.close();
  });

  test("a session starts only on a gateway of the safe's zone", async () => {
    const { owner, user, safe, account } = await anSshAccount(app);
    const zoned = await app.call(updateSafe, {
      params: { id: safe.id },
      body: { name: safe.name, description: safe.description, session_zone: "vault-9" },
      as: owner.token,
    });
    assert.equal(zoned.body.session_zone, "vault-9", zoned.text);
    const refused = await sessions.start(user, account);
    assert.match(refused.text, /No session gateway in the zone \\"vault-9\\" is ready/);
    const near = await aGateway(app, "vault-9");
    const started = await sessions.start(user, account);
    assert.equal(started.status, 201, started.text);
    await assert.rejects(sessions.redeem(started.body.ticket, started.body.session_id, gateway.id));
    const opened = await sessions.redeem(started.body.ticket, started.body.session_id, near.id);
    if (opened.kind === "open" && opened.credential instanceof Secret) opened.credential[Symbol.dispose]();
    near.server.close();
  });

  test("no gateway is in the different zones of a platform and a safe", async () => {
    const { owner, user, safe, account } = await anSshAccount(app, { session_zone: "plant-2" });
    const body = { name: safe.name, description: safe.description, session_zone: "plant-7" };
    await app.call(updateSafe, { params: { id: safe.id }, body, as: owner.token });
    const near = await aGateway(app, "plant-2");
    const refused = await sessions.start(user, account);
    near.server.close();
    assert.equal(refused.status, 503);
    assert.match(refused.text, /that is in the zones \\"plant-2\\" and \\"plant-7\\" at once/);
  });

  test("a gateway whose zone is no longer the platform's opens no session", async () => {
    const { user, account } = await anSshAccount(app);
    const started = await sessions.start(user, account);
    await app.database.pool.query(
      "update platforms set session_zone = 'plant-3' where id = (select platform_id from accounts where id = $1)",
      [account.id],
    );
    await assert.rejects(
      sessions.redeem(started.body.ticket, started.body.session_id, gateway.id),
      /ticket is not valid/,
    );
  });

  test("a session runs only the programs that its platform allows", async () => {
    const { user, account } = await anSshAccount(app, { session_allows_shell: false, session_allows_sftp: false });
    for (const program of ["shell", "sftp"] as const) {
      const { session_id: id, ticket } = (await sessions.start(user, account)).body;
      const denied = sessions.redeem(ticket, id, gateway.id, program);
      await assert.rejects(denied, { code: "privileged-session.program-denied" });
      assert.ok((await eventsOf(app, id)).includes("privileged-session.refused failure"));
      await assert.rejects(sessions.redeem(ticket, id, gateway.id, "exec"), /ticket is not valid/);
    }
    const { session_id: id, ticket } = (await sessions.start(user, account)).body;
    const opened = await sessions.redeem(ticket, id, gateway.id, "exec");
    assert.equal(opened.kind, "open");
    if (opened.kind === "open" && opened.credential instanceof Secret) opened.credential[Symbol.dispose]();
  });

  test("the Admin Console lists the zone of each gateway", async () => {
    const { body } = await app.call(listGateways, { as: (await firstAdmin(app)).token });
    assert.ok(body.gateways.some(({ zone }) => zone === "plant-2"));
  });
});
