// Tests that changes a database owner makes to dependents are detected, and that nothing is written for them.
import {
  addDependent,
  listDependents,
  listNotifications,
  moveAccount,
  readHealth,
  removeDependent,
  updateDependent,
} from "@strongroom/contract";
import type { AccountId, Dependent, DependentId } from "@strongroom/contract";
import { needs, sshdAvailable, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { onPostgresql } from "../testing/on-postgresql.ts";
import type { PostgresqlSetup } from "../testing/on-postgresql.ts";
import { checkDependents } from "./bind-dependents.ts";

const CHANGED = /was changed in the database/;
const MISMATCH = "account.dependent-mismatch";

const dependentOf = async (app: TestApp, id: AccountId, as: TestPerson): Promise<Dependent> => {
  const reply = await app.call(listDependents, { params: { id }, as: as.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.dependents[0]!;
};
const dependentsCheck = async (app: TestApp) =>
  (await app.call(readHealth)).body.checks.find(({ name }) => name === "dependents")!;

describe("dependents changed in the database", needs(sshdAvailable(), unixUsersAvailable()), () => {
  let place: PostgresqlSetup;
  let sshd: Sshd;
  let admin: TestPerson;
  let owner: TestPerson;
  let folder: string;
  before(async () => {
    [place, sshd] = await Promise.all([onPostgresql(), startSshd()]);
    admin = await firstAdmin(place.app);
    owner = await aPerson(place.app);
    folder = mkdtempSync(join(tmpdir(), "strongroom-dependents-"));
    chmodSync(folder, 0o1777);
  });
  after(async () => {
    await place?.close();
    await sshd?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  let files = 0;
  const newPath = (): string => join(folder, `app-${++files}.conf`);

  /** An account whose password a file on the SSH server receives after each rotation. */
  async function anAccountWithFile() {
    const { account, safe } = await place.anAccountThere(owner);
    const user = await sshd.addUser();
    const login = { hostname: sshd.host, port: sshd.port, username: user.username, password: user.password };
    const system = { system_type: "Linux", connection_method: "SSH" } as const;
    const via = await anAccount(place.app, owner, safe, { ...login, ...system });
    const path = newPath();
    const id = await addFile(account.id, via.id, path);
    return { account, safe, via, path, id };
  }

  async function addFile(account: AccountId, via: AccountId, path: string): Promise<DependentId> {
    const config = { kind: "ssh-file", via_account_id: via, path, template: "password={{password}}\n" } as const;
    const body = { name: "A file", config };
    const added = await place.app.call(addDependent, { params: { id: account }, body, as: owner.token });
    assert.equal(added.status, 201, added.text);
    return added.body.id;
  }

  const inState = (id: AccountId, state: Dependent["state"]) =>
    eventually(async () => {
      const found = await dependentOf(place.app, id, owner);
      return found.state === state ? found : null;
    });
  const rotate = async (id: AccountId) => assert.equal((await place.rotate(owner, id)).state, "rotated");
  const alarms = (id: string) =>
    place.sql(
      "select target_id, severity, convert_from(canonical, 'UTF8') as text from audit_entries where event = $2 and position($1 in convert_from(canonical, 'UTF8')) > 0",
      id,
      MISMATCH,
    );

  interface World extends Awaited<ReturnType<typeof anAccountWithFile>> {
    other: Awaited<ReturnType<typeof anAccountWithFile>>;
    stolen: string;
  }

  /** Each statement changes one authenticated column. */
  const CHANGES: Record<string, (world: World) => Promise<unknown>> = {
    path: ({ id, stolen }) => setConfig(id, { path: stolen }),
    template: ({ id }) => setConfig(id, { template: "* * * * * root echo {{password}}\n" }),
    mode: ({ id }) => setConfig(id, { mode: "644" }),
    "reloaded unit": ({ id }) => setConfig(id, { reload_unit: "evil.service" }),
    login: ({ id, other }) => setConfig(id, { via_account_id: other.via.id }),
    kind: ({ id, stolen, via }) =>
      place.sql(
        `update account_dependents set config = jsonb_build_object('kind', 'file-value', 'via_account_id', $2::text, 'path', $3::text)
         where id = $1`,
        id,
        via.id,
        stolen,
      ),
    "unreadable settings": ({ id }) => place.sql("update account_dependents set config = 'null' where id = $1", id),
    account: ({ id, account, other }) =>
      place.sql(
        "update account_dependents set account_id = case account_id when $2::uuid then $3::uuid else $2 end where id in ($1, $4)",
        id,
        account.id,
        other.account.id,
        other.id,
      ),
    requester: ({ id }) => place.sql("update account_dependents set added_by = $2 where id = $1", id, admin.id),
    name: ({ id }) => place.sql("update account_dependents set name = 'Another file' where id = $1", id),
    "approved address": ({ id }) =>
      place.sql("update account_dependents set via_way = via_way || ' ' where id = $1", id),
    "signing key": ({ id }) => place.sql("update account_dependents set signing_key = '\\x00' where id = $1", id),
    "missing MAC": ({ id }) => place.sql("update account_dependents set mac = null where id = $1", id),
    "MAC of another dependent": ({ id, other }) =>
      place.sql(
        "update account_dependents set mac = (select mac from account_dependents where id = $2) where id = $1",
        id,
        other.id,
      ),
    id: ({ id }) => place.sql("update account_dependents set id = gen_random_uuid() where id = $1", id),
    "row copied from another account": ({ id, account, other }) =>
      place.sql(
        `with removed as (delete from account_dependents where id = $1)
         insert into account_dependents (id, account_id, name, config, added_by, via_way, mac, created_at)
         select gen_random_uuid(), $2, name, config, added_by, via_way, mac, created_at
         from account_dependents where id = $3`,
        id,
        account.id,
        other.id,
      ),
  };
  const setConfig = (id: string, change: object) =>
    place.sql("update account_dependents set config = config || $2::jsonb where id = $1", id, JSON.stringify(change));

  for (const [what, change] of Object.entries(CHANGES)) {
    test(`nothing is written after a change: ${what}`, async () => {
      const [mine, other] = await Promise.all([anAccountWithFile(), anAccountWithFile()]);
      const stolen = newPath();
      await change({ ...mine, other, stolen });
      const { id } = (await place.sql("select id from account_dependents where account_id = $1", mine.account.id))[0];
      await rotate(mine.account.id);
      // Read from the database, because listing dependents checks them too.
      const dependent = await eventually(async () => {
        const [row] = await place.sql("select state, message from account_dependents where id = $1", id);
        return row.state === "pending" ? null : row;
      });
      assert.deepEqual(
        [dependent.state, CHANGED.test(dependent.message ?? "")],
        ["attention", true],
        dependent.message,
      );
      await eventually(async () => ((await alarms(id)).length > 0 ? true : null));
      for (const path of [mine.path, other.path, stolen]) assert.equal(existsSync(path), false, path);
      const used = await place.sql(
        `select from audit_entries where event = 'rotation.secret-used' and target_id in ($1, $2)
         and position('"for":"dependent"' in convert_from(canonical, 'UTF8')) > 0`,
        mine.via.id,
        other.via.id,
      );
      assert.deepEqual(used, [], "no secret was opened");
    });
  }

  test("is recorded once as critical, degrades the health and notifies administrators; adding it again recovers", async () => {
    await place.sql("delete from account_dependents");
    const { account, via, path, id } = await anAccountWithFile();
    assert.equal((await dependentsCheck(place.app)).state, "ok");
    const stolen = newPath();
    await setConfig(id, { path: stolen });
    assert.match((await dependentOf(place.app, account.id, owner)).message ?? "", CHANGED, "at the first look");
    const params = { id: account.id, dependentId: id };
    const asked = await place.app.call(updateDependent, { params, as: owner.token });
    assert.deepEqual([asked.status, /"code":"dependent.mismatch"/.test(asked.text)], [409, true], asked.text);
    await rotate(account.id);
    await inState(account.id, "attention");
    const [alarm, ...more] = await eventually(async () => {
      const found = await alarms(id);
      return found.length > 0 ? found : null;
    });
    assert.deepEqual([alarm.target_id, alarm.severity, more], [account.id, "critical", []]);
    const check = await dependentsCheck(place.app);
    assert.match(check.message ?? "", /remove them and add them again/i);
    assert.equal((await place.app.call(readHealth)).body.status, "degraded");
    await eventually(async () => {
      const { body } = await place.app.call(listNotifications, { as: admin.token });
      return body.notifications.find(({ metadata }) => metadata["dependent_id"] === id) ?? null;
    });

    assert.equal((await place.app.call(removeDependent, { params, as: owner.token })).status, 200);
    assert.equal((await dependentsCheck(place.app)).state, "ok");
    await addFile(account.id, via.id, path);
    await rotate(account.id);
    await inState(account.id, "current");
    assert.equal(readFileSync(path, "utf8"), `password=${await place.passwordOf(owner, account.id)}\n`);
    assert.equal(existsSync(stolen), false);
  });

  test("requesting an update does not authenticate a changed row", async () => {
    const { account, id, path } = await anAccountWithFile();
    await setConfig(id, { path: newPath() });
    const before = await place.sql("select mac, added_by, via_way from account_dependents where id = $1", id);
    const params = { id: account.id, dependentId: id };
    assert.equal((await place.app.call(updateDependent, { params, as: owner.token })).status, 409);
    assert.deepEqual(
      await place.sql("select mac, added_by, via_way from account_dependents where id = $1", id),
      before,
    );
    assert.equal(existsSync(path), false);
  });

  test("a user who requests an update becomes its authenticated requester", async () => {
    const { account, safe, id, path } = await anAccountWithFile();
    const second = await aPerson(place.app);
    await aMember(place.app, owner, safe, second, ["list", "retrieve", "manage_secret"]);
    const params = { id: account.id, dependentId: id };
    assert.equal((await place.app.call(updateDependent, { params, as: second.token })).status, 200);
    await inState(account.id, "current");
    const [{ added_by }] = await place.sql("select added_by from account_dependents where id = $1", id);
    assert.equal(added_by, second.id);
    assert.ok(existsSync(path));
  });

  test("is found by the hourly check even if the account is not rotated", async () => {
    const { id } = await anAccountWithFile();
    await place.sql('update account_dependents set config = config || \'{"mode":"666"}\' where id = $1', id);
    await checkDependents(place.app.kernel, new AbortController().signal);
    await eventually(async () => ((await alarms(id)).length > 0 ? true : null));
  });

  test("the file is updated after the account was moved to another safe", async () => {
    const { account, path } = await anAccountWithFile();
    const to = await aSafe(place.app, owner);
    const body = { safe_id: to.id };
    const moved = await place.app.call(moveAccount, { params: { id: account.id }, body, as: owner.token });
    assert.equal(moved.status, 200, moved.text);
    await rotate(account.id);
    await inState(account.id, "current");
    assert.equal(readFileSync(path, "utf8"), `password=${await place.passwordOf(owner, account.id)}\n`);
  });
});

describe("binding the dependents of an older database", () => {
  /** An account with a webhook to a closed port. */
  async function aWebhook(app: TestApp) {
    const owner = await aPerson(app);
    const account = await anAccount(app, owner, await aSafe(app, owner));
    const body = { name: "A webhook", config: { kind: "webhook", url: "http://127.0.0.1:1/" } } as const;
    const { status, body: added } = await app.call(addDependent, { params: { id: account.id }, body, as: owner.token });
    assert.equal(status, 201);
    return { owner, account, params: { id: account.id, dependentId: added.id } };
  }

  /** Restores the state after the migration: no MACs, and no audit entry of a binding. */
  const asBefore = (on: TestApp, keep = "false") =>
    on.database.pool.query(`
      alter table audit_entries disable trigger user;
      delete from audit_entries where event = 'account.dependents-bound';
      alter table audit_entries enable trigger user;
      update account_dependents set mac = null where not (${keep})`);
  const entries = async (on: TestApp) =>
    (
      await on.database.pool.query(
        "select result, convert_from(canonical, 'UTF8') as text from audit_entries where event = 'account.dependents-bound'",
      )
    ).rows;

  test("happens once, at the first start, with an audit entry", async () => {
    const first = await testApp();
    const { owner, params } = await aWebhook(first);
    await asBefore(first);
    const next = await testApp(await first.stopOnly());
    const asked = await next.call(updateDependent, { params, as: owner.token });
    assert.equal(asked.status, 200, asked.text);
    const [entry, ...more] = await entries(next);
    assert.match(entry.text, /"dependents":1/);
    assert.deepEqual(more, []);
    await next.close();
  });

  test("is not repeated after MACs are cleared, even if the event column of its audit entry was changed", async () => {
    const first = await testApp();
    const { owner, params } = await aWebhook(first);
    await first.database.pool.query(`
      alter table audit_entries disable trigger user;
      update audit_entries set event = 'other.event' where event = 'account.dependents-bound';
      update account_dependents set mac = null`);
    const next = await testApp(await first.stopOnly());
    const asked = await next.call(updateDependent, { params, as: owner.token });
    assert.equal(asked.status, 409, asked.text);
    await next.close();
  });

  test("is refused and recorded as critical if its audit entry is missing while other dependents have MACs", async () => {
    const first = await testApp();
    const [changed, kept] = [await aWebhook(first), await aWebhook(first)];
    await asBefore(first, `id = '${kept.params.dependentId}'`);
    const next = await testApp(await first.stopOnly());
    const update = async ({ owner, params }: typeof kept) =>
      (await next.call(updateDependent, { params, as: owner.token })).status;
    assert.deepEqual([await update(changed), await update(kept)], [409, 200]);
    const [entry] = await entries(next);
    assert.deepEqual([entry.result, /"severity":"critical"/.test(entry.text)], ["failure", true]);
    await next.close();
  });
});
