// Tests proposals for logins that other databases store, found by scans of a real PostgreSQL and a real MariaDB.
import { listProposedDependents } from "@strongroom/contract";
import type { AccountId, DiscoveryTarget, ProposedDependent } from "@strongroom/contract";
import {
  mariadbAvailable,
  needs,
  postgresqlAvailable,
  startMariadb,
  startPostgresql,
} from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aDiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";

type AccountFields = NonNullable<Parameters<typeof anAccount>[3]>;

const READER = { hostname: "erp.corp.example", port: 5432, username: "reader" };

describe("logins to other servers", () => {
  let world: DiscoveryWorld;
  before(async () => {
    world = await aDiscoveryWorld();
  });
  after(() => world.app.close());

  async function aDatabase(at: { host: string; port: number }, login: AccountFields): Promise<DiscoveryTarget> {
    const { app, owner, safe, linuxTarget, aTarget, scanned } = world;
    const place = { hostname: at.host, port: at.port, connection_method: "SQL", schema_name: "public" } as const;
    const account = await anAccount(app, owner, safe, { ...place, ...login });
    const kind = { targetType: "database", connectionMethod: "database" } as const;
    const target = await aTarget(linuxTarget(account, at, { ...kind, name: `${login.system_type}` }));
    const scan = await scanned(target);
    assert.deepEqual([scan.status, scan.metadata?.error_message], ["completed", null]);
    assert.deepEqual(
      scan.metadata?.commands.filter(({ success }) => !success),
      [],
    );
    return target;
  }

  const anErpAccount = (name: string, more: AccountFields = {}) =>
    anAccount(world.app, world.owner, world.safe, { name, ...READER, ...more });

  async function proposals(id: AccountId, as = world.owner.token): Promise<ProposedDependent[]> {
    const reply = await world.app.call(listProposedDependents, { params: { id }, as });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.proposed.filter(({ kind }) => kind === "linked-server");
  }

  test(
    "a foreign server of PostgreSQL is proposed to the account that it logs in with",
    needs(postgresqlAvailable()),
    async () => {
      const server = await startPostgresql();
      try {
        await server.sql("create foreign data wrapper erp_wrapper");
        await server.sql(
          "create server erp foreign data wrapper erp_wrapper options (host 'ERP.corp.example', port '5432')",
        );
        await server.sql(
          "create user mapping for current_user server erp options (user 'reader', password 'stored there')",
        );
        const role = await server.addRole("login superuser");
        await aDatabase(server, { system_type: "postgresql", database_name: "postgres", ...role });
        const [found, ...others] = await proposals((await anErpAccount("Reader")).id);
        assert.deepEqual(others, []);
        assert.deepEqual(
          [found?.name, found?.place, found?.holds_password, found?.config],
          ["erp", server.host, true, null],
        );
        assert.match(found?.obstacle ?? "", /in the other database/);
        assert.ok(!JSON.stringify(found).includes("stored there"));
        for (const other of [{ username: "writer" }, { port: 5433 }, { hostname: "crm.corp.example" }])
          assert.deepEqual(await proposals((await anErpAccount(`Other ${Object.keys(other)[0]}`, other)).id), []);
      } finally {
        await server.stop();
      }
    },
  );

  test("so is a server of MariaDB, and only to users who see its target", needs(mariadbAvailable()), async () => {
    const server = await startMariadb();
    try {
      const user = await server.addUser();
      await server.sql(`grant all on *.* to '${user.username}'@'127.0.0.1' with grant option`);
      await server.sql(
        "create server crm foreign data wrapper mysql options (host 'crm.corp.example', user 'app', password 'stored there')",
      );
      await aDatabase(server, { system_type: "mysql", database_name: "app", ...user });
      const login = { hostname: "crm.corp.example", port: 3306, username: "app" };
      const account = await anErpAccount("App", login);
      assert.deepEqual(
        (await proposals(account.id)).map(({ name, place }) => [name, place]),
        [["crm", server.host]],
      );
      const stranger = await aPerson(world.app, "manager");
      const own = await anAccount(world.app, stranger, await aSafe(world.app, stranger), { ...READER, ...login });
      assert.deepEqual(await proposals(own.id, stranger.token), []);
    } finally {
      await server.stop();
    }
  });
});
