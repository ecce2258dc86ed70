// Tests what happens to vaulted findings when accounts, rotations and other calls change between the steps.
import { deleteAccount, readAccount, readFinding, undoVaulting, vaultFindings } from "@strongroom/contract";
import type { AccountId, SecurityFinding } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { byId } from "#features/discovery/testing/discovery-world.ts";
import { aPassword, aScannedHost } from "#features/scans/testing/scanned-host.ts";
import type { ScannedHost } from "#features/scans/testing/scanned-host.ts";
import { aPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";

describe("vaulting between other changes", needs(unixUsersAvailable()), () => {
  let host: ScannedHost;
  let as: string;
  before(async () => {
    host = await aScannedHost();
    as = host.owner.token;
  });
  after(() => host.stop());

  async function findingsOf(...files: readonly [name: string, password: string][]): Promise<SecurityFinding[]> {
    const paths = files.map(([name, password]) => host.write(name, `password = ${password}\n`));
    await host.scanned();
    const all = await host.findings();
    return paths.map((path) => all.find(({ finding_data }) => finding_data.file_path === path)!);
  }
  const vault = (findings: readonly SecurityFinding[], who = as) => {
    const login = { username: "app", systemType: "postgresql" as const, hostname: "db.example.com" };
    const body = { findingIds: findings.map(({ id }) => id), vaultSettings: {}, login };
    return host.app.call(vaultFindings, { body, as: who });
  };
  async function accountOf(finding: SecurityFinding): Promise<AccountId> {
    const { body, text } = await vault([finding]);
    assert.equal(body.vaulted, 1, text);
    return body.accounts[0]!.account_id;
  }
  const undo = (finding: SecurityFinding) => host.app.call(undoVaulting, { ...byId(finding), as });
  const isThere = async (id: AccountId) => (await host.app.call(readAccount, { params: { id }, as })).status === 200;
  const codeOf = ({ body }: { body: unknown }) => (body as { code?: string }).code;

  test("undoing never deletes a secret that a rotation changes in the same moment", async () => {
    const [finding] = await findingsOf(["rotated/a.conf", aPassword()]);
    const id = await accountOf(finding!);
    const rotation = await host.app.database.pool.connect();
    try {
      await rotation.query("begin");
      await rotation.query("select id from credentials where id = $1 for update", [id]);
      await rotation.query(
        `insert into secret_versions select (jsonb_populate_record(stored, '{"version": 2}')).*
         from secret_versions stored where credential_id = $1`,
        [id],
      );
      await rotation.query("update credentials set secret_version = 2 where id = $1", [id]);
      const undoing = undo(finding!);
      for (;;) {
        const { rows } = await host.app.database.pool.query(
          `select from pg_stat_activity waiting where wait_event_type = 'Lock' and exists (
             select from pg_locks lock where lock.pid = waiting.pid and lock.granted
               and lock.database = (select oid from pg_database where datname = current_database())
               and lock.relation = 'findings'::regclass)`,
        );
        if (rows.length > 0) break;
      }
      await rotation.query("commit");
      assert.equal(codeOf(await undoing), "finding.rotated");
    } finally {
      rotation.release(true);
    }
    assert.ok(await isThere(id));
  });

  test("a finding whose account was deleted can be vaulted again", async () => {
    const [finding] = await findingsOf(["deleted/a.conf", aPassword()]);
    const id = await accountOf(finding!);
    const deleted = await host.app.call(deleteAccount, { params: { id }, as });
    assert.equal(deleted.status, 200, deleted.text);
    assert.notEqual(await accountOf(finding!), id);
  });

  test("undoing one of two findings with the same secret keeps the account for the other", async () => {
    const password = aPassword();
    const [first, second] = await findingsOf(["shared/a.conf", password], ["shared/b.conf", password]);
    const id = await accountOf(first!);
    assert.equal(await accountOf(second!), id);
    assert.equal((await undo(first!)).status, 200);
    assert.ok(await isThere(id));
    const { fix } = (await host.app.call(readFinding, { ...byId(second!), as })).body;
    assert.equal(fix?.state, "stored");
    assert.equal((await undo(second!)).status, 200);
    assert.ok(!(await isThere(id)));
  });

  test("users who vault the same secret at the same time store one account", async () => {
    const other = await aPerson(host.app, "manager");
    await aMember(host.app, host.owner, host.safe, other, "owner");
    const password = aPassword();
    const [first, second] = await findingsOf(["parallel/a.conf", password], ["parallel/b.conf", password]);
    const replies = await Promise.all([vault([first!]), vault([second!], other.token)]);
    assert.deepEqual(
      replies.map(({ status, body }) => [status, body.vaulted]),
      [
        [200, 1],
        [200, 1],
      ],
    );
    const [mine, theirs] = replies.map(({ body }) => body.accounts[0]!.account_id);
    assert.equal(mine, theirs);
  });

  test("of users who vault the same finding at the same time, one succeeds", async () => {
    const other = await aPerson(host.app, "manager");
    await aMember(host.app, host.owner, host.safe, other, "owner");
    const [finding] = await findingsOf(["same/a.conf", aPassword()]);
    const replies = await Promise.all([vault([finding!]), vault([finding!], other.token)]);
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200, 409]));
  });
});
