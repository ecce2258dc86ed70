// After a restore: access that was revoked after the backup stays revoked, and an administrator reviews the rest.
import {
  CredentialEdit,
  cancelAdminReset,
  cancelRecovery,
  completePasswordReset,
  confirmAdminReset,
  confirmTokens,
  createAuditSink,
  createCredential,
  createMachine,
  createMachineToken,
  createToken,
  finishRestoreReview,
  issueResetLink,
  listNotifications,
  listOwnTokens,
  listSafes,
  readHealth,
  readOwnProfile,
  readRestoreReview,
  readVaultClosure,
  requestAdminReset,
  resetFactors,
  revealCredential,
  revokeToken,
  setUserStatus,
  updateCredential,
} from "@strongroom/contract";
import type { AdminResetId, CredentialId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parseSealRecord } from "@strongroom/keys";
import { allSent } from "#features/audit-sinks/testing/receiving.ts";
import { aRequestableAccount, requestsOf } from "#features/access-requests/testing/requestable-account.ts";
import type { RequestableSetup } from "#features/access-requests/testing/requestable-account.ts";
import { openDatabase } from "#kernel/db/database.ts";
import { backUp } from "#kernel/embedded/backup.ts";
import { markRestored } from "#kernel/embedded/restore-mark.ts";
import { restore } from "#kernel/embedded/restore.ts";
import { temporaryFolder } from "#kernel/embedded/testing/child.ts";
import { findMacOfServer } from "#kernel/keys/find-backup-mac.ts";
import { readSealRecord } from "#kernel/keys/kek-store.ts";
import { openLog } from "#kernel/log.ts";
import { aPerson, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { running, startOn } from "./testing/servers-on-folders.ts";

const log = openLog("silent");
const temporary = temporaryFolder();
const inside = (name: string): string => join(temporary.path, name);

const first = inside("first");
let admin: TestPerson;
let holder: TestPerson;
let leaver: TestPerson;
let apiToken: string;
let machineToken: string;
let resetToken: string;
let usedPassword: string;
let requestable: RequestableSetup;
let closedOwner: TestPerson;
let secret: CredentialId;
let changed: CredentialId;
let adminReset: AdminResetId;
let confirmer: TestPerson;
const restoredFolder = inside("restored");

before(async () => {
  const { app, embedded, stop } = await startOn(first);
  admin = await firstAdmin(app);
  const sink = await app.call(createAuditSink, {
    body: { name: "file", config: { kind: "file", name: "trail.jsonl" } },
    as: admin.token,
  });
  assert.equal(sink.status, 201, sink.text);
  [holder, leaver] = [await aPerson(app), await aPerson(app)];
  const token = await app.call(createToken, {
    body: { name: "of the holder", scopes: ["safe.list"], expires_in_days: 30 },
    as: holder.token,
  });
  apiToken = token.body.token;
  const machine = await app.call(createMachine, {
    body: { name: "a pipeline", responsible_user_id: admin.id },
    as: admin.token,
  });
  assert.equal(machine.status, 201, machine.text);
  const ofMachine = await app.call(createMachineToken, {
    params: { id: machine.body.id },
    body: { name: "of the pipeline", scopes: ["safe.list"], expires_in_days: 30 },
    as: admin.token,
  });
  assert.equal(ofMachine.status, 201, ofMachine.text);
  machineToken = ofMachine.body.token;
  const link = await app.call(issueResetLink, { params: { id: holder.id }, as: admin.token });
  resetToken = decodeURIComponent(new URL(link.body.link).hash.replace("#token=", ""));
  requestable = await aRequestableAccount(app);
  const asked = await requestsOf(app).ask(requestable.asker, requestable.account);
  assert.equal(asked.status, 201, asked.text);
  assert.equal((await requestsOf(app).approve(requestable.approvers[0]!, asked.body)).status, 200);
  assert.equal((await requestsOf(app).retrieve(requestable.asker, requestable.account)).status, 200);
  await app.database.pool.query(
    `insert into rotations (id, credential_id, credential_name, because, step, kind, journal, message, needs_attention, code, started_at)
     values (gen_random_uuid(), $1, 'an account', 'asked', 'stored', 'password', $2, 'A candidate is stored', true, 'unreachable', now())`,
    [requestable.account.id, { step: "stored", candidate: 2, old: 1, dead: [1], looks: 1 }],
  );

  const undecided = await aRequestableAccount(app, { approvals_level_1: 2, approvers: 2 });
  const half = await requestsOf(app).ask(undecided.asker, undecided.account);
  assert.equal((await requestsOf(app).approve(undecided.approvers[0]!, half.body)).status, 200);
  await app.database.pool.query(
    "insert into factor_recovery_codes (user_id, code_hash, created_at) values ($1, 'a used code', now())",
    [holder.id],
  );

  closedOwner = await aPerson(app);
  const body = { name: "My bank", type: "password", value: "hunter2-secret" } as const;
  secret = (await app.call(createCredential, { body, as: closedOwner.token })).body.id;
  const closed = await app.call(resetFactors, { params: { id: closedOwner.id }, as: admin.token });
  assert.equal(closed.status, 200, closed.text);
  closedOwner.token = await signIn(app, closedOwner.email);
  confirmer = await aPerson(app, "admin");
  const lost = await aPerson(app, "admin");
  const requested = await app.call(requestAdminReset, {
    body: { user_id: lost.id, kind: "password", reason: "Lost their laptop" },
    as: admin.token,
  });
  assert.equal(requested.status, 201, requested.text);
  adminReset = requested.body.id;

  const before = { name: "A database", type: "application", value: "the value in the backup" } as const;
  changed = (await app.call(createCredential, { body: before, as: admin.token })).body.id;

  const findMac = findMacOfServer(app.kernel);
  await backUp({
    administration: embedded.administration,
    dataFolder: first,
    target: inside("backup"),
    beside: ["audit"],
    seal: async () => parseSealRecord(await readSealRecord(app.database)),
    findMac,
  });

  const since = CredentialEdit.parse({ ...before, value: "the value after the backup" });
  const edited = await app.call(updateCredential, { params: { id: changed }, body: since, as: admin.token });
  assert.equal(edited.status, 200, edited.text);

  // Revoke everything after the backup.
  usedPassword = "the password after the reset";
  const used = await app.call(completePasswordReset, { body: { token: resetToken, password: usedPassword } });
  assert.equal(used.status, 200, used.text);
  assert.equal((await app.call(revokeToken, { params: { id: token.body.details.id }, as: admin.token })).status, 200);
  const disabled = await app.call(setUserStatus, {
    params: { id: leaver.id },
    body: { status: "disabled" },
    as: admin.token,
  });
  assert.equal(disabled.status, 200, disabled.text);
  assert.equal((await app.call(cancelRecovery, { as: closedOwner.token })).status, 200);
  const cancelled = await app.call(cancelAdminReset, { params: { id: adminReset }, as: admin.token });
  assert.equal(cancelled.status, 200, cancelled.text);
  await allSent(app, admin.token, sink.body.id);
  await stop();

  mkdirSync(restoredFolder, { mode: 0o700 });
  for (const name of ["root.key", "audit", "audit-sinks"]) {
    cpSync(join(first, name), join(restoredFolder, name), { recursive: true });
  }
  await restore({
    backup: inside("backup"),
    dataFolder: restoredFolder,
    findMac,
    kept: () => true,
    log,
    async prove({ connection }, { manifest, isAuthenticated }) {
      const database = openDatabase({ connection, log, poolSize: 1 });
      const madeAt = new Date(manifest.made_at);
      await markRestored(database.pool, {
        found_by: "restore",
        backup_made_at: madeAt,
        is_authenticated: isAuthenticated,
      });
      // Simulates a backup that is several days old.
      await database.pool.query("update vault_closures set opens_at = now() - interval '1 hour', mailed_at = now()");
      await database.close();
    },
  });
});
after(async () => {
  for (const each of running) await each.stop();
  temporary.remove();
});

describe("a server on a restored database", () => {
  let app: TestApp;
  let now: string;
  before(async () => {
    ({ app } = await startOn(restoredFolder));
  });

  const review = async () => (await app.call(readRestoreReview, { as: now })).body;

  test("ends sessions, reset links and grants that the backup contained", async () => {
    for (const person of [admin, holder, leaver]) {
      assert.equal((await app.call(readOwnProfile, { as: person.token })).status, 401);
    }
    const body = { token: resetToken, password: "another long password" };
    assert.equal((await app.call(completePasswordReset, { body })).status, 400);
    const asker = { ...requestable.asker, token: await signIn(app, requestable.asker.email) };
    assert.equal((await requestsOf(app).retrieve(asker, requestable.account)).status, 403);
    now = await signIn(app, admin.email);
  });

  test("reveals the secrets that were active at the time of the backup", async () => {
    const revealed = await app.call(revealCredential, { params: { id: changed }, body: {}, as: now });
    assert.equal(revealed.body.value, "the value in the backup", revealed.text);
  });

  test("restarts the waiting time of a closed vault and emails its owner again, because a cancellation may be lost", async () => {
    const { rows } = await app.database.pool.query(
      `select opens_at > now() + interval '71 hours' as waits, mailed_at, cancel_hash from vault_closures`,
    );
    assert.deepEqual(rows, [{ waits: true, mailed_at: null, cancel_hash: null }]);
    const as = await signIn(app, closedOwner.email);
    assert.notEqual((await app.call(readVaultClosure, { as })).body.closure, null);
    const refused = await app.call(revealCredential, { params: { id: secret }, body: {}, as });
    assert.equal(refused.status, 403, refused.text);
  });

  test("expires open requests to reset an administrator, because a cancellation may be lost", async () => {
    const as = await signIn(app, confirmer.email);
    const confirmed = await app.call(confirmAdminReset, { params: { id: adminReset }, as });
    assert.equal(confirmed.status, 404, confirmed.text);
  });

  test("deletes recovery codes and approvals of undecided requests, because they may have been used or withdrawn since", async () => {
    const { rows } = await app.database.pool.query(
      `select (select count(*)::integer from factor_recovery_codes) as codes,
         (select count(*)::integer from access_request_decisions join access_request_rounds round using (request_id, round)
          where round.state = 'pending') as undecided,
         (select count(*)::integer from access_request_decisions) as decided`,
    );
    assert.deepEqual(rows, [{ codes: 0, undecided: 0, decided: 1 }]);
  });

  test("accepts no API token until an administrator confirms it", async () => {
    for (const token of [apiToken, machineToken]) {
      const refused = await app.call(listSafes, { as: token });
      assert.equal(refused.status, 403);
      assert.match(refused.text, /"code":"token.suspended"/);
    }
    const owner = await signIn(app, holder.email);
    assert.equal((await app.call(listOwnTokens, { as: owner })).body.data[0]?.state, "suspended");
  });

  test("is degraded, notifies administrators and lists the known lost changes", async () => {
    const health = (await app.call(readHealth)).body;
    assert.equal(health.status, "degraded");
    assert.match(health.checks.find(({ name }) => name === "restore review")?.message ?? "", /database was restored/);
    const told = await eventually(async () => {
      const { notifications } = (await app.call(listNotifications, { as: now })).body;
      return notifications.find(({ title }) => title === "The database was restored") ?? null;
    });
    assert.equal(told.link, "/admin?tab=restore-review");

    const [found, ...others] = (await review()).open;
    assert.equal(others.length, 0);
    assert.ok(found !== undefined && found.found_by === "restore" && found.is_authenticated === true);
    assert.ok(found.backup_made_at !== null && found.backup_made_at < found.restored_at);
    assert.ok((found.missing_entries ?? 0) >= 3, String(found.missing_entries));
    assert.ok(found.ended.sessions >= 4);
    assert.deepEqual([found.ended.links, found.ended.grants, found.ended.rotations, found.ended.tokens], [1, 1, 1, 2]);
    assert.deepEqual([found.ended.admin_resets, found.ended.closures], [1, 1]);
    assert.deepEqual([found.ended.recovery_codes, found.ended.approvals], [1, 1]);
    const lost = found.changes.map(({ event }) => event);
    for (const event of [
      "password-reset.completed",
      "token.revoked",
      "user.status-changed",
      "vault.recovery-cancelled",
      "admin-reset.cancelled",
    ]) {
      assert.ok(lost.includes(event), `${event} of ${lost.join(", ")}`);
    }
    const { rows } = await app.database.pool.query(
      "select convert_from(canonical, 'UTF8')::jsonb->'details'->'ended' as ended from audit_entries where event = 'backup.restored'",
    );
    assert.deepEqual(rows, [{ ended: found.ended }]);
  });

  test("verifies which secret is active before a restored rotation changes anything", async () => {
    const { rows } = await app.database.pool.query("select step, journal from rotations");
    assert.equal(rows[0].step, "doubtful");
    assert.deepEqual([rows[0].journal.step, rows[0].journal.dead], ["doubtful", []]);
  });

  test("confirms tokens individually, only in an administrator's session with recent re-authentication", async () => {
    const { suspended_tokens: tokens } = await review();
    assert.deepEqual(tokens.map(({ name }) => name).toSorted(), ["of the holder", "of the pipeline"]);
    const good = tokens.find(({ name }) => name === "of the pipeline")!;
    const confirm = (as: string) => app.call(confirmTokens, { body: { token_ids: [good.id] }, as });
    assert.equal((await confirm(await signIn(app, holder.email))).status, 403);
    const made = await app.call(createToken, {
      body: { name: "made since", scopes: ["system.manage", "system.read"], expires_in_days: 1 },
      as: now,
    });
    assert.equal(made.status, 201, made.text);
    assert.equal((await confirm(made.body.token)).status, 403, "a token does not bring others back");
    await app.database.pool.query("update sign_in_sessions set proved_at = now() - interval '1 day'");
    assert.match((await confirm(now)).text, /step-up.required/);
    now = await signIn(app, admin.email);
    assert.equal((await confirm(now)).status, 200);
    assert.equal((await app.call(listSafes, { as: machineToken })).status, 200);
    assert.equal((await app.call(listSafes, { as: apiToken })).status, 403);
    assert.equal((await confirm(now)).status, 404);
  });

  test("is healthy after the review is finished and after a restart, and unconfirmed tokens stay suspended", async () => {
    assert.equal((await app.call(finishRestoreReview, { as: now })).status, 200);
    assert.equal((await app.call(finishRestoreReview, { as: now })).status, 409);
    const isThere = async () =>
      (await app.call(readHealth)).body.checks.find(({ name }) => name === "restore review")?.state;
    assert.equal(await isThere(), "ok");
    for (const each of running) await each.stop();
    ({ app } = await startOn(restoredFolder));
    assert.equal(await isThere(), "ok");
    assert.equal((await app.call(listSafes, { as: now })).status, 200, "nobody is signed out again");
    assert.equal((await app.call(listSafes, { as: apiToken })).status, 403);
    assert.deepEqual((await review()).open, []);
    for (const each of running) await each.stop();
  });
});

test("a database older than the kept checkpoint is handled as restored once, even without a mark", async () => {
  const { app, stop } = await startOn(inside("snapshot"));
  const person = await firstAdmin(app);
  await app.kernel.database.transaction(async () => {});
  const { administration } = [...running].at(-1)!.embedded;
  await backUp({
    administration,
    dataFolder: inside("snapshot"),
    target: inside("snapshot-copy"),
    beside: [],
    seal: async () => parseSealRecord(await readSealRecord(app.database)),
    findMac: findMacOfServer(app.kernel),
  });
  await aPerson(app);
  const findMac = findMacOfServer(app.kernel);
  await eventually(async () => {
    const { rows } = await app.database.pool.query("select from audit_pending limit 1");
    return rows.length === 0 ? true : null;
  });
  await stop();
  // Like restoring a disk snapshot: only the checkpoint beside the database shows that it was restored.
  const folder = inside("snapshot-restored");
  mkdirSync(folder, { mode: 0o700 });
  copyFileSync(join(inside("snapshot"), "root.key"), join(folder, "root.key"));
  cpSync(join(inside("snapshot"), "audit"), join(folder, "audit"), { recursive: true });
  const backup = inside("snapshot-copy");
  await restore({ backup, dataFolder: folder, findMac, kept: () => true, log, prove: async () => {} });
  const again = await startOn(folder);
  assert.equal((await again.app.call(readOwnProfile, { as: person.token })).status, 401);
  const token = await signIn(again.app, person.email);
  const { open } = (await again.app.call(readRestoreReview, { as: token })).body;
  assert.deepEqual(
    open.map(({ found_by: by, missing_entries: missing }) => [by, (missing ?? 0) > 0]),
    [["checkpoint", true]],
  );
  await again.stop();
  const third = await startOn(folder);
  assert.equal((await third.app.call(readOwnProfile, { as: token })).status, 200, "the same fall is treated once");
  await third.stop();
});
