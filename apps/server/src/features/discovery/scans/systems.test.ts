// Tests of scans of each type of target through the calls: Windows and AWS against fakes, a directory and MariaDB
// against real servers.
import type { DiscoveredAccount, DiscoveryMethod, DiscoveryTargetType } from "@strongroom/contract";
import {
  makeAuthority,
  mariadbAvailable,
  needs,
  openldapAvailable,
  opensslAvailable,
  startFakeAws,
  startFakeWinrm,
  startMariadb,
  startOpenldap,
} from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aDiscoveryWorld, named } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

type AccountFields = NonNullable<Parameters<typeof anAccount>[3]>;

let world: DiscoveryWorld;
before(async () => {
  world = await aDiscoveryWorld();
});
after(() => world.app.close());

interface System {
  targetType: DiscoveryTargetType;
  connectionMethod: DiscoveryMethod;
  at: { host: string; port: number };
  login: AccountFields;
}

/** Creates the target, scans it and returns its accounts. */
async function accountsOf({ targetType, connectionMethod, at, login }: System): Promise<DiscoveredAccount[]> {
  const { app, owner, safe, linuxTarget, aTarget, scanned, found } = world;
  const account = await anAccount(app, owner, safe, { hostname: at.host, port: at.port, ...login });
  const target = await aTarget({ ...linuxTarget(account, at), targetType, connectionMethod });
  const scan = await scanned(target);
  assert.deepEqual([scan.status, scan.metadata?.error_message], ["completed", null]);
  const succeeded = scan.metadata!.commands.filter(({ success }) => success);
  assert.ok(succeeded.length > 0 && succeeded.every(({ output }) => /^\d/.test(output)), "the commands have results");
  return found(target);
}

describe("DISC-15: every type of target", needs(opensslAvailable()), () => {
  test("windows: local accounts over WinRM, with administrators and what runs as them", async () => {
    const authority = await makeAuthority();
    const server = await startFakeWinrm(await authority.issue(["127.0.0.1"]));
    try {
      server.addAccount("backup", "not the scanner's");
      server.addAccount("scanner", "the scanner's own", true);
      const login: AccountFields = {
        system_type: "Windows",
        connection_method: "WinRM",
        username: "scanner",
        password: "the scanner's own",
        additional_params: { protocol: "winrm", ca: authority.certificate },
      };
      const list = await accountsOf({ targetType: "windows", connectionMethod: "winrm", at: server, login });
      assert.deepEqual(
        ["backup", "scanner"].map((name) => named(list, name)?.discovery_metadata.is_privileged),
        [false, true],
      );
      assert.deepEqual(
        named(list, "backup")?.discovery_metadata.dependents.map(({ kind }) => kind),
        ["service", "scheduled-task"],
      );
      assert.equal(named(list, "backup")?.system_type, "windows");
    } finally {
      await server.stop();
    }
  });

  test("aws: users, the root account and their access keys", async () => {
    const server = await startFakeAws();
    try {
      const { secret } = server.addUser("scanner");
      server.addUser("admin");
      server.administrators.add("admin");
      const login: AccountFields = {
        system_type: "AWS",
        connection_method: "HTTPS",
        username: "scanner",
        password: secret,
        additional_params: server.params,
      };
      const list = await accountsOf({ targetType: "aws", connectionMethod: "aws_api", at: server, login });
      assert.equal(named(list, "admin")?.discovery_metadata.is_privileged, true);
      assert.equal(named(list, "root account")?.discovery_metadata.is_privileged, true);
    } finally {
      await server.stop();
    }
  });

  test("active_directory: people of a real OpenLDAP", needs(openldapAvailable()), async () => {
    const authority = await makeAuthority();
    const certificate = await authority.issue(["127.0.0.1"]);
    const server = await startOpenldap({ certificate, users: { alice: [], bob: [] } });
    try {
      const login: AccountFields = {
        system_type: "Application",
        username: server.users.alice.username,
        password: server.users.alice.password,
        additional_params: {
          protocol: "ldaps",
          dn_template: `uid={username},ou=people,${server.suffix}`,
          base_dn: server.suffix,
          ca: authority.certificate,
        },
      };
      const at = { host: server.host, port: server.tlsPort };
      const list = await accountsOf({ targetType: "active_directory", connectionMethod: "https", at, login });
      assert.notEqual(named(list, server.users.bob.username), undefined);
    } finally {
      await server.stop();
    }
  });

  test("database: users of a real MariaDB", needs(mariadbAvailable()), async () => {
    const server = await startMariadb();
    try {
      const user = await server.addUser();
      await server.sql(`grant all on *.* to '${user.username}'@'127.0.0.1' with grant option`);
      const login: AccountFields = {
        system_type: "mysql",
        connection_method: "SQL",
        database_name: "app",
        schema_name: "app",
        username: user.username,
        password: user.password,
      };
      for (const host of ["127.0.0.1", "10.0.0.1"])
        await server.sql(`create user 'two_hosts'@'${host}' identified by 'never used'`);
      const list = await accountsOf({ targetType: "database", connectionMethod: "database", at: server, login });
      const scanner = named(list, `${user.username}@127.0.0.1`);
      assert.equal(scanner?.discovery_metadata.is_privileged, true);
      assert.equal(scanner.is_managed, true, "its user name is in a safe, and no other host has the same");
      const { app, owner, safe } = world;
      const place = { hostname: server.host, port: server.port };
      await anAccount(app, owner, safe, { ...login, ...place, username: "two_hosts", password: "never used" });
      const again = await accountsOf({ targetType: "database", connectionMethod: "database", at: server, login });
      assert.equal(named(again, "two_hosts@10.0.0.1")?.is_managed, false, "either of the two could be meant");
    } finally {
      await server.stop();
    }
  });
});
