// Tests SSH host keys: the first key is pinned; a different key raises an alarm and prevents logins until a user
// accepts it.
import {
  CredentialEdit,
  acceptHostKey,
  listDashboardAlerts,
  readCredentialHistory,
  updateCredential,
  verifyCredential,
} from "@strongroom/contract";
import type { Credential } from "@strongroom/contract";
import { needs, sshdAvailable, startSshd } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aCredential, asStored } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

describe("a host key", needs(sshdAvailable()), () => {
  let sshd: Sshd;
  let login: { username: string; privateKey: string };
  before(async () => {
    sshd = await startSshd();
    login = await sshd.authorizeKey();
  });
  after(() => sshd.stop());

  const fields = () =>
    ({
      name: "Web server",
      type: "ssh",
      host: sshd.host,
      port: sshd.port,
      username: login.username,
      value: login.privateKey,
    }) as const;
  const verify = (owner: TestPerson, id: Credential["id"]) =>
    app.call(verifyCredential, { params: { id }, as: owner.token });
  const text = async () => {
    const { type, fingerprint } = await sshd.hostKey();
    return `${type} ${fingerprint}`;
  };

  async function aPinned(owner: TestPerson): Promise<Credential> {
    const stored = await aCredential(app, owner, fields());
    return eventually(async () => {
      const now = await asStored(app, owner, stored.id);
      return now.verification_status === "verified" ? now : null;
    });
  }

  test("is trusted on first use, and a changed key raises the alarm without a login", async () => {
    const owner = await aPerson(app);
    const stored = await aPinned(owner);
    const expected = await text();
    await sshd.changeHostKey();
    const events = await liveEvents(app, owner);
    const reply = await verify(owner, stored.id);
    assert.equal(reply.body.data.code, "host-key-changed", reply.text);
    assert.equal(reply.body.success, false);
    assert.ok(!/Accepted publickey/.test(sshd.log()));

    const after = await asStored(app, owner, stored.id);
    assert.deepEqual(after.host_key_alarm, { expected, presented: await text() });
    assert.equal(after.verification_status, "misconfigured");
    const history = await app.call(readCredentialHistory, { params: { id: stored.id }, as: owner.token });
    assert.equal(history.body.history[0]?.result, "warning");
    const alerts = await app.call(listDashboardAlerts, { as: owner.token });
    assert.equal(alerts.body.alerts[0]?.severity, "critical");
    assert.ok(alerts.body.alerts[0]?.message.includes("Web server"));
    await events.next((event) => event.type === "verification.completed" && event.data["is_alarm"] === true);
    events.close();
  });

  test("can be accepted by the credential's owner after it raised the alarm, and is then pinned and verified automatically", async () => {
    const owner = await aPerson(app);
    const stored = await aPinned(owner);
    await sshd.changeHostKey();
    await verify(owner, stored.id);
    const { host_key_alarm } = await asStored(app, owner, stored.id);
    const fingerprint = host_key_alarm?.presented ?? "";
    const params = { id: stored.id };
    const reply = await app.call(acceptHostKey, { params, body: { fingerprint }, as: owner.token });
    assert.equal(reply.status, 200, reply.text);
    const verified = await eventually(async () => {
      const now = await asStored(app, owner, stored.id);
      return now.verification_status === "verified" ? now : null;
    });
    assert.equal(verified.host_key_alarm, null);
    const { rows } = await app.database.pool.query("select host_key from credentials where id = $1", [stored.id]);
    assert.deepEqual(rows[0].host_key, await sshd.hostKey());

    await sshd.changeHostKey();
    assert.equal((await verify(owner, stored.id)).body.data.code, "host-key-changed");
  });

  test("cannot be accepted without an alarm, or when it differs from the key that raised the alarm", async () => {
    const owner = await aPerson(app);
    const stored = await aPinned(owner);
    const accept = async (fingerprint: string) =>
      app.call(acceptHostKey, { params: { id: stored.id }, body: { fingerprint }, as: owner.token });
    const early = await accept(await text());
    assert.deepEqual([early.status, (early.body as unknown as { code: string }).code], [409, "host-key.no-alarm"]);
    await sshd.changeHostKey();
    await verify(owner, stored.id);
    const wrong = await accept("ssh-ed25519 SHA256:0000000000000000000000000000000000000000000");
    assert.deepEqual([wrong.status, (wrong.body as unknown as { code: string }).code], [409, "host-key.other"]);
    assert.notEqual((await asStored(app, owner, stored.id)).host_key_alarm, null);
    const [stranger] = [await aPerson(app, "admin")];
    const foreign = await app.call(acceptHostKey, {
      params: { id: stored.id },
      body: { fingerprint: (await asStored(app, owner, stored.id)).host_key_alarm?.presented ?? "" },
      as: stranger.token,
    });
    assert.equal(foreign.status, 404);
  });

  test("is forgotten and audited when the host or port changes, and kept when only the name changes", async () => {
    const owner = await aPerson(app);
    const stored = await aPinned(owner);
    const pin = async () =>
      (await app.database.pool.query("select host_key from credentials where id = $1", [stored.id])).rows[0].host_key;
    const { value: _, ...same } = fields();
    const change = (body: object) =>
      app.call(updateCredential, { params: { id: stored.id }, body: CredentialEdit.parse(body), as: owner.token });
    await change({ ...same, name: "Renamed" });
    assert.deepEqual(await pin(), await sshd.hostKey());
    assert.equal((await asStored(app, owner, stored.id)).verification_status, "verified");
    await change({ ...same, name: "Renamed", host: "localhost" });
    const history = await app.call(readCredentialHistory, { params: { id: stored.id }, as: owner.token });
    const entry = history.body.history.find((each) => each.event === "credential.updated");
    assert.equal(entry?.metadata["forgotten_host_key"], await text());
  });
});
