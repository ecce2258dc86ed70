// Starts a server with accounts on a real PostgreSQL, with the operations that rotation tests share.
import { readRotation, retrieveAccount, rotateAccount } from "@strongroom/contract";
import type { AccountId, RotationId } from "@strongroom/contract";
import { startPostgresql } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import pg from "pg";
import { anAccount, aPlatform } from "#testing/accounts.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

export const SYSTEM = { system_type: "postgresql", connection_method: "SQL" } as const;
export const DATABASE = { ...SYSTEM, database_name: "postgres", schema_name: "public" } as const;

const SETTLED = ["rotated", "cancelled", "superseded", "attention"];

interface Options {
  platform?: Parameters<typeof aPlatform>[1];
  account?: Partial<Parameters<typeof anAccount>[3]>;
  /** The safe of the account, instead of a new one. */
  safe?: { id: Parameters<typeof anAccount>[2]["id"] };
}

export type PostgresqlSetup = Awaited<ReturnType<typeof onPostgresql>>;

export async function onPostgresql() {
  const [app, target] = await Promise.all([testApp(), startPostgresql()]);
  const sql = async (text: string, ...values: unknown[]) => (await app.database.pool.query(text, values)).rows;

  async function logsIn(username: string, password: string): Promise<boolean> {
    const { host, port } = target;
    const client = new pg.Client({ host, port, user: username, password, database: "postgres" });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Creates an account on the target with a new safe and platform and the role's correct password. */
  async function anAccountThere(owner: TestPerson, options: Options = {}) {
    const role = await target.addRole();
    const safe = options.safe ?? (await aSafe(app, owner));
    const platform = await aPlatform(app, { ...SYSTEM, ...options.platform });
    const account = await anAccount(app, owner, safe, {
      ...DATABASE,
      hostname: target.host,
      port: target.port,
      username: role.username,
      password: role.password,
      platform_id: platform.id,
      ...options.account,
    });
    return { account, role, platform, safe };
  }

  /** Waits until the rotation has ended or needs attention, and returns it. */
  const settled = (person: TestPerson, id: RotationId) =>
    eventually(async () => {
      const { body } = await app.call(readRotation, { params: { id }, as: person.token });
      return SETTLED.includes(body.state) ? body : null;
    });

  return {
    app,
    target,
    sql,
    logsIn,
    anAccountThere,
    settled,

    async rotate(person: TestPerson, id: AccountId) {
      const asked = await app.call(rotateAccount, { params: { id }, as: person.token });
      assert.equal(asked.status, 202, asked.text);
      return settled(person, asked.body.rotation_id);
    },

    async passwordOf(person: TestPerson, id: AccountId): Promise<string> {
      const { body } = await app.call(retrieveAccount, { params: { id }, body: {}, as: person.token });
      return body.password;
    },

    /** Sets a different password on the target, outside Strongroom. */
    setPassword: (username: string, password: string) => target.sql(`alter role "${username}" password '${password}'`),

    /** Leaves the rotation as if its process had died right after sending a change. */
    async dieAfterSending(id: string): Promise<void> {
      await sql(
        `update rotations set step = 'sent', lease_token = null, lease_until = null, next_at = now(), needs_attention = false,
           journal = journal || '{"step":"sent","sentOfCandidate":1,"tries":1,"attention":null,"dead":[]}' where id = $1`,
        id,
      );
    },

    async close(): Promise<void> {
      await app.close();
      await target.stop();
    },
  };
}
