// Kills the server at every step of the chain finding, account, rotation, file, on a real sshd and a real PostgreSQL.
import { listFindings, readFinding, vaultFindings } from "@strongroom/contract";
import type { DiscoveryTargetId, FindingId } from "@strongroom/contract";
import {
  needs,
  postgresqlAvailable,
  startPostgresql,
  startSshd,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import type { PostgresqlServer, Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { until } from "./testing/becomes.ts";
import { runSql } from "./testing/database.ts";
import { killAtWrite } from "./testing/kill-at-write.ts";
import type { Write } from "./testing/kill-at-write.ts";
import { aUser, ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { aScanTarget, completedScan, startScan } from "./testing/scan-target.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

interface Step extends Write {
  /** The secret is replaced by a reference; otherwise it is rotated and the file updated. */
  isReference?: boolean;
}

/** The write before which the server is killed: a condition on a row of a table. */
const WRITES = [
  { name: "the transaction that vaults the finding", on: "insert on finding_fixes", when: "true" },
  { name: "the candidate is stored", on: "insert on secret_versions", when: "new.is_candidate" },
  { name: "the rotation records that it is sent", on: "update on rotations", when: "new.step = 'sent'" },
  { name: "the promotion of the new password", on: "update on rotations", when: "new.step in ('promoted', 'ended')" },
  {
    name: "the record that the file has the new password",
    on: "update on account_dependents",
    when: "new.state = 'current' and old.state <> 'current'",
  },
  {
    name: "the finding of the updated file is closed",
    on: "update on findings",
    when: "new.status = 'remediated'",
  },
  {
    name: "the record that the file has a reference",
    on: "update on account_dependents",
    when: "new.state = 'current' and old.state <> 'current'",
    isReference: true,
  },
] as const satisfies Step[];

/** More rounds: `FIX_KILL_ROUNDS=10 node --test e2e/fix-kill.test.ts`. */
const ROUNDS: Step[] = Array.from({ length: Number(process.env["FIX_KILL_ROUNDS"] ?? 1) }, () => WRITES).flat();

interface Chain {
  id: FindingId;
  file: string;
  /** The password that the file has first. */
  password: string;
}

describe("vault and fix", needs(unixUsersAvailable() ?? postgresqlAvailable()), () => {
  let server: RunningServer;
  let sshd: Sshd;
  let database: PostgresqlServer;
  let token: string;
  let targetId: DiscoveryTargetId;
  let home: string;
  let chains: Chain[];

  before(async () => {
    [server, sshd, database] = await Promise.all([startServer(), startSshd(), startPostgresql()]);
    await firstAdmin(server);
    token = await tokenOf(server, await aUser(server, "mona@example.com"));
    const scanner = await sshd.addUser("active", { sudo: "ALL", hasHome: true });
    home = scanner.home;
    targetId = await aScanTarget(server, token, sshd, scanner);
    chains = await scanFiles();
  });
  after(() => Promise.all([server?.close(), sshd?.stop(), database?.stop()]));

  /** Writes a file with the password of a new role for each kill, and scans them all at once. */
  async function scanFiles(): Promise<Chain[]> {
    const written: Omit<Chain, "id">[] = [];
    for (const number of ROUNDS.keys()) {
      const { username, password } = await database.addRole();
      const file = join(home, `app-${number}.conf`);
      writeFileSync(
        file,
        `[app]\nurl = postgresql://${username}:${password}@${database.host}:${database.port}/postgres\n`,
      );
      written.push({ file, password });
    }
    await completedScan(server, token, await startScan(server, token, { targetId, home }));
    const query = { includeBelowThreshold: "true", status: "new" };
    const { data } = await ask(server.url, listFindings, { query }, token);
    return written.map((each) => ({
      ...each,
      id: data.find(({ finding_data }) => finding_data.file_path === each.file)!.id,
    }));
  }

  /** Returns the result of the work, or null. */
  async function killBefore<T>(write: Write, work: () => Promise<T>): Promise<T | null> {
    const killed = await killAtWrite(server, write, work);
    server = killed.server;
    // The leases of the killed process would expire after a minute.
    for (const table of ["rotations", "account_dependents"]) {
      await runSql(server, `update ${table} set lease_until = clock_timestamp() where lease_until is not null`);
    }
    return killed.result;
  }

  for (const [number, write] of ROUNDS.entries()) {
    test(`killing the server before ${write.name} loses nothing, and the file is fixed`, async () => {
      const { id, file, password } = chains[number]!;
      const login = { systemType: "postgresql", hostname: database.host, port: database.port } as const;
      const isReference = write.isReference === true;
      const body = { findingIds: [id], vaultSettings: {}, fixFiles: !isReference, useReferences: isReference, login };
      const vaulted = await killBefore(write, () => ask(server.url, vaultFindings, { body }, token));
      if (vaulted === null) {
        const { fix } = await ask(server.url, readFinding, { params: { id } }, token);
        assert.equal(fix, null, "an unfinished transaction stored nothing");
        await ask(server.url, vaultFindings, { body }, token);
      }
      const fixed = await until("the fixed file", async () => {
        const { fix, ...finding } = await ask(server.url, readFinding, { params: { id } }, token);
        assert.notEqual(fix?.state, "attention", fix?.message ?? "");
        return fix?.state === "fixed" ? { ...finding, account_id: fix.account_id } : null;
      });
      assert.deepEqual([fixed.status, fixed.liveness], ["remediated", isReference ? "unverified" : "dead"]);
      assert.equal(fixed.history.filter(({ kind }) => kind === "fixed").length, 1);
      const content = readFileSync(file, "utf8");
      assert.ok(!content.includes(password));
      if (isReference) {
        assert.ok(content.includes(`{{strongroom:${fixed.account_id}|url}}`));
        assert.equal(existsSync(`${file}.strongroom-backup`), false);
        return;
      }
      const client = new pg.Client({ connectionString: /postgresql:\S+/.exec(content)![0] });
      await client.connect();
      await client.end();
    });
  }
});
